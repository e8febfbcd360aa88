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
