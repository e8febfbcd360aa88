// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedisLink}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLinkTest {

	private final StringRedisTemplate redis = mock(StringRedisTemplate.class);

	private final RedisLink link = new RedisLink(this.redis);

	@Test
	void eachChangeIsLoggedOnce(CapturedOutput output) {
		given(this.redis.hasKey(any())).willReturn(true)
			.willThrow(new RedisConnectionFailureException("refused"))
			.willThrow(new QueryTimeoutException("silent"))
			.willReturn(true, false)
			.willThrow(new RedisConnectionFailureException("refused again"));
		assertThat(ask()).isTrue();
		assertThat(output.getOut()).isEmpty();
		assertThat(ask()).isFalse();
		assertThat(ask()).isFalse();
		assertThat(output.getOut().lines()).singleElement().asString().contains("WARN", "without Redis", "refused");
		assertThat(ask()).isTrue();
		assertThat(ask()).isTrue();
		assertThat(output.getOut().lines()).hasSize(2).last().asString().contains("INFO", "Redis again");
		assertThat(ask()).isFalse();
		assertThat(output.getOut().lines()).hasSize(3).last().asString().contains("refused again");
	}

	private boolean ask() {
		return this.link.ask((redis) -> redis.hasKey("key")).isPresent();
	}

}
