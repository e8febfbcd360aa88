// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of how tokens leap on a server that took over.
 */
class FollowScriptTest {

	private static final String FENCE = "{lock}fence";

	private static final String SERVER = "{lock}server";

	private static final long LEAP = micros(BatchScript.TAKEOVER);

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
		ask();
		long fence = fence();
		assertThat(fence).isBetween(now + LEAP, store.micros() + LEAP);
		assertThat(store.redis().get(SERVER)).isEqualTo(reign());
		ask();
		assertThat(fence()).isEqualTo(fence);
		assertThat(store.take("follow", "a:1").firstToken()).isEqualTo(fence + 1);
		assertThat(Duration.ofMillis(store.redis().pttl(SERVER))).isGreaterThan(Duration.ofDays(29));
	}

	@Test
	void commandsOfTheSameCallGetTokensThatLeapt() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, "before");
		long now = store.micros();
		assertThat((long) ask("acquire", "same:1", "1000", "5").get(0)).isGreaterThan(now + LEAP);
		assertThat(store.redis().del("{lock}lock:k")).isOne();
	}

	@Test
	void tokensThatAreFurtherAheadStayWhereTheyAre() {
		String fence = Long.toString(store.micros() + micros(Duration.ofHours(2)));
		store.redis().set(FENCE, fence);
		store.redis().set(SERVER, "before");
		ask();
		assertThat(store.redis().get(FENCE)).isEqualTo(fence);
		assertThat(store.redis().get(SERVER)).isEqualTo(reign());
		assertThat(Duration.ofMillis(store.redis().pttl(FENCE))).isGreaterThan(Duration.ofMinutes(119));
	}

	@Test
	void tokensLeapWhereItIsNotKnownWhoHandedThemOut() {
		long now = store.micros();
		store.redis().set(FENCE, Long.toString(now));
		ask();
		assertThat(fence()).isGreaterThan(now + LEAP);
	}

	/**
	 * The first token would leap only when it is wanted, on a server that was replaced by
	 * then.
	 */
	@Test
	void tokensLeapAtOnceThatWereForgottenMeanwhile() {
		long now = store.micros();
		store.redis().set(SERVER, "before");
		ask();
		assertThat(fence()).isGreaterThan(now + LEAP);
	}

	@Test
	void firstServerOfAllNeedNotLeap() {
		ask();
		assertThat(store.redis().exists(FENCE)).isZero();
		assertThat(store.redis().get(SERVER)).isEqualTo(reign());
	}

	@ParameterizedTest
	@ValueSource(strings = { "theirs", "9000000000000001" })
	void fenceThatIsNoTokenIsLeftAlone(String fence) {
		store.redis().set(FENCE, fence);
		store.redis().set(SERVER, "before");
		assertThat(ask()).isEmpty();
		assertThat(store.redis().get(FENCE)).isEqualTo(fence);
		assertThat(store.redis().get(SERVER)).isEqualTo(reign());
	}

	@Test
	void tokensLeapForWhoComesFromAnotherServer() {
		long now = store.micros();
		store.redis().set(FENCE, Long.toString(now));
		store.redis().set(SERVER, reign());
		ask();
		assertThat(fence()).isEqualTo(now);
		call("moved");
		assertThat(fence()).isGreaterThan(now + LEAP);
	}

	@Test
	void replicaThatIsAskedRefusesTheWholeCall() {
		try (RedisServer replica = RedisServers.start()) {
			replica.commands().replicaof("127.0.0.1", redis.port());
			TestStore.soon().until(() -> replica.commands().info("replication"), (info) -> info.contains("role:slave"));
			assertThatExceptionOfType(RedisCommandExecutionException.class)
				.isThrownBy(() -> call(replica.commands(), "ask", "release", "a:1"))
				.withMessageStartingWith("READONLY");
		}
	}

	/**
	 * What cannot be noted may be noted later: a key of another type stands for any
	 * reason.
	 */
	@Test
	void serverThatCannotFollowHandsOutNoTokensAndTellsWhy() {
		store.redis().set("{lock}lock:k", "a:1");
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().rpush(SERVER, "theirs");
		List<Object> replies = ask("release", "a:1");
		assertThat(replies).hasSize(2).startsWith(1L);
		assertThat(replies.get(1)).asString().contains("WRONGTYPE");
		replies = ask("acquire", "a:2", "1000", "5");
		assertThat(replies).hasSize(2);
		assertThat(replies.get(0)).asString().startsWith("!").contains("WRONGTYPE");
		assertThat(store.redis().exists("{lock}lock:k")).isZero();
	}

	@Test
	void clientGoesOnAskingAServerThatCouldNotFollow() {
		long now = store.micros();
		store.redis().set(FENCE, Long.toString(now));
		store.redis().rpush(SERVER, "theirs");
		try (TestStore other = new TestStore(redis)) {
			assertThat(TestStore.failure(other.acquire("unsettled", "b:1", false))).hasMessageContaining("WRONGTYPE");
			store.redis().del(SERVER);
			assertThat(other.take("unsettled", "b:2").firstToken()).isGreaterThan(now + LEAP);
		}
	}

	/**
	 * It sends nothing while the server is a replica.
	 */
	@Test
	void connectionFromBeforeAServerWasAReplicaFollowsWithTheNextAcquisition() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		long now = store.micros();
		store.redis().replicaof("127.0.0.1", RedisServers.freePort());
		store.redis().replicaofNoOne();
		// Each acquisition reserves tokens, too.
		TestStore.soon()
			.pollInterval(Duration.ofMillis(50))
			.untilAsserted(() -> assertThat(store.take("idle", "a:1").firstToken()).isGreaterThan(now + LEAP));
	}

	/**
	 * It sends nothing while a slot of a cluster is at another node, and is back.
	 */
	@Test
	void connectionFromBeforeTheLocksWereAtAnotherServerFollowsWithTheNextAcquisition() {
		store.redis().set(FENCE, Long.toString(store.micros()));
		store.redis().set(SERVER, "another");
		long now = store.micros();
		TestStore.soon()
			.pollInterval(Duration.ofMillis(50))
			.untilAsserted(() -> assertThat(store.take("returned", "a:1").firstToken()).isGreaterThan(now + LEAP));
		assertThat(store.redis().get(SERVER)).isEqualTo(reign());
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

	/**
	 * So nobody's tokens leap late, when the server may have been replaced.
	 */
	@Test
	void connectionFollowsAsSoonAsItIsThere() {
		long now = store.micros();
		store.redis().set(FENCE, Long.toString(now));
		store.redis().set(SERVER, "before");
		store.redis().scriptFlush();
		try (TestStore other = new TestStore(redis)) {
			assertThat(other.store().open(new ManualRedis.Deaf())).succeedsWithin(Duration.ofSeconds(10));
			TestStore.soon().until(() -> fence() > now + LEAP);
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

	private static String reign() {
		return store.redis().info("replication").replaceAll("(?s).*master_replid:([0-9a-f]+).*", "$1");
	}

	private static long fence() {
		return Long.parseLong(store.redis().get(FENCE));
	}

	private static List<Object> ask(String... command) {
		return call("ask", command);
	}

	private static List<Object> call(String question, String... command) {
		return call(store.redis(), question, command);
	}

	private static List<Object> call(RedisCommands<String, String> server, String question, String... command) {
		String[] keys = (command.length > 0) ? new String[] { FENCE, SERVER, "{lock}lock:k" }
				: new String[] { FENCE, SERVER };
		String[] arguments = Stream.concat(Stream.of(question), Stream.of(command)).toArray(String[]::new);
		return server.eval(StoreScripts.of(RedisStoreSettings.defaults(), false).commands(), ScriptOutputType.MULTI,
				keys, arguments);
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

}
