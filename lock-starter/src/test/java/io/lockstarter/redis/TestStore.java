// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.store.LockStore.Signals;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * A store with a connection factory of its own, and short ways to use it.
 */
public final class TestStore implements AutoCloseable {

	static final Duration TTL = Duration.ofMinutes(1);

	static final int TOKENS = 10_000;

	/**
	 * Keys are reserved for so long that a machine which stands still for a moment does
	 * not let another one have them.
	 */
	static final RedisStoreSettings SETTINGS = RedisStoreSettings.defaults().withReservation(Duration.ofSeconds(1));

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z_]+)(?:\\|[a-z]+)?:calls=(\\d+)");

	private final RedisServer server;

	private final LettuceConnectionFactory factory;

	private final RedisLockStore store;

	TestStore(RedisServer server) {
		this(server, server.connectionFactory(), SETTINGS);
	}

	TestStore(RedisServer server, LettuceConnectionFactory factory, RedisStoreSettings settings) {
		this.server = server;
		this.factory = factory;
		this.store = new RedisLockStore(factory, settings, Duration.ofMillis(500));
	}

	/**
	 * Connect through a proxy.
	 */
	static TestStore over(TcpProxy proxy, RedisServer server) {
		return new TestStore(server, server.connectionFactory((configuration) -> {
			configuration.setHostName(proxy.host());
			configuration.setPort(proxy.port());
		}, (clientConfiguration) -> {
		}), SETTINGS);
	}

	/**
	 * Log in as a user who may do everything but what the rules say.
	 */
	static TestStore withAcl(RedisServer server, String user, String... rules) {
		acl(server, user, "reset", "on", ">secret", "~*", "&*", "+@all");
		acl(server, user, rules);
		return new TestStore(server, server.connectionFactory((configuration) -> {
			configuration.setUsername(user);
			configuration.setPassword("secret");
		}, (clientConfiguration) -> {
		}), SETTINGS);
	}

	/**
	 * Add rules for a user.
	 */
	public static void acl(RedisServer server, String user, String... rules) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(user);
		List.of(rules).forEach(args::add);
		server.commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
	}

	RedisLockStore store() {
		return this.store;
	}

	LettuceConnectionFactory factory() {
		return this.factory;
	}

	RedisCommands<String, String> redis() {
		return this.server.commands();
	}

	CompletableFuture<AcquireReply> acquire(String key, String owner, boolean enqueue) {
		return this.store.acquire(new Acquire(key, instance(owner), owner, TTL, enqueue, TOKENS));
	}

	Acquired take(String key, String owner) {
		return (Acquired) value(acquire(key, owner, false));
	}

	Busy findBusy(String key, String owner, boolean enqueue) {
		return (Busy) value(acquire(key, owner, enqueue));
	}

	/**
	 * Find a lock busy, and wait until it is granted.
	 */
	Busy awaitGrant(String key, String owner, int tokens) {
		return (Busy) value(this.store.acquire(
				new Acquire(key, instance(owner), owner, TTL, Queueing.GRANTED, tokens, true, LockMode.EXCLUSIVE)));
	}

	CompletableFuture<Boolean> release(String key, String owner, boolean requeue) {
		return this.store.release(new Release(key, instance(owner), owner, requeue));
	}

	CompletableFuture<Boolean> keep(String key, String owner, Duration ttl) {
		return this.store.keep(new Renew(key, owner, ttl));
	}

	boolean release(String key, String owner) {
		return value(release(key, owner, false));
	}

	boolean renew(String key, String owner) {
		return value(this.store.renew(List.of(new Renew(key, owner, TTL)))).get(0);
	}

	Recorder listen(String instance) {
		Recorder recorder = new Recorder();
		this.store.listen(instance, recorder);
		recorder.awaitEvent("listening");
		return recorder;
	}

	/**
	 * Return how often which commands were called meanwhile, those inside of scripts
	 * included.
	 */
	Map<String, Integer> callsDuring(Runnable action) {
		// One that forgot everything notes who it is when it is asked.
		soon().until(() -> {
			take("warm-up-" + UUID.randomUUID(), "warm-up:1");
			return redis().exists("{lock}server") == 1;
		});
		redis().configResetstat();
		action.run();
		Map<String, Integer> calls = new TreeMap<>();
		Matcher matcher = CALLS.matcher(redis().info("commandstats"));
		while (matcher.find()) {
			// Redis 6.2 does not tell subcommands apart.
			calls.merge(matcher.group(1), Integer.valueOf(matcher.group(2)), Integer::sum);
		}
		calls.keySet().removeIf((command) -> command.startsWith("config"));
		// Any call may look at who the server is, and at who handed out tokens last.
		Integer looks = calls.remove("info");
		if (looks != null) {
			calls.computeIfPresent("get", (command, count) -> (count > looks) ? Integer.valueOf(count - looks) : null);
		}
		assertThat(calls.remove("evalsha")).as("evalsha").isEqualTo(1);
		return calls;
	}

	/**
	 * Return the names of all keys that match. By script, because the method for it has
	 * another signature in older versions of Lettuce.
	 */
	List<String> keys(String pattern) {
		return redis().eval("return redis.call('KEYS', ARGV[1])", ScriptOutputType.MULTI, new String[0], pattern);
	}

	/**
	 * Return the server's time.
	 */
	long micros() {
		List<String> time = redis().time();
		return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
	}

	/**
	 * Return the lines about our connections, the test's own excepted.
	 */
	List<String> clients() {
		return redis().clientList().lines().filter((client) -> !client.contains("cmd=client")).toList();
	}

	static <T> T value(CompletableFuture<T> reply) {
		assertThat(reply).succeedsWithin(PATIENCE);
		return reply.join();
	}

	static LockStoreException failure(CompletableFuture<?> reply) {
		Throwable thrown = catchThrowable(() -> reply.orTimeout(10, TimeUnit.SECONDS).join());
		assertThat(thrown).isInstanceOf(CompletionException.class).hasCauseInstanceOf(LockStoreException.class);
		return (LockStoreException) thrown.getCause();
	}

	static ConditionFactory soon() {
		return await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
	}

	private static String instance(String owner) {
		return owner.substring(0, owner.lastIndexOf(':'));
	}

	@Override
	public void close() {
		this.store.close();
		this.factory.destroy();
	}

	/**
	 * Keeps the signals it got, in order.
	 */
	static class Recorder implements Signals {

		private final Queue<String> events = new ConcurrentLinkedQueue<>();

		@Override
		public void reserved(String key) {
			this.events.add("reserved " + key);
		}

		@Override
		public void granted(String key, String ownerId, Acquired tokens) {
			this.events.add("granted %s to %s with %d%s".formatted(key, ownerId,
					tokens.lastToken() - tokens.firstToken() + 1, tokens.contended() ? ", contended" : ""));
		}

		@Override
		public void contended(String key) {
			this.events.add("contended " + key);
		}

		@Override
		public void forced(String key, String ownerId) {
			this.events.add("forced " + key + " " + ownerId);
		}

		@Override
		public void listening(boolean active) {
			this.events.add(active ? "listening" : "deaf");
		}

		Queue<String> events() {
			return this.events;
		}

		void awaitEvent(String event) {
			soon().untilAsserted(() -> assertThat(this.events).contains(event));
		}

	}

}
