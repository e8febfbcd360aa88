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
package io.lockstarter.quorum;

import java.time.Duration;

import io.lockstarter.store.LockStore.Acquire;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that an owner id has one time after the other.
 */
class HeldKeysTest {

	private final HeldKeys keys = new HeldKeys();

	@Test
	void lateNewsOfTheHoldBeforeDoNotEndTheNext() {
		Acquire command = new Acquire("k", "a", "a:1", Duration.ofSeconds(1), false, 10);
		HeldKey first = this.keys.add(command, 3, 3, 0, 0);
		this.keys.remove("k", "a:1");
		HeldKey second = this.keys.add(command, 5, 5, 0, 0);
		this.keys.remove("k", "a:1", first);
		assertThat(this.keys.get("k", "a:1")).isSameAs(second);
		assertThat(second.isOver(0)).isFalse();
		this.keys.remove("k", "a:1", second);
		assertThat(this.keys.get("k", "a:1")).isNull();
		assertThat(second.isOver(0)).isTrue();
	}

}
