// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Another JVM retains keys that it has released, and is killed, or stopped, or asked to
 * give them back.
 */
@Tag("proof")
class RetainedKeyTest {

	private static final String KEY = "session:42";

	private static final int TRIES = 100;

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final RedisServer redis = RedisServers.start();

	private final JvmProcess retaining = JvmProcess.start(LockingApplication.class, this.redis.port());

	private final Instance other = new Instance(this.redis.port());

	private final DefaultLockRegistry registry = this.other.registry();

	@BeforeEach
	void start() throws InterruptedException {
		this.retaining.await("ready");
		this.registry.acquire("warm-up", ONCE).close();
	}

	@AfterEach
	void close() {
		this.retaining.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void whoeverTriesOnceGetsWhatNobodyUses() throws InterruptedException {
		int got = 0;
		for (int i = 0; i < TRIES; i++) {
			long token = retain(KEY + i, "PT60S");
			Optional<Lease> lease = this.registry.tryAcquire(KEY + i, ONCE);
			lease.ifPresent((granted) -> assertThat(granted.fencingToken()).isGreaterThan(token));
			got += lease.isPresent() ? 1 : 0;
			lease.ifPresent(Lease::close);
		}
		// An answer that takes more than 100 ms is a matter of the machine.
		assertThat(got).as("of %d tries", TRIES).isGreaterThan(TRIES * 9 / 10);
	}

	@Test
	void whoeverWaitsGetsItLongBeforeItsTimeEnds() throws InterruptedException {
		long token = retain(KEY, "PT60S");
		long begin = System.nanoTime();
		try (Lease lease = this.registry.acquire(KEY, LockOptions.defaults())) {
			assertThat(lease.fencingToken()).isGreaterThan(token);
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
		}
	}

	@Test
	void keysOfAnInstanceThatIsKilledStayForTheirTtl() throws InterruptedException {
		long token = retain(KEY, "PT5S");
		this.retaining.kill();
		assertThat(this.registry.tryAcquire(KEY, ONCE)).isEmpty();
		try (Lease lease = this.registry.acquire(KEY, LockOptions.defaults())) {
			assertThat(lease.fencingToken()).isGreaterThan(token);
		}
	}

	@Test
	void instanceThatIsStoppedBeyondTheTtlUsesNothingThatItRetained() throws InterruptedException {
		long token = retain(KEY, "PT5S");
		this.retaining.pause();
		try (Lease lease = this.registry.acquire(KEY, LockOptions.defaults())) {
			assertThat(lease.fencingToken()).isGreaterThan(token);
			this.retaining.resume();
			this.retaining.send("acquire " + KEY + " PT1S PT0S");
			assertThat(this.retaining.await("busy")).isNotNull();
			assertThat(lease.isValid()).isTrue();
		}
	}

	/**
	 * Let the other JVM use a key and retain it.
	 * @return its last token
	 */
	private long retain(String key, String ttl) {
		this.retaining.send("retain " + key + " " + ttl + " " + (ttl.equals("PT5S") ? "PT2.4S" : "PT25S"));
		return Long.parseLong(this.retaining.await("retained"));
	}

}
