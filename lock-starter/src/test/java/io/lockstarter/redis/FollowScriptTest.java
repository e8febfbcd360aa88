// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.redis.connection.Replies;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how tokens leap on a server that took over.
 */
class FollowScriptTest {

	private static final String FENCE = "{lock}fence";

	private static final String SERVER = "{lock}server";

	private static RedisServer redis;

	private static TestStore store;

	@BeforeAll
	static void start() {
		redis = RedisServers.start();
		store = new TestStore(redis);
		// Its connection follows before the tests do.
		store.take("connected", "a:1");
	}

	@AfterAll
	static void stop() {
		store.close();
		redis.close();
	}

	@BeforeEach
	void forget() {
		store.redis().del(FENCE, SERVER);
	}

	@Test
	void tokensLeapOnceOnAServerThatTookOver() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, "before");
		long now = store.micros();
		String identity = identity();
		assertThat(follow(identity)).isOne();
		long fence = Long.parseLong(store.redis().get(FENCE));
		assertThat(fence).isBetween(now + micros(NewServer.LEAP), store.micros() + micros(NewServer.LEAP));
		assertThat(follow(identity)).isZero();
		assertThat(store.redis().get(FENCE)).isEqualTo(Long.toString(fence));
		assertThat(store.take("follow", "a:1").firstToken()).isEqualTo(fence + 1);
		assertThat(Duration.ofMillis(store.redis().pttl(SERVER))).isGreaterThan(Duration.ofDays(29));
	}

	@Test
	void tokensThatAreFurtherAheadStayWhereTheyAre() {
		String fence = Long.toString(store.micros() + micros(Duration.ofHours(2)));
		store.redis().set(FENCE, fence);
		store.redis().set(SERVER, "before");
		assertThat(follow("now")).isOne();
		assertThat(store.redis().get(FENCE)).isEqualTo(fence);
		assertThat(Duration.ofMillis(store.redis().pttl(FENCE))).isGreaterThan(Duration.ofMinutes(119));
	}

	@Test
	void tokensLeapWhereItIsNotKnownWhoHandedThemOut() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		assertThat(follow("now")).isOne();
	}

	@Test
	void firstServerOfAllNeedNotLeap() {
		assertThat(follow("now")).isZero();
		assertThat(store.redis().exists(FENCE)).isZero();
		assertThat(store.redis().get(SERVER)).isEqualTo("now");
	}

	@Test
	void fenceThatIsNoTokenIsLeftAlone() {
		store.redis().set(FENCE, "theirs");
		store.redis().set(SERVER, "before");
		assertThat(follow("now")).isZero();
		assertThat(store.redis().get(FENCE)).isEqualTo("theirs");
	}

	@Test
	void tokensLeapOnAServerThatIsAPrimaryOnceMoreAlthoughItWasAskedBeforeThat() {
		String identity = identity();
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, identity);
		assertThat(follow(identity)).isZero();
		store.redis().replicaof("127.0.0.1", RedisServers.freePort());
		store.redis().replicaofNoOne();
		assertThat(follow(identity)).isOne();
		assertThat(store.redis().get(SERVER)).isEqualTo(identity()).isNotEqualTo(identity);
	}

	@Test
	void tokensLeapForWhoComesFromAnotherServer() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, "now");
		assertThat(follow("now", true)).isOne();
	}

	/**
	 * It sends nothing while the server is a replica.
	 */
	@Test
	void connectionFromBeforeAServerWasAReplicaIsReplacedByTheNextAcquisition() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		long now = store.micros();
		store.redis().replicaof("127.0.0.1", RedisServers.freePort());
		store.redis().replicaofNoOne();
		// Each acquisition reserves tokens, too.
		TestStore.soon()
			.pollInterval(Duration.ofMillis(50))
			.untilAsserted(() -> assertThat(store.take("idle", "a:1").firstToken())
				.isGreaterThan(now + micros(NewServer.LEAP)));
	}

	/**
	 * It sends nothing while a slot of a cluster is at another node, and is back.
	 */
	@Test
	void connectionFromBeforeTheLocksWereAtAnotherServerIsReplacedByTheNextAcquisition() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, "a1b2-c3d4");
		long now = store.micros();
		TestStore.soon()
			.pollInterval(Duration.ofMillis(50))
			.untilAsserted(() -> assertThat(store.take("returned", "a:1").firstToken())
				.isGreaterThan(now + micros(NewServer.LEAP)));
		assertThat(store.redis().get(SERVER)).isEqualTo(identity());
	}

	@Test
	void serverIsRememberedByTheIdOfItsReplicationWhateverTheClientWasTold() {
		assertThat(follow("a1b2-null")).isZero();
		assertThat(store.redis().get(SERVER)).isEqualTo("a1b2" + identity().substring(identity().indexOf('-')));
	}

	@Test
	void serverIsNotAskedByEachAcquisition() {
		int acquisitions = 200;
		store.redis().configResetstat();
		for (int i = 0; i < acquisitions; i++) {
			store.take("often", "a:1");
		}
		Matcher asked = Pattern.compile("cmdstat_info:calls=(\\d+)").matcher(store.redis().info("commandstats"));
		assertThat(asked.find() ? Integer.parseInt(asked.group(1)) : 0).isLessThan(acquisitions / 2);
	}

	@Test
	void serverThatDoesNotSayWhatItIsHandsOutTokens() {
		try (TestStore uninformed = TestStore.withAcl(redis, "uninformed", "-info")) {
			uninformed.take("uninformed", "a:1");
		}
	}

	@Test
	void connectionFollowsByItself() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, "before");
		long now = store.micros();
		try (TestStore other = new TestStore(redis)) {
			assertThat(other.take("follows", "b:1").firstToken()).isGreaterThan(now + micros(NewServer.LEAP));
		}
	}

	@Test
	void scriptsAreTheSameInALocaleWithDigitsOfItsOwn() {
		String commands = StoreScripts.of(RedisStoreSettings.defaults(), false).commands();
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		try {
			assertThat("%d".formatted(1)).as("digits of the locale").isNotEqualTo("1");
			assertThat(StoreScripts.of(RedisStoreSettings.defaults(), false).commands()).isEqualTo(commands);
		}
		finally {
			Locale.setDefault(before);
		}
	}

	private static String identity() {
		return String.valueOf(Replies.info(store.redis().info()).identity());
	}

	private static long follow(String identity) {
		return follow(identity, false);
	}

	private static long follow(String identity, boolean moved) {
		StoreScripts scripts = StoreScripts.of(RedisStoreSettings.defaults(), false);
		return (long) scripts
			.follow(redis.connection().async(), new RedisNames("lock"), identity, micros(NewServer.LEAP),
					Duration.ofDays(30), moved)
			.toCompletableFuture()
			.join()
			.get(0);
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

}
