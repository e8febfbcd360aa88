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
package io.lockstarter.proof;

import java.time.Duration;

import io.lockstarter.LockOptions;

/**
 * A JVM that holds a lock of ours together with one of each other kind, until it is
 * killed.
 */
final class MigratingApplication {

	private MigratingApplication() {
	}

	/**
	 * Hold locks.
	 * @param args port of Redis
	 */
	public static void main(String... args) throws InterruptedException {
		var commands = JvmProcess.listenToParent();
		try (Instance instance = new Instance(Integer.parseInt(args[0]), MigrationTest.rules())) {
			LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(3));
			for (OldClient.Kind kind : OldClient.Kind.values()) {
				instance.registry().acquire(kind.key(kind.name()), options);
			}
			System.out.println("holding");
			commands.take();
		}
	}

}
