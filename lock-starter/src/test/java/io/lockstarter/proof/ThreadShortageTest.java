// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM that can start no thread for a while loses a lease.
 */
@Tag("proof")
class ThreadShortageTest {

	private final RedisServer redis = RedisServers.start();

	private final JvmProcess holder = JvmProcess.launch(ThreadLimit.launcher(0), LockingApplication.class,
			this.redis.port());

	@AfterEach
	void close() {
		this.holder.close();
		this.redis.close();
	}

	@Test
	void keyOfALeaseThatWasLostWithoutThreadsCanBeAcquiredAgain() {
		assumeThat(ThreadLimit.isAvailable()).as("the system obeys limits on threads").isTrue();
		this.holder.await("ready");
		acquire();
		Runnable end = ThreadLimit.stopThreads(this.holder, 0);
		await().until(() -> {
			this.holder.send("check");
			return this.holder.await("valid").equals("false");
		});
		end.run();
		acquire();
	}

	private void acquire() {
		this.holder.send("acquire-unrenewed key PT1S PT1S");
		assertThat(this.holder.await("acquired")).as("the token").isNotEmpty();
	}

}
