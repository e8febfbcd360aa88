// SPDX-License-Identifier: Apache-2.0
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
		try (Instance instance = new Instance(Integer.parseInt(args[0]), MigrationTest.settings())) {
			LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(3));
			for (OldClient.Kind kind : OldClient.Kind.values()) {
				instance.registry().acquire(kind.key(kind.name()), options);
			}
			System.out.println("holding");
			commands.take();
		}
	}

}
