// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances were restored from one state, of a JVM or of a machine: they were given
 * the same id and have counted equally far.
 */
class SnapshotCloneTest {

	private static final String KEY = "stock:42";

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	@Test
	void instancesWithTheSameIdExcludeEachOther() throws InterruptedException {
		try (RedisServer redis = RedisServers.start();
				Instance original = new Instance("clone", redis.port());
				Instance copy = new Instance("clone", redis.port())) {
			for (int i = 0; i < 3; i++) {
				Lease held = original.registry().acquire(KEY, ONCE);
				assertThat(copy.registry().tryAcquire(KEY, ONCE)).as("the copy, while the original holds").isEmpty();
				assertThat(held.releaseAsync().join()).isTrue();
				Lease next = copy.registry().acquire(KEY, ONCE);
				assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
				assertThat(original.registry().tryAcquire(KEY, ONCE)).as("the original, while the copy holds")
					.isEmpty();
				assertThat(next.releaseAsync().join()).isTrue();
			}
		}
	}

	/**
	 * The snapshot may be taken of a registry that was stopped, and is started in each
	 * copy.
	 */
	@Test
	void instancesThatWereStartedAgainExcludeEachOther() throws InterruptedException {
		try (RedisServer redis = RedisServers.start();
				Instance original = new Instance("clone", redis.port());
				Instance copy = new Instance("clone", redis.port())) {
			original.registry().stop();
			copy.registry().stop();
			original.registry().start();
			copy.registry().start();
			Lease held = original.registry().acquire(KEY, ONCE);
			assertThat(copy.registry().tryAcquire(KEY, ONCE)).isEmpty();
			held.close();
		}
	}

}
