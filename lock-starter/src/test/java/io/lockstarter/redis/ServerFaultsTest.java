// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import io.lockstarter.testkit.TcpProxy;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of what comes of it when Redis refuses, forgets, hangs or restarts.
 */
class ServerFaultsTest {

	@Test
	void outOfMemoryRefusesAcquisitionsButNeitherRenewalNorReleaseNorHandOver() {
		try (RedisServer server = RedisServers.start("--maxmemory-policy", "noeviction");
				TestStore store = new TestStore(server)) {
			Recorder next = store.listen("next");
			store.take("k", "a:1");
			store.take("l", "a:2");
			store.findBusy("l", "next:1", true);
			store.redis().configSet("maxmemory", "100kb");
			refused(store.acquire("m", "a:3", false), "OOM");
			refused(store.acquire("k", "b:1", true), "OOM");
			assertThat(store.renew("k", "a:1")).isTrue();
			assertThat(store.release("k", "a:1")).isTrue();
			assertThat(value(store.release("l", "a:2", true))).isTrue();
			next.awaitEvent("reserved l");
			assertThat(store.redis().exists("{lock}lock:k", "{lock}lock:m")).isZero();
		}
	}

	@Test
	void connectionToAServerWithoutMemoryRenewsAndReleasesAndAcquiresOnceThereIsMemory() {
		try (RedisServer server = RedisServers.start("--maxmemory-policy", "noeviction");
				TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			store.redis().del("{lock}server");
			store.redis().configSet("maxmemory", "100kb");
			store.redis().clientKill(KillArgs.Builder.typeNormal());
			assertThat(store.renew("k", "a:1")).isTrue();
			refused(store.acquire("l", "a:2", false), "OOM");
			assertThat(store.release("k", "a:1")).isTrue();
			store.redis().configSet("maxmemory", "0");
			store.take("l", "a:3");
		}
	}

