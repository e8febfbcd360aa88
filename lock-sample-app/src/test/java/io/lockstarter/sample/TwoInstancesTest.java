/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
