// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.quorum.VotingStore;
import io.lockstarter.redis.LeastPrivilegeTest;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.TestStore;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What a real server of a quorum does with what only such a server is told.
 */
class VotingServerTest {

	private static final String KEY = "k";

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final RedisServer server = RedisServers.start();

	private final RedisClient client = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));

	private final RedisStoreSettings settings = RedisStoreSettings.defaults()
		.withKeyPrefix("voting-" + UUID.randomUUID());

	private final String tag = "{" + this.settings.keyPrefix() + "}";

	private VotingStore node = new VotingRedis(this.client, this.settings, Duration.ofHours(1));

	@AfterEach
	void close() {
		this.node.close();
		this.client.shutdown();
		this.server.close();
	}

	@Test
	void aServerThatDoesNotRememberItselfGrantsNothing() {
		assertThat(failure(acquire("a:1")).getMessage()).contains("lost its memory", "another 3");
		assertThat(this.server.commands().pttl(this.tag + "joining")).isPositive();
	}

	@Test
	void aServerGrantsLocksWhenItsTimeIsOver() {
		ready();
		assertThat(value(acquire("a:1"))).isInstanceOf(Acquired.class);
	}

	@Test
	void anotherClientFindsTheServerReady() {
		ready();
		VotingStore other = new VotingRedis(this.client, this.settings, Duration.ofHours(1));
		try {
			assertThat(value(other.acquire(command("a:1")))).isInstanceOf(Acquired.class);
		}
		finally {
			other.close();
		}
	}

	@Test
	void aServerThatWasStartedAnewIsKnownByItsIdentity() {
		ready();
		this.server.commands().set(this.tag + "server", "another process");
		this.node.close();
		assertThat(failure(acquire("a:1")).getMessage()).contains("lost its memory");
	}

	@Test
	void aServerThatLostAllKeysGrantsNothingAlthoughItWasNotStartedAnew() {
		ready();
		value(acquire("a:1"));
		this.server.keys(this.tag + "*").forEach((key) -> this.server.commands().del(key));
		assertThat(failure(acquire("b:1")).getMessage()).contains("lost its memory");
	}

	@Test
	void whoConnectsLaterDoesNotTakeAServerThatLostAllKeysForAnotherOne() {
		ready();
		this.server.keys(this.tag + "*").forEach((key) -> this.server.commands().del(key));
		assertThat(failure(acquire("b:1")).getMessage()).contains("lost its memory");
		this.server.commands().del(this.tag + "joining");
		this.node.close();
		assertThat(value(acquire("b:1"))).isInstanceOf(Acquired.class);
	}

	@Test
	void aServerRemembersItselfForAsLongAsConnectionsLast() {
		ready();
		assertThat(Duration.ofMillis(this.server.commands().pttl(this.tag + "server")))
			.isGreaterThan(Duration.ofDays(3650));
	}

	@Test
	void whoWouldHaveTheServerAbstainForLessDoesNotShortenIt() {
		value(this.node.release(new Release(KEY, "a", "a:0", false)));
		this.server.commands().set(this.tag + "server", "another process");
		VotingStore other = new VotingRedis(this.client, this.settings, Duration.ofMillis(1));
		try {
			assertThat(failure(other.acquire(command("a:1"))).getMessage()).contains("another 3");
		}
		finally {
			other.close();
		}
	}

	@Test
	void aRaiseLetsLaterTokensBeLarger() {
		ready();
		long last = ((Acquired) value(acquire("a:1"))).lastToken();
		assertThat(value(this.node.raise(KEY, "a:1", last + 1_000_000_000L))).isTrue();
		value(this.node.release(new Release(KEY, "a", "a:1", false)));
		assertThat(((Acquired) value(acquire("b:1"))).firstToken()).isGreaterThan(last + 1_000_000_000L);
	}

	@Test
	void aRaiseNeverLowersTokens() {
		ready();
		long last = ((Acquired) value(acquire("a:1"))).lastToken();
		value(this.node.raise(KEY, "a:1", last + 1_000_000_000L));
		value(this.node.raise(KEY, "a:1", 5));
		assertThat(((Acquired) value(acquire("a:1"))).firstToken()).isGreaterThan(last + 1_000_000_000L);
	}

	@Test
	void aRaiseByWhoDoesNotHoldTheKeyHasNoEffect() {
		ready();
		long last = ((Acquired) value(acquire("a:1"))).lastToken();
		assertThat(value(this.node.raise(KEY, "b:1", last + 1_000_000_000L))).isFalse();
		assertThat(((Acquired) value(acquire("a:1"))).firstToken()).isLessThan(last + 1_000_000_000L);
	}

	@Test
	void aVoteThatIsGivenBackIsReservedForNobody() {
		ready();
		value(acquire("a:1"));
		assertThat(value(this.node.acquire(new Acquire(KEY, "b", "b:1", TTL, true, 1)))).isInstanceOf(Busy.class);
		assertThat(value(this.node.abandon(KEY, "b:1", null))).isFalse();
		assertThat(value(this.node.abandon(KEY, "a:1", LockMode.EXCLUSIVE))).isTrue();
		assertThat(value(acquire("c:1"))).isInstanceOf(Acquired.class);
		assertThat(this.server.commands().zrange(this.tag + "queue:" + KEY, 0, -1)).containsExactly("b", "a");
	}

	@Test
	void aServerThatDoesNotRememberItselfLetsNobodyShare() {
		assertThat(failure(share("a:1")).getMessage()).contains("lost its memory", "another 3");
		ready();
		assertThat(value(share("a:1"))).isInstanceOf(Acquired.class);
	}

	@Test
	void aRaiseByWhoSharesTheKeyLetsLaterTokensBeLarger() {
		ready();
		value(share("a:1"));
		long last = ((Acquired) value(share("b:1"))).lastToken();
		assertThat(value(this.node.raise(KEY, "a:1", last + 1_000_000_000L))).isTrue();
		assertThat(value(this.node.raise(KEY, "c:1", last + 2_000_000_000L))).isFalse();
		assertThat(((Acquired) value(share("c:1"))).firstToken()).isGreaterThan(last + 1_000_000_000L)
			.isLessThan(last + 2_000_000_000L);
	}

	@Test
	void aVoteToShareThatIsGivenBackTakesNothingFromOthersAndIsReservedForNobody() {
		ready();
		value(share("a:1"));
		value(share("b:1"));
		assertThat(value(this.node.acquire(new Acquire(KEY, "w", "w:1", TTL, true, 1)))).isInstanceOf(Busy.class);
		assertThat(value(this.node.abandon(KEY, "a:1", LockMode.SHARED))).isTrue();
		assertThat(value(this.node.abandon(KEY, "a:1", null))).isFalse();
		assertThat(this.server.commands().zrange(this.tag + "readers:" + KEY, 0, -1)).containsExactly("b:1");
		assertThat(value(acquire("c:1"))).isInstanceOf(Busy.class);
		assertThat(value(this.node.abandon(KEY, "b:1", null))).isTrue();
		assertThat(this.server.keys(this.tag + "*:" + KEY)).containsExactly(this.tag + "queue:" + KEY);
		assertThat(this.server.commands().zrange(this.tag + "queue:" + KEY, 0, -1)).containsExactly("w", "!a");
		assertThat(value(acquire("c:1"))).isInstanceOf(Acquired.class);
	}

	@Test
	void whoWantsTheKeyInAnotherModeKeepsItsPlaceWhenItGivesItsVoteBack() {
		ready();
		value(acquire("a:1"));
		assertThat(value(this.node.acquire(new Acquire(KEY, "b", "b:1", TTL, true, 1)))).isInstanceOf(Busy.class);
		assertThat(value(this.node.acquire(new Acquire(KEY, "c", "c:1", TTL, true, 1)))).isInstanceOf(Busy.class);
		value(this.node.abandon(KEY, "b:2", LockMode.SHARED));
		assertThat(this.server.commands().zrange(this.tag + "queue:" + KEY, 0, -1)).containsExactly("!b", "c");
	}

	@Test
	void serversWithTheSameReadersNameTheSameOne() {
		ready();
		value(share("b:1"));
		value(share("a:1"));
		value(share("c:1"));
		assertThat(((Busy) value(acquire("w:1"))).holder()).isEqualTo("a:1");
		value(this.node.renew(List.of(new Renew(KEY, "a:1", TTL))));
		value(this.node.release(new Release(KEY, "a", "a:1", false)));
		assertThat(((Busy) value(acquire("w:1"))).holder()).isEqualTo("b:1");
	}

	@Test
	void aTokenThatNoneCanFollowIsRefused() {
		ready();
		value(acquire("a:1"));
		assertThat(failure(this.node.raise(KEY, "a:1", 9_000_000_000_000_001L)).getMessage())
			.contains("no token can follow");
	}

	@Test
	void aServerThatForgotLeapsAsIfItDidSoWhenItVotesAgain() {
		this.server.commands().set(this.tag + "fence", Long.toString(micros()));
		this.server.commands().set(this.tag + "server", "before");
		long leap = TimeUnit.SECONDS.toMicros(3600 + 15);
		long before = micros();
		connect();
		assertThat(fence()).isBetween(before + leap, micros() + leap);
		String fence = this.server.commands().get(this.tag + "fence");
		this.node.close();
		this.node = new VotingRedis(this.client, this.settings, Duration.ofHours(1));
		connect();
		assertThat(this.server.commands().get(this.tag + "fence")).as("for the next client").isEqualTo(fence);
	}

	@Test
	void aServerWithoutMemoryLeapsWithItsFirstGrant() {
		connect();
		assertThat(this.server.commands().get(this.tag + "fence")).isNull();
	}

	@Test
	void aUserWithTheRightsForAQuorumCanVote() throws IOException {
		TestStore.acl(this.server, "least", "reset", "on");
		TestStore.acl(this.server, "least", LeastPrivilegeTest.rules());
		TestStore.acl(this.server, "least", "+mget");
		RedisClient user = RedisClient.create(RedisURI.builder()
			.withHost(this.server.host())
			.withPort(this.server.port())
			.withAuthentication("least", "secret")
			.build());
		try (VotingRedis least = new VotingRedis(user, RedisStoreSettings.defaults(), Duration.ofMillis(1))) {
			Acquire command = new Acquire("stock:42", "a", "a:1", TTL, true, 1);
			await().ignoreExceptions().until(() -> value(least.acquire(command)), Acquired.class::isInstance);
			assertThat(value(least.raise("stock:42", "a:1", 5))).isTrue();
			assertThat(value(least.renew(List.of(new Renew("stock:42", "a:1", TTL))))).containsExactly(true);
			assertThat(value(least.abandon("stock:42", "a:1", LockMode.EXCLUSIVE))).isTrue();
			TestStore.acl(this.server, "least", "+zrange", "+zremrangebyscore", "+pexpireat");
			Acquire shared = new Acquire("stock:42", "b", "b:1", TTL, true, 1, true, LockMode.SHARED);
			assertThat(value(least.acquire(shared))).isInstanceOf(Acquired.class);
			assertThat(value(least.raise("stock:42", "b:1", 5))).isTrue();
			assertThat(value(least.abandon("stock:42", "b:1", LockMode.SHARED))).isTrue();
		}
		finally {
			user.shutdown();
		}
	}

	@Test
	void aServerThatNoLongerSaysWhetherItWasStartedAnewGrantsNothing() throws IOException {
		ready();
		TestStore.acl(this.server, "default", "-info");
		await().untilAsserted(() -> {
			value(this.node.release(new Release(KEY, "a", "a:1", false)));
			assertThat(failure(acquire("a:1"))).hasMessageContaining("started anew");
		});
		assertThat(value(this.node.release(new Release(KEY, "a", "a:1", false)))).isFalse();
	}

	@Test
	void aServerHasNeitherAnotherPartOfTheScriptNorReplicasToAsk() {
		RedisStoreSettings more = this.settings.withReplicasAcknowledged(1);
		assertThatIllegalArgumentException().isThrownBy(() -> new VotingRedis(this.client, more, TTL));
		RedisStoreSettings other = this.settings.withScriptPart(VoterScripts.of(TTL));
		assertThatIllegalArgumentException().isThrownBy(() -> new VotingRedis(this.client, other, TTL));
	}

	private void connect() {
		value(this.node.release(new Release(KEY, "a", "a:0", false)));
	}

	private long fence() {
		return Long.parseLong(this.server.commands().get(this.tag + "fence"));
	}

	private long micros() {
		List<String> time = this.server.commands().time();
		return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
	}

	@Test
	void aServerThatIsFullAndWasStartedAnewRenewsAndReleases() {
		ready();
		value(acquire("a:1"));
		this.server.commands().set(this.tag + "server", "another process");
		this.node.close();
		this.server.commands().configSet("maxmemory", "1");
		try {
			assertThat(value(this.node.renew(List.of(new Renew(KEY, "a:1", TTL))))).containsExactly(true);
			assertThat(failure(acquire("b:1")).getMessage()).contains("refused");
			assertThat(value(this.node.release(new Release(KEY, "a", "a:1", false)))).isTrue();
		}
		finally {
			this.server.commands().configSet("maxmemory", "0");
		}
	}

	private void ready() {
		value(this.node.release(new Release(KEY, "a", "a:0", false)));
		this.server.commands().del(this.tag + "joining");
	}

	private CompletableFuture<AcquireReply> acquire(String owner) {
		return this.node.acquire(command(owner));
	}

	private CompletableFuture<AcquireReply> share(String owner) {
		return this.node.acquire(new Acquire(KEY, owner.substring(0, 1), owner, TTL, false, 1, false, LockMode.SHARED));
	}

	private static Acquire command(String owner) {
		return new Acquire(KEY, owner.substring(0, 1), owner, TTL, false, 10, false);
	}

	private static LockStoreException failure(CompletableFuture<?> command) {
		return (LockStoreException) value(command.handle((reply, failure) -> failure));
	}

	private static <T> T value(CompletableFuture<T> command) {
		assertThat(command).succeedsWithin(PATIENCE);
		return command.join();
	}

}
