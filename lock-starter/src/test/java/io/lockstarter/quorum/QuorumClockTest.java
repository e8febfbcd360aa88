// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServers;
import io.lockstarter.testkit.ServerClock;
import io.lockstarter.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;

/**
 * Three real servers, the clock of one of which is set.
 */
@Tag("proof")
class QuorumClockTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration ABSTENTION = Duration.ofSeconds(40);

	private final String key = "clock:" + UUID.randomUUID();

	private final ServerClock clock = new ServerClock();

	private final Servers servers = new Servers(3, ABSTENTION, Duration.ofSeconds(3),
			(node) -> (node == 1) ? RedisServers.startOldest(this.clock.environment()) : RedisServers.start());

	private final LockStore first = this.servers.store();

	private final LockStore second = this.servers.store();

	// Both must know what the clocks show, that of the node last whose clock is set: who
	// first sees another node after its last reply cannot tell that it was set. Nodes are
	// new, and abstain from when each of the stores connects.
	@BeforeEach
	void letAllVote() {
		letAllVote(this.first, this.second);
	}

	private void letAllVote(LockStore... stores) {
		for (int silent : List.of(1, 2)) {
			this.servers.get(silent).pause();
			try {
				for (LockStore store : stores) {
					lockAndUnlock(store, "x:" + store.hashCode(), silent);
				}
			}
			finally {
				this.servers.get(silent).resume();
			}
		}
	}

	private void lockAndUnlock(LockStore store, String owner, int silent) {
		await().atMost(Duration.ofSeconds(30)).until(() -> {
			IntStream.range(0, 3)
				.filter((node) -> node != silent)
				.forEach((node) -> this.servers.get(node).commands().del("{lock}joining"));
			return acquire(store, owner) instanceof Acquired;
		});
		assertThat(store.release(new Release(this.key, owner.substring(0, 1), owner, false)).join()).isTrue();
	}

	@AfterEach
	void stop() {
		this.servers.close();
		this.clock.close();
	}

	@ParameterizedTest
	@ValueSource(longs = { 40, 3600 })
	void nobodyGetsTheVoteOfAHolderWithABareMajority(long seconds) {
		setClockOfAHolderWithABareMajority(Duration.ofSeconds(seconds), this.second);
		await().until(() -> acquire(this.second, "b:9") != null
				&& this.servers.get(1).commands().exists("{lock}joining") == 1);
		assertThat(Duration.ofMillis(this.servers.get(1).commands().pttl("{lock}joining")))
			.isGreaterThan(ABSTENTION.minusSeconds(20));
	}

	/**
	 * When a reply comes, the next command was sent before the reply to the last one.
	 */
	@Test
	void nobodyGetsThatVoteWhileCommandsOverlap() {
		AtomicInteger sections = new AtomicInteger();
		AtomicBoolean ended = new AtomicBoolean();
		try (TcpProxy proxy = new TcpProxy(this.servers.get(1), Duration.ofMillis(20))) {
			LockStore slow = this.servers.store((server) -> (server == this.servers.get(1))
					? RedisURI.create(proxy.host(), proxy.port()) : RedisURI.create(server.host(), server.port()));
			letAllVote(slow);
			List<CompletableFuture<Void>> load = IntStream.range(0, 20)
				.mapToObj((number) -> load(slow, number, sections, ended))
				.toList();
			try {
				await().untilAtomic(sections, greaterThan(1000));
				setClockOfAHolderWithABareMajority(Duration.ofSeconds(40), slow);
				await().until(() -> this.servers.get(1).commands().exists("{lock}joining") == 1);
			}
			finally {
				ended.set(true);
				CompletableFuture.allOf(load.toArray(CompletableFuture<?>[]::new)).join();
			}
		}
	}

	private static CompletableFuture<Void> load(LockStore store, int number, AtomicInteger sections,
			AtomicBoolean ended) {
		String key = "load:" + UUID.randomUUID();
		CompletableFuture<Void> result = new CompletableFuture<>();
		class Section implements Runnable {

			@Override
			public void run() {
				if (ended.get()) {
					result.complete(null);
					return;
				}
				String owner = "l:" + number + "-" + sections.incrementAndGet();
				var unused = store.acquire(new Acquire(key, "l", owner, TTL, false, 10))
					.handle((reply, failure) -> reply)
					.thenCompose((reply) -> store.release(new Release(key, "l", owner, false)))
					.whenCompleteAsync((released, failure) -> run(),
							CompletableFuture.delayedExecutor(number % 7, TimeUnit.MILLISECONDS));
			}

		}
		new Section().run();
		return result;
	}

	private void setClockOfAHolderWithABareMajority(Duration step, LockStore other) {
		this.servers.get(2).pause();
		assertThat(acquire(this.first, "a:1")).isInstanceOf(Acquired.class);
		this.clock.step(step);
		this.servers.get(2).resume();
		// The command that it was sent meanwhile never came.
		this.servers.get(2).commands().del("{lock}lock:" + this.key);
		this.servers.get(0).pause();
		try {
			for (int i = 0; i < 5; i++) {
				assertThat(acquire(other, "b:" + i)).as("of the two that have no lock now")
					.isNotInstanceOf(Acquired.class);
			}
		}
		finally {
			this.servers.get(0).resume();
		}
	}

	@Test
	void locksGoOnBeingGrantedByTheOthers() {
		this.clock.step(Duration.ofHours(1));
		for (int i = 0; i < 10; i++) {
			LockStore store = (i % 2 == 0) ? this.first : this.second;
			String owner = "a:" + i;
			await().until(() -> acquire(store, owner) instanceof Acquired);
			assertThat(store.renew(List.of(new Renew(this.key, owner, TTL))).join()).containsExactly(true);
			assertThat(store.release(new Release(this.key, "a", owner, false)).join()).isTrue();
		}
		assertThat(this.servers.get(1).commands().exists("{lock}joining")).isOne();
	}

	@Test
	void clockThatIsSetBackChangesNothing() {
		this.clock.step(Duration.ofHours(-1));
		assertThat(acquire(this.first, "a:1")).isInstanceOf(Acquired.class);
		assertThat(acquire(this.second, "b:1")).isNotInstanceOf(Acquired.class);
		assertThat(this.servers.get(1).commands().exists("{lock}joining")).isZero();
	}

	private Object acquire(LockStore store, String owner) {
		Acquire command = new Acquire(this.key, owner.substring(0, 1), owner, TTL, false, 10);
		return store.acquire(command).handle((reply, failure) -> (failure != null) ? failure : reply).join();
	}

}
