// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Redis that hangs is still connected to, as the kernel does that for it, and never
 * says a word. Then the address that clients know moves to another one.
 */
@Tag("proof")
class HangingServerTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private static final Duration BOUND = Duration.ofSeconds(10);

	private final RedisServer hanging = RedisServers.start();

	private final RedisServer healthy = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.hanging.port());

	private final Instance instance = new Instance(this.proxy.port(),
			Instance.settings(Duration.ofMillis(500), Duration.ofSeconds(1)));

	@AfterEach
	void close() {
		this.hanging.resume();
		this.instance.close();
		this.proxy.close();
		this.healthy.close();
		this.hanging.close();
	}

	@Test
	void reconnectThatGetsNoAnswerIsGivenUpAndTheMovedAddressFound() {
		await().until(this::isUsable);
		this.hanging.pause();
		this.proxy.reset();
		await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(20)).until(() -> !isUsable());
		assertThat(recovery()).isLessThan(BOUND);
	}

	@Test
	void firstConnectionThatGetsNoAnswerIsGivenUpAndTheMovedAddressFound() {
		this.hanging.pause();
		CompletableFuture<Lease> first = this.instance.registry().acquireAsync("first", ONCE);
		await().until(() -> this.proxy.connections() > 0);
		assertThat(recovery()).isLessThan(BOUND);
		// It may have waited for the connection, or been told in the meantime.
		assertThat(first.handle((lease, failure) -> true)).succeedsWithin(BOUND);
	}

	private Duration recovery() {
		this.proxy.lead(this.healthy.port());
		long begin = System.nanoTime();
		await().atMost(Duration.ofSeconds(90)).until(this::isUsable);
		Duration recovery = Duration.ofNanos(System.nanoTime() - begin);
		System.out.printf("Hung in the handshake: lock again %d ms after the address moved%n", recovery.toMillis());
		return recovery;
	}

	private boolean isUsable() {
		try {
			return this.instance.registry().call("stock:42", ONCE, (scope) -> true);
		}
		catch (LockStoreException ex) {
			return false;
		}
		catch (LockNotAcquiredException ex) {
			// By an attempt of before whose reply was lost, until that was released.
			return false;
		}
	}

}
