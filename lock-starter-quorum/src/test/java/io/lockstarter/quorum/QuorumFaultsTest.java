// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three real servers, some of which are killed, frozen, or started anew without their
 * memory.
 */
@Tag("proof")
class QuorumFaultsTest {

	private static final Duration TTL = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration SOON = Duration.ofMillis(300);

	/** Later than what is asked while a server abstains. */
	private static final Duration LATER = Duration.ofSeconds(2);

	private final String key = "faults:" + UUID.randomUUID();

	private Servers servers;

	private LockStore first;

	private LockStore second;

	/**
	 * Start servers.
	 * @param abstention for how long a server that is started anew grants nothing
	 */
	private void start(Duration abstention) {
		this.servers = new Servers(3, abstention);
		this.first = this.servers.store();
		this.second = this.servers.store();
		this.servers.awaitReady(this.first);
		this.servers.awaitReady(this.second);
	}

	@AfterEach
	void stop() {
		this.servers.close();
	}

	@Test
	void aServerThatIsKilledIsOutvoted() {
		start(SOON);
		this.servers.get(0).kill();
		turns();
	}

	@Test
	void aServerThatIsFrozenIsOutvoted() {
		start(SOON);
		this.servers.get(1).pause();
		try {
			turns();
		}
		finally {
			this.servers.get(1).resume();
		}
	}

	@Test
	void aMajorityThatIsDownIsAFailureAndLeavesNoOrphan() {
		start(SOON);
		this.servers.get(0).kill();
		this.servers.get(1).kill();
		CompletableFuture<AcquireReply> acquisition = this.first.acquire(command("a:1"));
		assertThat(acquisition).failsWithin(PATIENCE)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
		await().atMost(PATIENCE).until(() -> holder(2) == null);
	}

	@Test
	void aServerThatIsStartedWithoutItsMemoryDoesNotHelpASecondHolder() {
		start(LATER);
		this.servers.get(2).kill();
		assertThat(acquire(this.first, "a:1")).isInstanceOf(Acquired.class);
		this.servers.get(2).start();
		this.servers.get(1).restartEmpty();
		// The second and the third have no lock now, and are a majority.
		assertThat(holder(1)).isNull();
		assertThat(holder(2)).isNull();
		assertThat(this.second.acquire(command("b:1")).handle((reply, failure) -> reply instanceof Acquired))
			.succeedsWithin(PATIENCE)
			.isEqualTo(false);
		assertThat(holder(0)).isEqualTo("a:1");
	}

	@Test
	void tokensGrowOverServersThatAreKilledAndStartedAnew() {
		start(SOON);
		long last = 0;
		for (int round = 0; round < 6; round++) {
			int down = round % 3;
			this.servers.get(down).kill();
			LockStore store = (round % 2 == 0) ? this.first : this.second;
			String owner = ((round % 2 == 0) ? "a:" : "b:") + round;
			Acquired acquired = (Acquired) await().atMost(PATIENCE)
				.until(() -> tried(store, owner), Acquired.class::isInstance);
			assertThat(acquired.firstToken()).isGreaterThan(last);
			last = acquired.lastToken();
			store.release(new Release(this.key, owner.substring(0, 1), owner, false)).join();
			this.servers.get(down).start();
		}
	}

	private Object tried(LockStore store, String owner) {
		return store.acquire(command(owner)).handle((reply, failure) -> (failure != null) ? failure : reply).join();
	}

	private void turns() {
		IntStream.range(0, 10).forEach((turn) -> {
			LockStore store = (turn % 2 == 0) ? this.first : this.second;
			String owner = ((turn % 2 == 0) ? "a:" : "b:") + turn;
			assertThat(acquire(store, owner)).isInstanceOf(Acquired.class);
			assertThat(store.renew(List.of(new Renew(this.key, owner, TTL)))).succeedsWithin(PATIENCE)
				.isEqualTo(List.of(true));
			assertThat(store.release(new Release(this.key, owner.substring(0, 1), owner, false)))
				.succeedsWithin(PATIENCE)
				.isEqualTo(true);
		});
	}

	private AcquireReply acquire(LockStore store, String owner) {
		CompletableFuture<AcquireReply> reply = store.acquire(command(owner));
		assertThat(reply).succeedsWithin(PATIENCE);
		return reply.join();
	}

	private Acquire command(String owner) {
		return new Acquire(this.key, owner.substring(0, 1), owner, TTL, false, 10);
	}

	private String holder(int node) {
		return this.servers.get(node).commands().get("{lock}lock:" + this.key);
	}

}
