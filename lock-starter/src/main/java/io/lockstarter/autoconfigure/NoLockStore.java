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
package io.lockstarter.autoconfigure;

import io.lockstarter.LockSetupException;

/**
 * Creates the exceptions for a lock store that cannot be configured.
 */
final class NoLockStore {

	private NoLockStore() {
	}

	static LockSetupException lettuceMissing() {
		return failure("Distributed locks have no store: Spring Data Redis with Lettuce is not on the class path",
				"Add spring-boot-starter-data-redis, define a LockStore bean");
	}

	static LockSetupException noConnectionFactory() {
		return failure("Distributed locks have no store: there is no RedisConnectionFactory bean",
				"Set 'spring.data.redis.*' so that Spring Boot defines one (its Redis auto-configuration must be on the "
						+ "class path and not be excluded), define a LettuceConnectionFactory bean");
	}

	static LockSetupException ambiguous(Iterable<String> names) {
		return failure(
				"Distributed locks cannot tell which Redis is theirs: there are several RedisConnectionFactory beans ('"
						+ String.join("', '", names) + "') and none is primary",
				"Mark one as @Primary, define a LockStore bean with the one to use");
	}

	static LockSetupException notLettuce(Class<?> type) {
		return failure("Distributed locks need Lettuce: the RedisConnectionFactory bean is a " + type.getName(),
				"Define a LettuceConnectionFactory bean (with spring-boot-starter-data-redis: leave out Jedis, or set "
						+ "'spring.data.redis.client-type=lettuce')");
	}

	static LockSetupException cluster() {
		return failure("Distributed locks cannot live in a Redis Cluster",
				"Define a LockStore bean with a LettuceConnectionFactory for a single Redis or for Sentinel");
	}

	private static LockSetupException failure(String problem, String remedy) {
		return new LockSetupException(problem,
				remedy + ", or set 'distributed-lock.store=memory' for locks within this JVM only", null);
	}

}
