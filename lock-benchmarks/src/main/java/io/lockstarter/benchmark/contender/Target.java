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
package io.lockstarter.benchmark.contender;

import java.time.Duration;

/**
 * Where and how to lock.
 *
 * @param port the port of Redis on 127.0.0.1
 * @param ttl how long a lock outlives its holder
 */
public record Target(int port, Duration ttl) {

	static final String HOST = "127.0.0.1";

	private static final int NEVER_OUTLIVED = 20;

	/**
	 * Return a ttl for locks that are not renewed: their users have to choose one that no
	 * section outlives.
	 * @return a long ttl
	 */
	Duration longTtl() {
		return this.ttl.multipliedBy(NEVER_OUTLIVED);
	}

}
