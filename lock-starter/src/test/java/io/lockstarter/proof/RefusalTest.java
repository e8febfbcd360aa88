// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis answers, but with an error.
 */
@Tag("proof")
class RefusalTest {

	private static final String LOCK = "{lock}lock:stock:42";

	private static final LockOptions RENEWED = LockOptions.defaults().withTtl(Duration.ofSeconds(1));

	// For a lease that must not be lost: a stall of two seconds is no loss.
	private static final LockOptions LONGER = RENEWED.withTtl(Duration.ofMillis(3500));

	// Long enough to ask more than once.
	private static final LockOptions BRIEFLY = RENEWED.withWaitTime(Duration.ofSeconds(1));

	private final RedisServer redis = RedisServers.start("--save", "3600", "1", "--lua-time-limit", "100");

	private final RedisCommands<String, String> commands = this.redis.commands();

	private final Instance instance = new Instance(this.redis.port(),
			Instance.settings(Duration.ofSeconds(5), Duration.ofSeconds(30)));

	@BeforeEach
	void connect() {
		await().ignoreExceptions().until(() -> this.instance.registry().call("connect", RENEWED, (scope) -> true));
		this.instance.events().clear();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.redis.close();
	}

	@Test
	void outOfMemoryRefusesAcquirersButRenewsAndReleases() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("stock:42", LONGER);
		this.commands.configSet("maxmemory", "1");
		assertRefused("other", "OOM");
		assertThat(this.commands.exists("{lock}lock:other")).isZero();
		await().during(LONGER.ttl()).until(lease::isValid);
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.commands.exists(LOCK)).isZero();
		assertThat(this.instance.events()).isEmpty();
		this.commands.configSet("maxmemory", "0");
		assertUsable("other");
	}

	@Test
	void outOfMemoryHandsOverToAWaiterAsSoonAsThereIsMemory() throws InterruptedException {
		try (Instance other = new Instance(this.redis.port(),
				Instance.settings(Duration.ofSeconds(5), Duration.ofMillis(300)))) {
			Lease lease = this.instance.registry().acquire("stock:42", LONGER);
			var next = other.registry().acquireAsync("stock:42", RENEWED);
			await().until(() -> this.commands.exists("{lock}queue:stock:42") == 1);
			this.commands.configSet("maxmemory", "1");
			assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
			assertThat(next).failsWithin(Duration.ofSeconds(15));
			this.commands.configSet("maxmemory", "0");
			assertUsable("stock:42");
		}
	}

	@Test
	void readOnlyBecauseOfAFailedSaveLosesAtTheDeadlineAndIsMadeUpForLater() throws Exception {
		Lease released = this.instance.registry().acquire("stock:42", LockOptions.defaults());
		Lease lost = this.instance.registry().acquire("lost", RENEWED);
		Path obstacle = Files.createDirectories(Path.of(this.commands.configGet("dir").get("dir"), "dump.rdb", "x"));
		await().until(() -> saved("err"));
		assertRefused("other", "MISCONF");
		assertThat(released.releaseAsync()).failsWithin(Duration.ofSeconds(10));
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactlyInAnyOrder("unconfirmed stock:42",
				"lost EXPIRED lost"));
		assertThat(lost.isValid()).isFalse();
		Files.delete(obstacle);
		Files.delete(obstacle.getParent());
		await().until(() -> saved("ok"));
		await().atMost(Duration.ofSeconds(15)).until(() -> this.commands.exists(LOCK) == 0);
		assertUsable("stock:42");
	}

	private boolean saved(String status) {
		if (!this.commands.info("persistence").contains("rdb_bgsave_in_progress:1")) {
			this.commands.bgsave();
		}
		return this.commands.info("persistence").contains("rdb_last_bgsave_status:" + status);
	}

	@Test
	void endlessScriptIsBoundedAndNothingIsWedged() {
		try (Instance hasty = new Instance(this.redis.port(),
				Instance.settings(Duration.ofSeconds(2), Duration.ofSeconds(30)))) {
			var endless = this.redis.connection().async().eval("while true do end", ScriptOutputType.STATUS);
			long start = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> {
				while (true) {
					// the script may come later than the first of these
					hasty.registry().acquire("stock:42", RENEWED.withWaitTime(Duration.ZERO)).close();
				}
			});
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
			await().until(() -> Raw.ask(this.redis.port(), "PING").startsWith("-BUSY"));
			assertRefused(hasty, "stock:42", "BUSY");
			assertThat(Raw.ask(this.redis.port(), "SCRIPT KILL")).isEqualTo("+OK");
			assertThat(endless.toCompletableFuture()).failsWithin(Duration.ofSeconds(15));
			assertUsable(hasty, "stock:42");
		}
	}

	@Test
	void valueOfAnotherTypeIsADistinctErrorAndLeftAlone() throws InterruptedException {
		this.commands.lpush(LOCK, "not", "a", "lock");
		assertRefused("stock:42", "WRONGTYPE");
		assertThat(this.commands.lrange(LOCK, 0, -1)).containsExactly("lock", "a", "not");
		assertThat(this.commands.ttl(LOCK)).isEqualTo(-1);
		this.commands.del(LOCK);
		Lease lease = this.instance.registry().acquire("stock:42", LONGER);
		this.commands.del(LOCK);
		this.commands.lpush(LOCK, "not", "a", "lock");
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost TAKEN stock:42"));
		lease.close();
		assertThat(this.commands.llen(LOCK)).isEqualTo(3);
	}

	@Test
	void replicaThatIsReadOnlyRefusesAndLosesAtTheDeadline() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("stock:42", RENEWED);
		this.commands.replicaof("127.0.0.1", RedisServers.freePort());
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.instance.registry().acquire("other", BRIEFLY))
			.withMessageContaining("the server is a replica, which takes no writes");
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost EXPIRED stock:42"));
		assertThat(lease.isValid()).isFalse();
		this.commands.replicaofNoOne();
		assertUsable("stock:42");
	}

	@Test
	void primaryWithTooFewReplicasRefusesAndLosesAtTheDeadline() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("stock:42", RENEWED);
		this.commands.configSet("min-replicas-to-write", "1");
		assertRefused("other", "NOREPLICAS");
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost EXPIRED stock:42"));
		assertThat(lease.isValid()).isFalse();
		this.commands.configSet("min-replicas-to-write", "0");
		assertUsable("stock:42");
	}

	private void assertRefused(String key, String answer) {
		assertRefused(this.instance, key, answer);
	}

	private static void assertRefused(Instance instance, String key, String answer) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> instance.registry().acquire(key, BRIEFLY))
			.withMessageContaining(answer)
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isFalse());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("at once").isLessThan(Duration.ofSeconds(15));
	}

	private void assertUsable(String key) {
		assertUsable(this.instance, key);
	}

	private void assertUsable(Instance instance, String key) {
		assertThat(instance.registry().<Boolean, RuntimeException>call(key, RENEWED, (scope) -> true)).isTrue();
		assertThat(this.commands.exists("{lock}lock:" + key)).isZero();
	}

}
