// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What an only reader of a lock, who stands in the lock itself, was promised, whatever
 * others do.
 */
class SharedScriptTest {

	private static final String TTL = "30000";

	private static RedisServer server;

	private static TestStore store;

	private static RedisClient client;

	private static RedisCommands<String, String> redis;

	private final String script = ScriptTexts.commands(TestStore.SETTINGS, false);

	private final String key = "shared-" + UUID.randomUUID();

	private final String lock = "{lock}lock:" + this.key;

	private final String readers = "{lock}readers:" + this.key;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		store = new TestStore(server);
		TestStore.acl(server, "reader", "reset", "on", ">secret", "+@all", "&*", "~{lock}*");
		client = RedisClient.create(RedisURI.builder()
			.withHost(server.host())
			.withPort(server.port())
			.withAuthentication("reader", "secret")
			.build());
		redis = client.connect().sync();
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		store.close();
		server.close();
	}

	@Test
	void onlyReaderOfALockThatLastsForEverStaysWhenAnotherOneComes() {
		call("acquire-shared", "r:1", TTL, "1");
		redis.persist(this.lock);
		call("acquire-shared", "r:2", TTL, "1");
		call("release", "r:2");
		assertThat(String.valueOf(call("acquire", "a:1", TTL, "1"))).endsWith("r:1]");
		assertThat(call("renew", "1", "r:1", TTL)).containsExactly("1");
		assertThat(redis.pttl(this.lock)).isBetween(1L, 30_000L);
	}

	@Test
	void onlyReaderIsPromisedNothingLessWhenAnotherOneComesLateInACall() {
		call("acquire-shared", "r:1", TTL, "1");
		long promised = store.micros() / 1000 + redis.pttl(this.lock);
		assertThat(callLate("acquire-shared", "r:2", "100", "1")).hasSize(3);
		assertThat(redis.zscore(this.readers, "r:1")).isGreaterThanOrEqualTo((double) promised);
		assertThat(redis.pttl(this.lock) + store.micros() / 1000).isGreaterThanOrEqualTo(promised);
	}

	@Test
	void placeToShareALockIsNotInTheWayOfItsInstanceThatWantsItAlone() {
		String instance = "w" + this.key;
		Recorder waiter = store.listen(instance);
		call("acquire", "a:1", TTL, "1");
		call("acquire-shared+join", instance + ":1", TTL, "1");
		call("release", "a:1");
		waiter.awaitEvent("reserved " + this.key);
		assertThat(call("acquire+join+grant", instance + ":2", TTL, "8")).singleElement().isInstanceOf(Long.class);
		assertThat(redis.get(this.lock)).isEqualTo(instance + ":2");
		assertThat(redis.exists(this.readers)).isZero();
	}

	@Test
	void whoeverWantsALockAloneInsteadOfSharingItStandsBehindWhoWaits() {
		String instance = "w" + this.key;
		String next = "n" + this.key;
		Recorder waiter = store.listen(instance);
		Recorder nextWaiter = store.listen(next);
		call("acquire", "a:1", TTL, "1");
		call("acquire-shared+join", instance + ":1", TTL, "1");
		call("acquire+join", next + ":1", TTL, "1");
		call("release", "a:1");
		waiter.awaitEvent("reserved " + this.key);
		assertThat(String.valueOf(call("acquire+join", instance + ":2", TTL, "1"))).endsWith(" ]");
		nextWaiter.awaitEvent("reserved " + this.key);
		assertThat(redis.get(this.lock)).isEqualTo("!" + next);
		assertThat(redis.zrange(this.lock.replace("lock:", "queue:"), 0, -1)).containsExactly(instance);
	}

	@Test
	void onlyReaderKeepsALockThatAnotherOneGaveBackAndCannotHaveAfterAll() {
		call("acquire-shared", "r:1", TTL, "1");
		List<Object> replies = withoutFence(() -> call(List.of(this.lock, this.lock, this.lock),
				List.of("+", "acquire-shared", "r:2", TTL, "1", "+", "release", "r:2", "+", "renew", "1", "r:1", TTL)));
		assertThat(String.valueOf(replies)).contains("!").endsWith(", 1, 1]");
		assertThat(call("renew", "1", "r:1", TTL)).containsExactly("1");
	}

	@Test
	void whoWaitsIsToldWhenTheOnlyReaderCannotHaveTheLockAfterAll() {
		Recorder waiter = store.listen("w" + this.key);
		call("acquire-shared", "r:1", TTL, "1");
		call("acquire+join", "w" + this.key + ":1", TTL, "1");
		assertThat(String.valueOf(withoutFence(() -> call("acquire-shared", "r:1", TTL, "1")))).contains("!");
		waiter.awaitEvent("reserved " + this.key);
	}

	@Test
	void renewalThatTakesLongerThanTheTtlLeavesNoLockForEver() {
		call("acquire-shared", "r:1", TTL, "1");
		call("acquire-shared", "r:2", TTL, "1");
		redis.zadd(this.readers, store.micros() / 1_000.0 - 1, "r:2");
		callLate("renew", "1", "r:1", "1");
		// from 7.2 on, time stands still in a script, and the millisecond begins with the
		// end of the call
		assertThat(redis.pttl(this.lock)).as("lock").isIn(-2L, 0L, 1L);
		assertThat(redis.pttl(this.readers)).as("readers").isIn(-2L, 0L, 1L);
	}

	@Test
	void whoHasALockAloneSharesItAlsoWhereThereIsNoMemoryLeft() {
		call("acquire", "a:1", TTL, "1");
		assertThat(withoutMemory(() -> call("share", "a:1", TTL))).containsExactly(1L);
		assertThat(call("renew", "1", "a:1", TTL)).containsExactly("1");
		assertThat(redis.get(this.lock)).isEqualTo("&a:1");
	}

	@Test
	void onlyReaderWhoAsksAgainHasTheLockAlsoWhereThereIsNoMemoryLeft() {
		call("acquire-shared", "r:1", TTL, "1");
		assertThat(withoutMemory(() -> call("acquire-shared", "r:1", "60000", "1"))).singleElement()
			.isInstanceOf(Long.class);
		assertThat(redis.pttl(this.lock)).isGreaterThan(30_000);
		assertThat(withoutMemory(
				() -> call(List.of(this.lock + "-other"), List.of("+", "acquire-shared", "r:1", TTL, "1"))))
			.singleElement()
			.asString()
			.startsWith("!")
			.contains("OOM command not allowed");
	}

	private List<Object> withoutMemory(Supplier<List<Object>> calls) {
		store.redis().configSet("maxmemory", "1");
		try {
			return calls.get();
		}
		finally {
			store.redis().configSet("maxmemory", "0");
		}
	}

	/**
	 * Call without the right to write the fence, which takes a selector of Redis 7.
	 */
	private List<Object> withoutFence(Supplier<List<Object>> calls) {
		assumeTrue(redis.info("server").lines().noneMatch((line) -> line.matches("redis_version:[0-6]\\..*")));
		TestStore.acl(server, "reader", "-set", "(+set ~{lock}lock:*)");
		try {
			return calls.get();
		}
		finally {
			TestStore.acl(server, "reader", "+set", "clearselectors");
		}
	}

	@Test
	void renewalThatIsSentAgainLeavesALaterOneAlone() {
		for (String owner : List.of("r:1", "r:2")) {
			call("acquire-shared", owner, "1000", "1");
		}
		call("renew", "1", "r:1", "60000");
		assertThat(call("renew+again", "1", "r:1", "1000")).containsExactly("1");
		assertThat(redis.pttl(this.lock)).isGreaterThan(30_000);
		call("acquire-shared", "a:1", "60000", "1");
		call("release", "r:1");
		call("release", "r:2");
		call("renew", "1", "a:1", "60000");
		assertThat(call("renew+again", "1", "a:1", "1000")).containsExactly("1");
		assertThat(redis.get(this.lock)).isEqualTo("&a:1");
		assertThat(redis.pttl(this.lock)).isGreaterThan(30_000);
		assertThat(call("renew", "1", "a:1", "1000")).containsExactly("1");
		assertThat(redis.pttl(this.lock)).isLessThan(30_000);
	}

	/**
	 * Execute a command in a call that looked at the clock a while before.
	 */
	private List<Object> callLate(String... command) {
		List<String> locks = new ArrayList<>(List.of(this.lock + "-other"));
		List<String> commands = new ArrayList<>(List.of("+", "acquire-shared", "r:1", TTL, "1", "+", "renew", "20000"));
		IntStream.range(0, 20_000).forEach((i) -> {
			locks.add(this.lock + "-none");
			commands.addAll(List.of("r:1", TTL));
		});
		locks.add(this.lock);
		commands.addAll(ScriptTexts.inFull(List.of(command)));
		return call(locks, commands);
	}

	private List<Object> call(String... command) {
		return call(List.of(this.lock), ScriptTexts.inFull(List.of(command)));
	}

	private List<Object> call(List<String> locks, List<String> commands) {
		return redis
			.eval(this.script, ScriptOutputType.MULTI,
					Stream.concat(Stream.of("{lock}fence"), locks.stream().map(ScriptTexts::keys).flatMap(List::stream))
						.toArray(String[]::new),
					Stream.concat(Stream.of(""), commands.stream()).toArray(String[]::new));
	}

}
