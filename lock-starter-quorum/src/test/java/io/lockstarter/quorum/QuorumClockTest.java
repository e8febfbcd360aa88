// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServers;
import io.lockstarter.testkit.ServerClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three real servers, the clock of one of which is set.
 */
@Tag("proof")
class QuorumClockTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final String key = "clock:" + UUID.randomUUID();

	private final ServerClock clock = new ServerClock();

	private final Servers servers = new Servers(3, Duration.ofSeconds(40), Duration.ofSeconds(3),
			(node) -> (node == 1) ? RedisServers.startOldest(this.clock.environment()) : RedisServers.start());

	private final LockStore first = this.servers.store();

	private final LockStore second = this.servers.store();

	@BeforeEach
	void letAllVote() {
		for (LockStore store : List.of(this.first, this.second)) {
			await().atMost(Duration.ofSeconds(30)).until(() -> {
				IntStream.range(0, 3).forEach((node) -> this.servers.get(node).commands().del("{lock}joining"));
				return acquire(store, "x:1") instanceof Acquired;
			});
			assertThat(store.release(new Release(this.key, "x", "x:1", false)).join()).isTrue();
		}
	}

	@AfterEach
	void stop() {
		this.servers.close();
		this.clock.close();
	}

	@Test
	void holderWhoseVoteExpiresEarlyIsToldAndFenced() {
		this.servers.get(2).pause();
		Object held = acquire(this.first, "a:1");
		assertThat(held).isInstanceOf(Acquired.class);
		this.clock.step(TTL.plusSeconds(10));
		this.servers.get(2).resume();
		// The command that it was sent meanwhile never came.
		this.servers.get(2).commands().del("{lock}lock:" + this.key);
		await().until(() -> acquire(this.second, "b:1") instanceof Acquired next
				&& next.firstToken() > ((Acquired) held).firstToken());
		assertThat(this.first.renew(List.of(new Renew(this.key, "a:1", TTL))).join()).containsExactly(false);
	}

	@Test
	void locksGoOnBeingGranted() {
		this.clock.step(Duration.ofHours(1));
		for (int i = 0; i < 10; i++) {
			LockStore store = (i % 2 == 0) ? this.first : this.second;
			String owner = "a:" + i;
			assertThat(acquire(store, owner)).isInstanceOf(Acquired.class);
			assertThat(store.renew(List.of(new Renew(this.key, owner, TTL))).join()).containsExactly(true);
			assertThat(store.release(new Release(this.key, "a", owner, false)).join()).isTrue();
		}
	}

	@Test
	void clockThatIsSetBackChangesNothing() {
		this.clock.step(Duration.ofHours(-1));
		assertThat(acquire(this.first, "a:1")).isInstanceOf(Acquired.class);
		assertThat(acquire(this.second, "b:1")).isNotInstanceOf(Acquired.class);
	}

	private Object acquire(LockStore store, String owner) {
		Acquire command = new Acquire(this.key, owner.substring(0, 1), owner, TTL, false, 10);
		return store.acquire(command).handle((reply, failure) -> (failure != null) ? failure : reply).join();
	}

}
