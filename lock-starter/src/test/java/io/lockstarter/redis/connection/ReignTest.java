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
