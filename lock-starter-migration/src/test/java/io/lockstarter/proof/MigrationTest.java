// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.migration.OldLocks;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holders on either side of a migration die, are waited for, and lose their lock.
 */
@Tag("proof")
class MigrationTest {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	// GETSET of one that comes second prolongs what it does not get, for that long.
	private static final Duration OLD_TTL = Duration.ofSeconds(20);

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(PATIENCE);

	private final RedisServer redis = RedisServers.start();

	private final List<OldClient> clients = new ArrayList<>();

	@AfterEach
	void close() {
		this.clients.forEach(OldClient::close);
		this.redis.close();
	}

	@Test
	void oldClientsGoOnWhenAHolderOfOursIsKilled() throws InterruptedException {
		try (JvmProcess jvm = JvmProcess.start(MigratingApplication.class, this.redis.port())) {
			jvm.await("holding");
			for (OldClient.Kind kind : OldClient.Kind.values()) {
				assertThat(start(kind, OLD_TTL).tryLock(kind.name(), Duration.ZERO)).as("%s", kind).isFalse();
			}
			jvm.kill();
		}
		OldClient.Kind[] kinds = OldClient.Kind.values();
		for (int i = 0; i < kinds.length; i++) {
			assertThat(this.clients.get(i).tryLock(kinds[i].name(), PATIENCE)).as("%s", kinds[i]).isTrue();
			this.clients.get(i).unlock(kinds[i].name());
		}
	}

	@Test
	void oursGoesOnWhenAnOldHolderIsGone() throws InterruptedException {
		for (OldClient.Kind kind : OldClient.Kind.values()) {
			OldClient client = kind.start(this.redis, Duration.ofSeconds(2));
			assertThat(client.tryLock(kind.name(), Duration.ZERO)).as("%s", kind).isTrue();
			client.close();
		}
		try (Instance ours = new Instance(this.redis.port(), settings())) {
			List<CompletableFuture<Lease>> acquired = Arrays.stream(OldClient.Kind.values())
				.map((kind) -> ours.registry().acquireAsync(kind.key(kind.name()), PATIENT))
				.toList();
			acquired.forEach((lease) -> assertThat(lease).succeedsWithin(PATIENCE));
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "REDISSON", "SPRING_INTEGRATION_THAT_LISTENS" })
	void oldClientThatListensIsWokenByOurRelease(OldClient.Kind kind) throws InterruptedException {
		OldClient client = start(kind, Duration.ofMinutes(10));
		try (Instance ours = new Instance(this.redis.port(), settings())) {
			Lease lease = ours.registry()
				.acquire(kind.key("woken"), LockOptions.defaults().withTtl(Duration.ofMinutes(30)));
			CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
				try {
					return client.tryLock("woken", Duration.ofMinutes(10));
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}, (task) -> new Thread(task).start());
			await().atMost(PATIENCE)
				.until(() -> this.redis.commands().pubsubNumpat() > 0
						|| !this.redis.commands().pubsubChannels("redisson_lock__channel*").isEmpty());
			assertThat(waiting).isNotDone();
			lease.releaseAsync().join();
			assertThat(waiting).succeedsWithin(PATIENCE.toSeconds(), TimeUnit.SECONDS).isEqualTo(true);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SET_NX", "SHEDLOCK", "REDISSON", "GETSET_MILLIS", "GETSET_SECONDS" })
	void holderIsToldOfAnOldClientThatDeletedItsLockBlindly(OldClient.Kind kind) throws InterruptedException {
		OldClient client = start(kind, PATIENCE);
		try (Instance ours = new Instance(this.redis.port(), settings())) {
			Lease lease = ours.registry()
				.acquire(kind.key("deleted"), LockOptions.defaults().withTtl(Duration.ofSeconds(3)));
			this.redis.commands().del(kind.rule().oldKey().replace("*", "deleted"));
			assertThat(client.tryLock("deleted", Duration.ZERO)).isTrue();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(ours.events()).containsExactly("lost TAKEN " + kind.key("deleted")));
			assertThat(lease.isValid()).isFalse();
			assertThat(this.redis.keys("{lock}lock:*")).isEmpty();
			client.unlock("deleted");
		}
	}

	/**
	 * A command over a connection that is lost is repeated, and released by its owner id:
	 * nothing of the old lock may stay.
	 */
	@ParameterizedTest
	@EnumSource
	void lostReplyLeavesNoOldLock(OldClient.Kind kind) throws InterruptedException {
		OldClient client = start(kind, PATIENCE);
		try (FaultProxy proxy = new FaultProxy(this.redis.port());
				Instance ours = new Instance(proxy.port(), settings())) {
			ours.registry().acquire(kind.key("warm-up"), LockOptions.defaults()).close();
			proxy.loseReplyTo("{lock}lock:" + kind.key("lost"), false);
			CompletableFuture<Lease> acquired = ours.registry().acquireAsync(kind.key("lost"), PATIENT);
			await().atMost(PATIENCE).until(() -> this.redis.commands().exists("{lock}lock:" + kind.key("lost")) == 1);
			assertThat(client.tryLock("lost", Duration.ZERO)).isFalse();
			assertThat(acquired.cancel(false)).isTrue();
			proxy.reset();
			assertThat(client.tryLock("lost", PATIENCE)).isTrue();
			client.unlock("lost");
		}
	}

	private OldClient start(OldClient.Kind kind, Duration ttl) {
		OldClient client = kind.start(this.redis, ttl);
		this.clients.add(client);
		return client;
	}

	static RedisStoreSettings settings() {
		return RedisStoreSettings.defaults()
			.withScriptPart(new OldLocks(Arrays.stream(OldClient.Kind.values()).map(OldClient.Kind::rule).toList()));
	}

}
