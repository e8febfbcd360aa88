// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A crowd that buys from two instances, which share the Redis and the database of the
 * first.
 */
class TwoInstancesTest {

	private static RunningShop first;

	private static RunningShop second;

	@BeforeAll
	static void start() {
		first = RunningShop.start();
		second = first.startAnother();
	}

	@AfterAll
	static void stop() {
		second.close();
		first.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "COUNTER", "SCRIPT", "LOCK_ONLY", "LOCK", "FENCE" })
	void withProtectionEveryItemIsSoldOnceByWhicheverInstance(String protection) {
		assertThat(first.crowd(protection)).containsEntry("instances", 2)
			.containsEntry("sold", 100)
			.containsEntry("oversold", 0)
			.containsEntry("failed", 0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "NONE", "SYNCHRONIZED" })
	void withoutProtectionAcrossInstancesMoreIsSoldThanThereIs(String protection) {
		assertThat((int) first.crowd(protection).get("oversold")).isPositive();
	}

}
