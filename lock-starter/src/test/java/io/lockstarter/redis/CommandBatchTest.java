// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of commands that share a call of the script.
 */
class CommandBatchTest {

	private static final int MANY = 1_000;

	private static RedisServer server;

	private final String key = "batch-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void manyCommandsTakeFewerCalls() {
		try (TestStore store = new TestStore(server)) {
			store.take(this.key, "a:0");
			store.redis().configResetstat();
			List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				replies.add(store.acquire(this.key + i, "a:" + i, false));
			}
			assertThat(replies).allSatisfy((reply) -> assertThat(value(reply)).isInstanceOf(Acquired.class));
			String stats = store.redis().info("commandstats");
			int calls = Integer.parseInt(stats.replaceAll("(?s).*cmdstat_evalsha:calls=(\\d+).*", "$1"));
			assertThat(calls).isBetween(MANY / 64, MANY - 1);
		}
	}

	@Test
	void commandsOfAKeyTakeEffectInTheirOrder() {
		try (TestStore store = new TestStore(server)) {
			List<CompletableFuture<?>> replies = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				String owner = "a:" + i;
				replies.add(store.acquire(this.key, owner, false).thenApply(Acquired.class::isInstance));
				replies.add(store.store()
					.renew(List.of(new Renew(this.key, owner, TestStore.TTL)))
					.thenApply((held) -> held.get(0)));
				replies.add(store.release(this.key, owner, false));
			}
			assertThat(replies).allSatisfy((reply) -> assertThat(value(reply)).isEqualTo(true));
		}
	}

	@Test
	void commandThatIsRefusedLeavesTheOthersAlone() {
		try (TestStore store = new TestStore(server)) {
			store.redis().lpush("{lock}lock:" + this.key + "list", "theirs");
			CompletableFuture<?> before = store.acquire(this.key + "before", "a:1", false);
			CompletableFuture<?> refused = store.acquire(this.key + "list", "a:2", true);
			CompletableFuture<?> after = store.acquire(this.key + "after", "a:3", false);
			assertThat(failure(refused)).hasMessageContaining("refused to acquire " + this.key + "list: ")
				.hasMessageContaining("WRONGTYPE")
				.hasMessageNotContaining("before");
			assertThat(failure(refused).isOutcomeUnknown()).isFalse();
			assertThat(value(before)).isInstanceOf(Acquired.class);
			assertThat(value(after)).isInstanceOf(Acquired.class);
		}
	}

	@Test
	void commandThatIsRefusedDoesNotHaveTheOthersExecutedTwice() {
		try (TestStore store = new TestStore(server)) {
			store.redis().lpush("{lock}lock:" + this.key + "list", "theirs");
			for (int i = 0; i < 50; i++) {
				store.take(this.key + i, "a:" + i);
			}
			List<CompletableFuture<Boolean>> released = new ArrayList<>();
			List<CompletableFuture<?>> refused = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				released.add(store.release(this.key + i, "a:" + i, false));
				refused.add(store.acquire(this.key + "list", "b:" + i, false));
			}
			// a second execution would find nothing to release
			assertThat(released).allSatisfy((reply) -> assertThat(value(reply)).isEqualTo(true));
			assertThat(refused).allSatisfy((reply) -> assertThat(failure(reply)).hasMessageContaining("WRONGTYPE"));
		}
	}

	@Test
	void commandThatHasTheWholeCallRefusedLeavesTheOthersAlone() {
		try (TestStore store = TestStore.withAcl(server, "some", "resetkeys", "~{lock}*:" + this.key + "mine*",
				"~{lock}fence", "~{lock}server")) {
			List<CompletableFuture<AcquireReply>> granted = new ArrayList<>();
			List<CompletableFuture<AcquireReply>> refused = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				granted.add(store.acquire(this.key + "mine" + i, "a:1" + i, false));
				refused.add(store.acquire(this.key + "theirs" + i, "a:2" + i, false));
			}
			assertThat(granted).allSatisfy((reply) -> assertThat(value(reply)).isInstanceOf(Acquired.class));
			assertThat(refused).allSatisfy((reply) -> {
				assertThat(failure(reply)).hasMessageContaining("NOPERM");
				assertThat(failure(reply).isOutcomeUnknown()).isFalse();
			});
		}
	}

	@Test
	void commandsAreExecutedAlthoughTheServerForgotTheScript() {
		try (TestStore store = new TestStore(server)) {
			store.take(this.key, "a:0");
			store.redis().scriptFlush();
			List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				replies.add(store.acquire(this.key + i, "a:" + i, false));
			}
			assertThat(replies).allSatisfy((reply) -> assertThat(value(reply)).isInstanceOf(Acquired.class));
		}
	}

	@Test
	void cancelledCommandIsLeftOut() {
		try (TestStore store = new TestStore(server)) {
			CompletableFuture<?> before = store.acquire(this.key + "before", "a:1", false);
			CompletableFuture<?> cancelled = store.acquire(this.key + "cancelled", "a:2", false);
			CompletableFuture<?> after = store.acquire(this.key + "after", "a:3", false);
			cancelled.cancel(false);
			assertThat(value(before)).isInstanceOf(Acquired.class);
			assertThat(value(after)).isInstanceOf(Acquired.class);
			assertThat(Duration.ofMillis(store.redis().pttl("{lock}lock:" + this.key + "after"))).isPositive();
			assertThat(store.redis().exists("{lock}lock:" + this.key + "cancelled")).isZero();
		}
	}

}
