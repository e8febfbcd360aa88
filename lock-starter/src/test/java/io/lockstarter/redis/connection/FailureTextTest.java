// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.RedisConnectionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FailureText}.
 */
class FailureTextTest {

	/**
	 * Lettuce does not say where it asked, nor who answered.
	 */
	@Test
	void whoFindsNoSentinelIsToldWhereToLook() {
		RedisConnectionException failure = new RedisConnectionException("Cannot obtain master using SENTINEL MASTER",
				new IllegalStateException("Command timed out after 5 s."));
		assertThat(FailureText.withRemedy(failure)).startsWith("""
				Cannot obtain master using SENTINEL MASTER: Command timed out after 5 s: look whether Sentinels, and \
				not Redis itself, are at 'spring.data.redis.sentinel.nodes' or in 'distributed-lock.url'""");
	}

	/**
	 * A Sentinel may have a password of its own.
	 */
	@Test
	void whatASentinelAnswersGoesBeforeTheQuestionWhetherItIsOne() {
		RedisConnectionException failure = new RedisConnectionException("Cannot obtain master using SENTINEL MASTER",
				new IllegalStateException("NOAUTH Authentication required."));
		assertThat(FailureText.withRemedy(failure)).contains("required: look at 'spring.data.redis.username'")
			.doesNotContain("look whether");
	}

}