	@Test
	void serverThatBecameAReplicaIsLeftUntilItIsAPrimaryAgain() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			store.redis().replicaof("127.0.0.1", RedisServers.freePort());
			LockStoreException failure = failure(store.acquire("l", "a:2", false));
			assertThat(failure).hasMessageContaining("Cannot acquire l")
				.hasMessageContaining("the server is a replica, which takes no writes");
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(failure.isTransient()).isTrue();
			store.redis().replicaofNoOne();
			assertThat(store.redis().exists("{lock}lock:l")).isZero();
			assertThat(eventually(() -> store.release("k", "a:1"))).isTrue();
		}
	}

	@Test
	void primaryWithoutEnoughReplicasRefusesAcquisitions() {
		try (RedisServer server = RedisServers.start("--min-replicas-to-write", "1");
				TestStore store = new TestStore(server)) {
			LockStoreException failure = failure(store.acquire("k", "a:1", false));
			assertThat(failure).hasMessageContaining("acquire k").hasMessageContaining("NOREPLICAS");
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(failure.isTransient()).isTrue();
		}
	}

	@Test
	void flushedScriptsAreNotMissed() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			for (int i = 0; i < 10; i++) {
				store.redis().scriptFlush();
				store.take("k", "a:1");
				store.redis().scriptFlush();
				assertThat(store.renew("k", "a:1")).isTrue();
				store.redis().scriptFlush();
				assertThat(store.release("k", "a:1")).isTrue();
			}
		}
	}

	@Test
	void scriptsAreSentOnlyOnce() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			Map<String, Integer> calls = store.callsDuring(() -> store.take("k", "a:1"));
			assertThat(calls).doesNotContainKeys("eval", "script");
		}
	}

	@Test
	void userWhoMayNotRunScriptsIsRefused() {
		try (RedisServer server = RedisServers.start();
				TestStore store = TestStore.withAcl(server, "scriptless", "-@scripting")) {
			LockStoreException failure = refused(store.acquire("k", "a:1", false), "NOPERM");
			assertThat(failure).hasMessageContaining("evalsha");
		}
	}

	@Test
	void userWhoMayNotLoadScriptsSendsThem() {
		try (RedisServer server = RedisServers.start();
				TestStore store = TestStore.withAcl(server, "loadless", "-script")) {
			store.take("k", "a:1");
			assertThat(store.release("k", "a:1")).isTrue();
		}
	}

	@Test
	void endlessScriptOfAnotherClientRefusesCommands() {
		try (RedisServer server = RedisServers.start("--lua-time-limit", "50");
				TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			CompletableFuture<Object> endless = server.connection()
				.async()
				.eval("while true do end", ScriptOutputType.VALUE)
				.toCompletableFuture();
			soon().until(() -> store.acquire("l", "a:2", false).handle((reply, failure) -> failure != null).join());
			refused(store.acquire("l", "a:2", false), "BUSY");
			try (RedisConnection killer = store.factory().getConnection()) {
				killer.scriptingCommands().scriptKill();
			}
			assertThat(catchThrowable(endless::join)).hasCauseInstanceOf(RedisCommandExecutionException.class);
			store.take("l", "a:2");
		}
	}

	@Test
	void restartWithoutPersistenceLosesTheLockButNotTheOrderOfTokens() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			long before = store.take("k", "a:1").lastToken();
			server.restart();
			assertThat(eventually(() -> store.renew("k", "a:1"))).isFalse();
			assertThat(store.take("k", "b:1").firstToken()).isGreaterThan(before);
		}
	}

	@Test
	void restartWithPersistenceKeepsTheLock() {
		try (RedisServer server = RedisServers.start("--appendonly", "yes", "--appendfsync", "always");
				TestStore store = new TestStore(server)) {
			long before = store.take("k", "a:1").lastToken();
			server.restart();
			assertThat(eventually(() -> store.renew("k", "a:1"))).isTrue();
			assertThat(store.release("k", "a:1")).isTrue();
			assertThat(store.take("k", "b:1").firstToken()).isGreaterThan(before);
		}
	}

	@Test
	void releaseWhoseReplyWasLostIsUnknownAlthoughItsRepetitionFoundNothing() {
		LockStoreException failure = failureAfterALostReply((store) -> store.release("k", "a:1", false));
		assertThat(failure).hasMessageContaining("release k").hasMessageContaining("it may have been done");
		assertThat(failure.isOutcomeUnknown()).isTrue();
	}

	@Test
	void minimumHoldWhoseReplyWasLostIsUnknownAlthoughItsRepetitionFoundNothing() {
		LockStoreException failure = failureAfterALostReply((store) -> store.keep("k", "a:1", Duration.ofMillis(1)));
		assertThat(failure.isOutcomeUnknown()).isTrue();
	}

	/**
	 * Send a command that lets a key go, and lose the reply to its first execution.
	 */
	private static LockStoreException failureAfterALostReply(Function<TestStore, CompletableFuture<Boolean>> command) {
		try (RedisServer server = RedisServers.start();
				TcpProxy proxy = new TcpProxy(server);
				TestStore store = TestStore.over(proxy, server)) {
			store.take("k", "a:1");
			proxy.swallowReplies(true);
			CompletableFuture<Boolean> answer = command.apply(store);
			soon().until(() -> store.redis().exists("{lock}lock:k") == 0);
			proxy.swallowReplies(false);
			proxy.disconnect();
			return failure(answer);
		}
	}

	@Test
	void acquisitionWhoseReplyWasLostIsRepeatedAndHeld() {
		try (RedisServer server = RedisServers.start();
				TcpProxy proxy = new TcpProxy(server);
				TestStore store = TestStore.over(proxy, server)) {
			store.take("other", "a:1");
			proxy.swallowReplies(true);
			CompletableFuture<?> acquisition = store.acquire("k", "a:2", false);
			soon().until(() -> store.redis().exists("{lock}lock:k") == 1);
			proxy.swallowReplies(false);
			proxy.disconnect();
			assertThat(value(acquisition)).isInstanceOf(Acquired.class);
			assertThat(store.release("k", "a:2")).isTrue();
		}
	}

	@Test
	void commandWhoseConnectionWasResetIsRepeated() {
		try (RedisServer server = RedisServers.start();
				TcpProxy proxy = new TcpProxy(server);
				TestStore store = TestStore.over(proxy, server)) {
			store.take("other", "a:1");
			proxy.swallowReplies(true);
			CompletableFuture<?> acquisition = store.acquire("k", "a:2", false);
			soon().until(() -> store.redis().exists("{lock}lock:k") == 1);
			proxy.swallowReplies(false);
			proxy.reset();
			assertThat(value(acquisition)).isInstanceOf(Acquired.class);
		}
	}

	private static <T> T eventually(Callable<T> command) {
		return soon().ignoreExceptions().until(command, (reply) -> reply != null);
	}

	private static LockStoreException refused(CompletableFuture<?> reply, String error) {
		LockStoreException failure = failure(reply);
		assertThat(failure).hasMessageStartingWith("Redis refused to ").hasMessageContaining(error);
		assertThat(failure.isOutcomeUnknown()).isFalse();
		return failure;
	}

}
