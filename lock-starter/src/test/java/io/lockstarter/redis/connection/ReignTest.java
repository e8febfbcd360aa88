// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of when a server is asked for how long it has been the primary.
 */
class ReignTest {

	private static final long TRUST = Duration.ofMillis(20).toNanos();

	@Test
	void serverIsAskedAgainAfterAWhile() {
		Reign reign = new Reign("abc", -5);
		assertThat(reign.isInDoubt(TRUST - 6)).isFalse();
		assertThat(reign.isInDoubt(TRUST - 5)).isTrue();
		reign.confirmed(TRUST);
		assertThat(reign.isInDoubt(2 * TRUST - 1)).isFalse();
		assertThat(reign.isInDoubt(2 * TRUST)).isTrue();
	}

}
