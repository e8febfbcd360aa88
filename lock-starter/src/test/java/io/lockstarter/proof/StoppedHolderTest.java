// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The JVM of a holder is stopped for longer than its ttl, and wakes up. More often with
 * {@code -Dproof.pauses=100}.
 */
@Tag("proof")
class StoppedHolderTest {

	private static final int PAUSES = Integer.getInteger("proof.pauses", 3);

	private static final String KEY = "stock:42";

	private final RedisServer redis = RedisServers.start();

	private final JvmProcess stopped = JvmProcess.start(LockingApplication.class, this.redis.port());

	private final Instance successor = new Instance(this.redis.port());

	private long staleToken;

	private Lease lease;

	@BeforeEach
	void stopHolderUntilAnotherHasTheKey() throws InterruptedException {
		this.stopped.await("ready");
		this.stopped.send("acquire " + KEY + " PT1S PT0S");
		this.staleToken = Long.parseLong(this.stopped.await("acquired"));
		this.stopped.pause();
		this.lease = this.successor.registry().acquire(KEY, LockOptions.defaults());
	}

	@AfterEach
	void close() {
		this.stopped.close();
		this.successor.close();
		this.redis.close();
	}

	@Test
	void leaseIsLostBeforeAnyCallAnswersHeld() {
		// the first thing that it reads when it wakes up
		this.stopped.send("check");
		this.stopped.resume();
		assertThat(this.stopped.await("valid")).isEqualTo("false");
	}

	/**
	 * Asked without a pause, it says "held" before it was stopped, and never after that.
	 */
	@Test
	void noCallAnswersHeldOnceAnotherHasTheKey() throws InterruptedException {
		this.stopped.resume();
		this.lease.close();
		List<Duration> margins = new ArrayList<>();
		for (int i = 0; i < PAUSES; i++) {
			this.stopped.send("acquire " + KEY + " PT0.3S PT10S");
			this.stopped.await("acquired");
			this.stopped.send("watch");
			this.stopped.await("watching");
			this.stopped.pause();
			try (Lease next = this.successor.registry().acquire(KEY, LockOptions.defaults())) {
				long granted = System.nanoTime();
				this.stopped.resume();
				long held = Long.parseLong(this.stopped.await("held"));
				assertThat(held).as("the last call that said held, and the next grant").isLessThan(granted);
				margins.add(Duration.ofNanos(granted - held));
				assertThat(next.isValid()).isTrue();
			}
		}
		System.out.printf("Holder stopped: from the last call that said held to the next holder, %s%n",
				new Figures(margins));
	}

	@Test
	void itsReleaseItsRenewalAndItsTokenDoNotTouchTheSuccessor() {
		FencedResource resource = new FencedResource();
		assertThat(resource.write(this.lease.fencingToken())).isTrue();
		String owner = this.redis.commands().get("{lock}lock:stock:42");
		long remaining = this.redis.commands().pttl("{lock}lock:stock:42");
		this.stopped.send("release");
		this.stopped.resume();
		assertThat(this.stopped.await("released")).isEqualTo("false");
		assertThat(resource.write(this.staleToken)).isFalse();
		assertThat(this.redis.commands().get("{lock}lock:stock:42")).isEqualTo(owner).startsWith(this.successor.id());
		// The other one would have set it to its own, which is far shorter.
		assertThat(this.redis.commands().pttl("{lock}lock:stock:42")).isBetween(remaining - 10_000, remaining);
		assertThat(this.lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
	}

	/**
	 * A resource that refuses a smaller token than it has seen.
	 */
	private static final class FencedResource {

		private long seen;

		boolean write(long token) {
			if (token < this.seen) {
				return false;
			}
			this.seen = token;
			return true;
		}

	}

}
