// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The process of the holder runs for short spells only, as the one of a container that
 * has used up its share of the processor: many pauses, each far shorter than the ttl.
 */
@Tag("proof")
class ThrottledHolderTest {

	private static final Duration TTL = Duration.ofSeconds(4);

	private static final Duration STOPPED = Duration.ofMillis(70);

	private static final Duration RUNNING = Duration.ofMillis(20);

	private final RedisServer redis = RedisServers.start();

	private final JvmProcess holder = JvmProcess.start(LockingApplication.class, this.redis.port());

	@AfterEach
	void close() {
		this.holder.close();
		this.redis.close();
	}

	@Test
	void holderThatRunsForAFractionOfTheTimeKeepsItsLock() {
		this.holder.await("ready");
		this.holder.send("acquire stock:42 " + TTL + " PT0S");
		this.holder.await("acquired");
		String owner = this.redis.commands().get("{lock}lock:stock:42");
		long begin = System.nanoTime();
		int pauses = 0;
		while (System.nanoTime() - begin < TTL.multipliedBy(2).toNanos()) {
			this.holder.pause();
			LockSupport.parkNanos(STOPPED.toNanos());
			this.holder.resume();
			LockSupport.parkNanos(RUNNING.toNanos());
			pauses++;
		}
		System.out.printf("Throttled holder: %d pauses in %d s%n", pauses, TTL.multipliedBy(2).toSeconds());
		this.holder.send("check");
		assertThat(this.holder.await("valid")).isEqualTo("true");
		assertThat(this.redis.commands().get("{lock}lock:stock:42")).isEqualTo(owner);
	}

}
