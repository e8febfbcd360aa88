// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import io.lockstarter.testkit.TcpProxy;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acquisitions that replicas have to acknowledge, on a primary with one replica.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReplicaAcknowledgementTest {

	/** For what is to succeed. */
	private static final Duration LONG = Duration.ofSeconds(30);

	/** For what is to fail. */
	private static final Duration SHORT = Duration.ofMillis(200);

	private static RedisServer primary;

	private static RedisServer replica;

	private boolean stopped;

	@BeforeAll
	static void start() {
		primary = RedisServers.start("--repl-diskless-sync-delay", "0");
		replica = RedisServers.start("--replicaof", primary.host(), String.valueOf(primary.port()));
		awaitReplica();
	}

	@AfterAll
	static void stop() {
		replica.close();
		primary.close();
	}

	@AfterEach
	void resume() {
		if (this.stopped) {
			resumeReplica();
		}
		awaitReplica();
		primary.commands().flushall();
	}

	@Test
	void replicaHasTheLockWhenItIsAcquired() {
		try (TestStore store = store(1, LONG)) {
			for (int i = 0; i < 200; i++) {
				store.take("known" + i, "a:" + i);
				assertThat(replica.commands().get("{lock}lock:known" + i)).isEqualTo("a:" + i);
			}
		}
	}

	@Test
	void acquisitionThatNoReplicaAcknowledgesIsGivenBackAndFails(CapturedOutput output) {
		try (TestStore store = store(1, SHORT); TestStore patient = store(1, LONG)) {
			patient.take("before", "a:1");
			stopReplica();
			LockStoreException failure = failure(store.acquire("stock:42", "a:2", false));
			assertThat(failure).hasMessage("Redis acquired stock:42, but 0 of the required 1 replicas acknowledged it "
					+ "within 200 ms, so it was given back");
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(failure.isTransient()).isTrue();
			assertThat(output)
				.containsOnlyOnce("Redis acquired stock:42, but 0 of the required 1 replicas acknowledged "
						+ "it within 200 ms, so it is given back, and tried again as long as somebody waits for it. Look at "
						+ "the replicas, or lower 'distributed-lock.replicas-acknowledged'");
			assertThat(store.keys("{lock}lock:stock:42")).isEmpty();
			assertThat(store.release("before", "a:1")).as("needs no replica").isTrue();
			resumeReplica();
			value(retried(store, "stock:42"));
		}
	}

	@Test
	void replicasThatAreMissingAreCounted() {
		try (TestStore store = store(2, Duration.ofSeconds(3))) {
			assertThat(failure(store.acquire("stock:42", "b:1", false)))
				.hasMessageContaining("1 of the required 2 replicas acknowledged it within 3000 ms");
			assertThat(store.keys("{lock}lock:stock:42")).isEmpty();
		}
	}

	@Test
	void serverWithoutReplicasGrantsNothing() {
		try (RedisServer single = RedisServers.start();
				TestStore store = new TestStore(single, single.connectionFactory(), settings(1, SHORT))) {
			assertThat(failure(store.acquire("stock:42", "c:1", false))).hasMessageContaining("0 of the required 1");
			assertThat(store.keys("{lock}lock:stock:42")).isEmpty();
		}
	}

	@Test
	void replicaThatComesBackInTimeIsWaitedFor() {
		try (TestStore store = store(1, LONG)) {
			store.take("before", "d:1");
			stopReplica();
			CompletableFuture<AcquireReply> acquired = store.acquire("back", "d:2", false);
			soon().until(() -> isWaitedFor(1));
			assertThat(acquired).isNotDone();
			resumeReplica();
			assertThat(value(acquired)).isInstanceOf(Acquired.class);
			assertThat(replica.commands().get("{lock}lock:back")).isEqualTo("d:2");
		}
	}

	@Test
	void renewalsDoNotWaitForReplicas() {
		try (TestStore store = store(1, LONG)) {
			store.take("held", "e:1");
			stopReplica();
			CompletableFuture<AcquireReply> acquired = store.acquire("stuck", "e:2", false);
			soon().until(() -> isWaitedFor(1));
			assertThat(store.renew("held", "e:1")).isTrue();
			assertThat(acquired).isNotDone();
			resumeReplica();
			value(acquired);
		}
	}

	@Test
	void commandsOfAKeyStayInOrderWhileReplicasAreWaitedFor() {
		try (TestStore store = store(1, LONG)) {
			store.take("before", "f:1");
			stopReplica();
			CompletableFuture<AcquireReply> acquired = store.acquire("order", "f:2", false);
			soon().until(() -> isWaitedFor(1));
			acquired.cancel(false);
			CompletableFuture<Boolean> released = store.release("order", "f:2", false);
			CompletableFuture<AcquireReply> next = store.acquire("order", "f:3", false);
			resumeReplica();
			assertThat(value(released)).isTrue();
			assertThat(value(next)).isInstanceOf(Acquired.class);
			assertThat(primary.commands().get("{lock}lock:order")).isEqualTo("f:3");
		}
	}

	@Test
	void whatIsAcquiredMeanwhileSharesTheNextWait() {
		try (TestStore store = store(1, LONG)) {
			store.take("before", "g:1");
			primary.commands().configResetstat();
			List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
			for (int i = 0; i < 1000; i++) {
				replies.add(store.acquire("many" + i, "g:" + i, false));
			}
			assertThat(replies).allSatisfy((reply) -> assertThat(value(reply)).isInstanceOf(Acquired.class));
			assertThat(calls("wait")).isBetween(1, calls("evalsha"));
		}
	}

	@Test
	void onlyAcquisitionsAreWaitedFor() {
		try (TestStore store = store(1, LONG)) {
			store.take("taken", "h:1");
			store.findBusy("taken", "i:1", true);
			// What finds the key busy is answered before the question behind it, and what
			// is acquired after that question.
			store.take("other", "h:2");
			primary.commands().configResetstat();
			store.renew("taken", "h:1");
			store.release("taken", "h:1");
			assertThat(calls("wait")).isZero();
		}
		try (TestStore store = store(0, LONG)) {
			primary.commands().configResetstat();
			store.take("off", "h:2");
			assertThat(calls("wait")).isZero();
			assertThat(store.store().connectionCount()).isEqualTo(1);
		}
	}

	@Test
	void severalKeysAreAllGivenBack() {
		try (TestStore store = store(1, SHORT); TestStore patient = store(1, LONG)) {
			patient.take("before", "j:1");
			stopReplica();
			LockStoreException failure = failure(
					store.store().acquireAll(List.of(acquire("x", "j:2"), acquire("y", "j:3"))));
			assertThat(failure).hasMessageContaining("Redis acquired x and 1 others, but 0 of the required 1");
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(store.keys("{lock}lock:[xy]")).isEmpty();
		}
	}

	@Test
	void replicaKnowsSeveralKeysWhenTheyAreAcquired() {
		try (TestStore store = store(1, LONG)) {
			value(store.store().acquireAll(List.of(acquire("v", "k:1"), acquire("w", "k:2"))));
			assertThat(replica.keys("{lock}lock:[vw]")).hasSize(2);
		}
	}

	@Test
	void userWhoMayNotWaitAcquiresNothing() {
		TestStore.acl(primary, "impatient", "reset", "on", ">secret", "~*", "&*", "+@all", "-wait");
		try (TestStore store = new TestStore(primary, primary.connectionFactory((configuration) -> {
			configuration.setUsername("impatient");
			configuration.setPassword("secret");
		}, (clientConfiguration) -> {
		}), settings(1, LONG))) {
			LockStoreException failure = failure(store.acquire("denied", "l:1", false));
			assertThat(failure)
				.hasMessageStartingWith(
						"Redis acquired denied, but refused to wait for replicas that acknowledge it: NOPERM")
				.hasMessageEndingWith(", so it was given back");
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(failure.isTransient()).isFalse();
			assertThat(store.keys("{lock}lock:denied")).isEmpty();
		}
	}

	@Test
	void acquisitionThatCannotBeGivenBackIsOfUnknownOutcome() {
		TestStore.acl(primary, "shortlived", "reset", "on", ">secret", "~*", "&*", "+@all");
		try (TestStore store = new TestStore(primary, primary.connectionFactory((configuration) -> {
			configuration.setUsername("shortlived");
			configuration.setPassword("secret");
		}, (clientConfiguration) -> {
		}), settings(1, Duration.ofSeconds(2)))) {
			store.take("before", "m:1");
			stopReplica();
			CompletableFuture<AcquireReply> acquired = store.acquire("left", "m:2", false);
			soon().until(() -> isWaitedFor(1));
			TestStore.acl(primary, "shortlived", "-evalsha", "-eval");
			LockStoreException failure = failure(acquired);
			assertThat(failure).hasMessageContaining("0 of the required 1")
				.hasMessageContaining(", and giving it back failed: Redis refused to release left: NOPERM");
			assertThat(failure.isOutcomeUnknown()).isTrue();
			assertThat(store.keys("{lock}lock:left")).hasSize(1);
		}
	}

	@Test
	void acquisitionWhoseConnectionIsLostMeanwhileIsRepeatedAndWaitedForAgain() {
		try (TcpProxy proxy = new TcpProxy(primary);
				TestStore store = new TestStore(primary, primary.connectionFactory((configuration) -> {
					configuration.setHostName(proxy.host());
					configuration.setPort(proxy.port());
				}, (clientConfiguration) -> {
				}), settings(1, LONG))) {
			store.take("before", "n:1");
			stopReplica();
			CompletableFuture<AcquireReply> acquired = store.acquire("again", "n:2", false);
			soon().until(() -> isWaitedFor(1));
			primary.commands().configResetstat();
			proxy.reset();
			soon().until(() -> calls("evalsha") > 0 && isWaitedFor(1));
			assertThat(acquired).as("a new connection alone is no acknowledgement").isNotDone();
			resumeReplica();
			assertThat(value(acquired)).isInstanceOf(Acquired.class);
			assertThat(replica.commands().get("{lock}lock:again")).isEqualTo("n:2");
			assertThat(store.release("again", "n:2")).isTrue();
		}
	}

	@Test
	void acquisitionWhosePrimaryIsDemotedMeanwhileIsRepeated() {
		try (TestStore store = store(1, LONG)) {
			store.take("before", "o:1");
			stopReplica();
			CompletableFuture<AcquireReply> acquired = store.acquire("demoted", "o:2", false);
			soon().until(() -> isWaitedFor(1));
			primary.commands().replicaof("127.0.0.1", RedisServers.freePort());
			primary.commands().replicaofNoOne();
			resumeReplica();
			assertThat(value(acquired)).isInstanceOf(Acquired.class);
			assertThat(replica.commands().get("{lock}lock:demoted")).isEqualTo("o:2");
		}
	}

	@Test
	void renewalsOfManyLeasesGoOverTheirOwnConnection() {
		try (TestStore store = store(1, LONG)) {
			store.take("one", "p:1");
			assertThat(value(store.store().renew(List.of(new Renew("one", "p:1", TestStore.TTL)))))
				.containsExactly(true);
			assertThat(store.store().connectionCount()).isEqualTo(2);
		}
	}

	private static CompletableFuture<AcquireReply> retried(TestStore store, String key) {
		return soon().ignoreExceptions()
			.until(() -> store.acquire(key, "a:3", false), (reply) -> value(reply) instanceof Acquired);
	}

	private static Acquire acquire(String key, String owner) {
		return new Acquire(key, owner.substring(0, 1), owner, TestStore.TTL, false, TestStore.TOKENS);
	}

	private static TestStore store(int replicas, Duration timeout) {
		return new TestStore(primary, primary.connectionFactory(), settings(replicas, timeout));
	}

	private static RedisStoreSettings settings(int replicas, Duration timeout) {
		return RedisStoreSettings.defaults().withReplicasAcknowledged(replicas).withAcknowledgementTimeout(timeout);
	}

	private void stopReplica() {
		this.stopped = true;
		replica.pause();
	}

	private void resumeReplica() {
		this.stopped = false;
		replica.resume();
	}

	private static void awaitReplica() {
		soon().until(() -> primary.commands().info("replication").contains("state=online"));
		soon().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
	}

	/**
	 * Return whether so many clients are blocked.
	 */
	private static boolean isWaitedFor(int clients) {
		return primary.commands().info("clients").contains("blocked_clients:" + clients);
	}

	private static int calls(String command) {
		Matcher matcher = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
			.matcher(primary.commands().info("commandstats"));
		return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
	}

}
