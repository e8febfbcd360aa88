// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockMode;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Platform;
import io.lockstarter.redis.connection.ApplicationRedis;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.ConnectionObserver;
import io.lockstarter.redis.connection.RedisConnections;
import io.lockstarter.redis.connection.RequiredReplicas;
import io.lockstarter.redis.connection.ServerInfo;
import io.lockstarter.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Keeps locks in one Redis (6.2 or newer, or Valkey), in the primary that Sentinel names
 * or that is among several servers, or in a Redis Cluster. Every command is one round
 * trip of a Lua script, which commands that come at the same time share, over a
 * connection of its own beside the application's. Signals come over the same one, unless
 * the application asks for version 2 of the protocol: then none are received. In a
 * cluster there is such a connection to each primary that has locks. Thread-safe.
 * <p>
 * A lock {@code K} is the key {@code {lock}lock:K}, in a cluster {@code {lock:61}lock:K},
 * see {@link RedisNames} for the others. All of them expire.
 */
public class RedisLockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final Duration RETRY_SUBSCRIPTION = Duration.ofSeconds(5);

	private static final String RELEASE = "release";

	// what a command does besides, see commands.lua
	private static final String JOIN = "+join";

	private static final String JOIN_FOR_GRANT = "+join+grant";

	private static final Long FORCED = 2L;

	private static final long CLOSED_WITHIN = TimeUnit.SECONDS.toNanos(1);

	private final ServerLog log;

	private final RedisConnections connections;

	private final List<Bucket> buckets;

	private final LimitedLog unacknowledged;

	private final Platform platform;

	private final ScriptPart part;

	private final Duration grantTerm;

	// null if nobody waits for them
	private final @Nullable RequiredReplicas replicas;

	private final StoreInspection inspection;

	private volatile @Nullable ConnectionListener listener;

	/**
	 * Create a store; connects with the first command, or ahead of it with {@link #open}.
	 * @param factory the application's connection factory, which stays in charge of the
	 * client
	 * @param settings the settings
	 */
	public RedisLockStore(LettuceConnectionFactory factory, RedisStoreSettings settings) {
		this(factory, settings, RETRY_SUBSCRIPTION);
	}

	RedisLockStore(LettuceConnectionFactory factory, RedisStoreSettings settings, Duration retrySubscription) {
		this(ApplicationRedis.of(factory), settings, retrySubscription);
	}

	/**
	 * Create a store for a client that knows its address; connects with the first
	 * command, or ahead of it with {@link #open}.
	 * @param client the client, which its owner shuts down after this store was closed
	 * @param settings the settings
	 */
	public RedisLockStore(RedisClient client, RedisStoreSettings settings) {
		this(ApplicationRedis.of(client), settings);
	}

	/**
	 * Create a store in a cluster; connects with the first command, or ahead of it with
	 * {@link #open}.
	 * @param client the client, which its owner shuts down after this store was closed
	 * @param settings the settings
	 */
	public RedisLockStore(RedisClusterClient client, RedisStoreSettings settings) {
		this(ApplicationRedis.of(client), settings);
	}

	/**
	 * Create a store; connects with the first command, or ahead of it with {@link #open}.
	 * @param application where the servers are
	 * @param settings the settings
	 */
	protected RedisLockStore(ApplicationRedis application, RedisStoreSettings settings) {
		this(application, settings, RETRY_SUBSCRIPTION);
	}

	private RedisLockStore(ApplicationRedis application, RedisStoreSettings settings, Duration retrySubscription) {
		boolean cluster = application.isCluster();
		settings.scriptPart().check(settings, cluster);
		// Not those of its own settings while an application starts, but when somebody
		// connects.
		Supplier<StoreScripts> texts = SingletonSupplier.of(() -> StoreScripts.of(settings, cluster));
		List<RedisNames> names = RedisNames.of(settings.keyPrefix(), cluster);
		this.platform = application.platform();
		this.part = settings.scriptPart();
		this.grantTerm = StoreScripts.grantTerm(settings);
		this.replicas = (settings.replicasAcknowledged() > 0)
				? new RequiredReplicas(settings.replicasAcknowledged(), settings.acknowledgementTimeout().toMillis())
				: null;
		this.log = new ServerLog(settings.keyPrefix(), cluster, this.part, this.platform.logTimer());
		this.unacknowledged = LimitedLog.warnings(logger,
				"more locks were given back, as too few replicas acknowledged them", this.platform.logTimer());
		List<LockScript> scripts = new ArrayList<>();
		for (RedisNames each : names) {
			scripts.add(new LockScript(texts, each, this.part));
		}
		this.connections = new RedisConnections(application, settings.connectTimeout(), retrySubscription,
				this.replicas != null, scripts, new Connected());
		this.buckets = new ArrayList<>();
		for (RedisNames each : names) {
			this.buckets.add(new Bucket(each, this.part, this.connections, this.buckets.size()));
		}
		this.inspection = new StoreInspection(this.connections, names, texts);
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		String key = command.key();
		int tokens = command.tokens();
		boolean shared = command.mode() == LockMode.SHARED;
		String flags = flags(command);
		boolean brief = !shared && !command.held() && flags.equals(LockRequest.ALL_KEYS);
		BulkStrings arguments = new BulkStrings(128);
		if (!brief) {
			arguments.add(flags);
		}
		if (command.held()) {
			// of as many locks, like a renewal
			arguments.add("prolong").add(1);
		}
		else {
			arguments.add(shared ? "acquire-shared" : "acquire");
		}
		arguments.add(command.ownerId()).add(command.ttl().toMillis()).add(tokens);
		Bucket bucket = bucketOf(key);
		LockRequest request = brief ? bucket.brief(List.of(key), arguments, true)
				: bucket.full(List.of(key), arguments);
		return bucket.send(new LockCommand<>("acquire", key, request,
				(reply, repeated) -> (reply instanceof Long token) ? acquired(token, tokens)
						: command.held() ? notProlonged((String) reply, command) : busy((String) reply),
				true, acknowledged(List.of(command))));
	}

	private AcquireReply notProlonged(String reply, Acquire command) {
		var unused = renewed(List.of(new Renew(command.key(), command.ownerId(), command.ttl())), reply);
		return new Busy(null, Duration.ZERO);
	}

	/**
	 * Take all keys in one step of the script, if they have the same hash tag.
	 */
	@Override
	public CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		Bucket bucket = commonBucket(commands, Acquire::key);
		if (bucket == null) {
			return LockStore.super.acquireAll(commands);
		}
		List<String> keys = commands.stream().map(Acquire::key).toList();
		BulkStrings arguments = new BulkStrings(96 * commands.size()).add("acquire-all").add(commands.size());
		for (Acquire command : commands) {
			arguments.add(command.ownerId()).add(command.ttl().toMillis()).add(command.tokens());
		}
		return bucket.send(new LockCommand<>("acquire", subject(keys), bucket.brief(keys, arguments, true),
				(reply, repeated) -> acquireAllReply((String) reply, commands), true, acknowledged(commands)));
	}

	/**
	 * Send a command that the part of the script adds.
	 * @param verb what it does, for messages
	 * @param key the key of the lock
	 * @param name the name of the command
	 * @param ownerId the owner id
	 * @param argument its other argument
	 * @param needsPrimary whether nobody but a primary may execute it, as somebody gets
	 * tokens by it
	 * @return whether the reply is 1
	 */
	protected CompletableFuture<Boolean> send(String verb, String key, String name, String ownerId, String argument,
			boolean needsPrimary) {
		Bucket bucket = bucketOf(key);
		BulkStrings arguments = inFull(LockRequest.ALL_KEYS, name, ownerId).add(argument);
		return bucket.send(new LockCommand<>(verb, key, bucket.full(List.of(key), arguments),
				(reply, repeated) -> isOne(reply), needsPrimary, null));
	}

	private @Nullable ReplicaAcknowledgement acknowledged(List<Acquire> commands) {
		return (this.replicas == null) ? null
				: new ReplicaAcknowledgement(this.replicas, () -> giveBack(commands), this.unacknowledged);
	}

	private CompletableFuture<?> giveBack(List<Acquire> commands) {
		return CompletableFuture.allOf(commands.stream()
			.map((command) -> release(command.key(), command.ownerId(), true, (reply, repeated) -> isOne(reply)))
			.toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public boolean isShareable() {
		return this.part.isShareable();
	}

	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		String key = command.key();
		BulkStrings arguments = inFull(LockRequest.ALL_KEYS, "share", command.ownerId()).add(command.ttl().toMillis());
		Bucket bucket = bucketOf(key);
		return bucket.send(new LockCommand<>("share", key, bucket.full(List.of(key), arguments),
				(reply, repeated) -> held(reply, false, key, command.ownerId())));
	}

	@Override
	public Duration grantTerm() {
		return this.grantTerm;
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		LockCommand.ReplyReader<Boolean> reader = (reply, repeated) -> held(reply, repeated, command.key(),
				command.ownerId());
		return switch (command.queueing()) {
			case NONE -> release(command.key(), command.ownerId(), !command.contended(), reader);
			case RESERVED -> handOver(command.key(), inFull(JOIN, RELEASE, command.ownerId()), reader);
			case GRANTED -> handOver(command.key(),
					inFull(JOIN_FOR_GRANT, RELEASE, command.ownerId()).add(command.tokens()), reader);
		};
	}

	/**
	 * Release by a command of its own, which also tells the holder's instance.
	 */
	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return handOver(key, inFull("+force", RELEASE, ownerId), (reply, repeated) -> {
			if (repeated && !isOne(reply)) {
				// The first execution may have done it.
				return reply.equals(FORCED) ? Boolean.TRUE : null;
			}
			return isOne(reply);
		});
	}

	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return this.inspection.inspect(key);
	}

	@Override
	public CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return scan("", cursor, limit);
	}

	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return this.inspection.scan(prefix, cursor, limit);
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(List.of());
		}
		Bucket bucket = commonBucket(commands, Renew::key);
		if (bucket == null) {
			return renewInParts(commands);
		}
		List<String> keys = commands.stream().map(Renew::key).toList();
		LockCommand<List<@Nullable Boolean>> command = new LockCommand<>("renew", subject(keys),
				bucket.brief(keys, renewal(commands), "+again", commands.stream().noneMatch(Renew::shared)),
				(reply, repeated) -> renewed(commands, (String) reply));
		return bucket.sendRenewal(command);
	}

	/**
	 * Keep a key by another value than the owner id.
	 */
	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		String key = command.key();
		BulkStrings arguments = inFull(LockRequest.ALL_KEYS, "keep", command.ownerId()).add(command.ttl().toMillis());
		Bucket bucket = bucketOf(key);
		LockCommand<Boolean> kept = new LockCommand<>("keep", key, bucket.full(List.of(key), arguments),
				(reply, repeated) -> held(reply, repeated, key, command.ownerId()));
		return bucket.sendRenewal(kept);
	}

	@Override
	public int partition(String key) {
		return RedisNames.bucketOf(key, this.buckets.size());
	}

	@Override
	public int partitions() {
		return this.buckets.size();
	}

	// The engine does not ask for it, but what stands between it and the store may.
	private CompletableFuture<List<@Nullable Boolean>> renewInParts(List<Renew> commands) {
		Map<Bucket, List<Renew>> parts = commands.stream()
			.collect(Collectors.groupingBy((command) -> bucketOf(command.key()), LinkedHashMap::new,
					Collectors.toList()));
		Map<Renew, CompletableFuture<@Nullable Boolean>> answers = new HashMap<>();
		parts.values().forEach((part) -> {
			CompletableFuture<List<@Nullable Boolean>> answer = renew(part);
			for (int i = 0; i < part.size(); i++) {
				int index = i;
				answers.put(part.get(i), answer.thenApply((held) -> held.get(index)));
			}
		});
		List<CompletableFuture<@Nullable Boolean>> inOrder = commands.stream().map(answers::get).toList();
		return CompletableFuture.allOf(inOrder.toArray(CompletableFuture<?>[]::new))
			.thenApply((done) -> inOrder.stream().map(CompletableFuture::join).toList());
	}

	private List<@Nullable Boolean> renewed(List<Renew> commands, String reply) {
		for (int i = reply.indexOf('2'); i >= 0; i = reply.indexOf('2', i + 1)) {
			tellForced(commands.get(i).key(), commands.get(i).ownerId());
		}
		List<@Nullable Boolean> held = new ArrayList<>(commands.size());
		reply.chars().forEach((digit) -> held.add((digit != '?') ? Boolean.valueOf(digit == '1') : null));
		return held;
	}

	/**
	 * Return whether an owner id held a lock.
	 * @param over whether that may be over by an execution before
	 * @return whether it did; {@code null} if nobody knows
	 */
	private @Nullable Boolean held(Object reply, boolean over, String key, String ownerId) {
		if (reply.equals(FORCED)) {
			tellForced(key, ownerId);
			return false;
		}
		return (isOne(reply) || !over) ? isOne(reply) : null;
	}

	private void tellForced(String key, String ownerId) {
		ConnectionListener told = this.listener;
		if (told != null) {
			told.forced(key, ownerId);
		}
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return handOver(key, inFull(LockRequest.ALL_KEYS, "leave", instance), (reply, repeated) -> isOne(reply));
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener connectionListener) {
		this.listener = connectionListener;
		return this.connections.open();
	}

	@Override
	public void listen(String instance, Signals signals) {
		JoinedSignals joined = new JoinedSignals(signals, this.buckets.size());
		for (Bucket bucket : this.buckets) {
			bucket.listen(instance, joined.part());
		}
	}

	@Override
	public void ignore(String instance) {
		this.buckets.forEach((bucket) -> bucket.ignore(instance));
	}

	/**
	 * Return how many connections for commands and for signals are open.
	 */
	@Override
	public int connectionCount() {
		return this.connections.count();
	}

	/**
	 * Give up all connections, and wait for a moment until they are closed: whoever shuts
	 * the client down next finds nothing left to close.
	 */
	@Override
	public void close() {
		try {
			// If it takes longer they close later, or the client closes them.
			this.platform.await(this.connections.close(), CLOSED_WITHIN);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Bucket bucketOf(String key) {
		return this.buckets.get(partition(key));
	}

	private <T> @Nullable Bucket commonBucket(List<T> commands, Function<T, String> keyOf) {
		Bucket first = bucketOf(keyOf.apply(commands.get(0)));
		boolean common = this.buckets.size() == 1
				|| commands.stream().allMatch((command) -> bucketOf(keyOf.apply(command)) == first);
		return common ? first : null;
	}

	private CompletableFuture<Boolean> release(String key, String holder, boolean alone,
			LockCommand.ReplyReader<Boolean> reader) {
		BulkStrings arguments = new BulkStrings(96).add(RELEASE).add(holder);
		return handOver(key, bucketOf(key).brief(List.of(key), arguments, alone), reader);
	}

	private CompletableFuture<Boolean> handOver(String key, BulkStrings arguments,
			LockCommand.ReplyReader<Boolean> reader) {
		return handOver(key, bucketOf(key).full(List.of(key), arguments), reader);
	}

	private CompletableFuture<Boolean> handOver(String key, LockRequest request,
			LockCommand.ReplyReader<Boolean> reader) {
		return bucketOf(key).send(new LockCommand<>("release", key, request, reader, !this.grantTerm.isZero(), null));
	}

	private static String flags(Acquire command) {
		String left = command.queued() ? "+leave" : "";
		return switch (command.queueing()) {
			case NONE -> left.isEmpty() ? LockRequest.ALL_KEYS : left;
			case RESERVED -> left + JOIN;
			case GRANTED -> left + JOIN_FOR_GRANT;
		};
	}

	private static BulkStrings inFull(String flags, String name, String holder) {
		return new BulkStrings(96).add(flags).add(name).add(holder);
	}

	private static BulkStrings renewal(List<Renew> commands) {
		BulkStrings arguments = new BulkStrings(16 + 80 * commands.size()).add("renew").add(commands.size());
		for (Renew command : commands) {
			arguments.add(command.ownerId()).add(command.ttl().toMillis());
		}
		return arguments;
	}

	private static String subject(List<String> keys) {
		return (keys.size() == 1) ? keys.get(0) : "%s and %d others".formatted(keys.get(0), keys.size() - 1);
	}

	private static AcquireAllReply acquireAllReply(String reply, List<Acquire> commands) {
		if (!reply.startsWith(LockCommand.ACQUIRED)) {
			String[] busy = reply.split(" ", 2);
			return new AcquireAllReply(List.of(), commands.get(Integer.parseInt(busy[0]) - 1).key(), busy(busy[1]));
		}
		String[] tokens = reply.substring(LockCommand.ACQUIRED.length()).split(" ", -1);
		List<Acquired> acquired = new ArrayList<>(tokens.length);
		for (int i = 0; i < tokens.length; i++) {
			acquired.add(acquired(Long.parseLong(tokens[i]), commands.get(i).tokens()));
		}
		return new AcquireAllReply(acquired, null, null);
	}

	private static Acquired acquired(long token, int tokens) {
		long first = Math.abs(token);
		return new Acquired(first, first + tokens - 1, token < 0);
	}

	private static Busy busy(String reply) {
		// The holder is somebody's text: it may have spaces itself.
		String[] parts = reply.split(" ", 4);
		long remaining = Long.parseLong(parts[0]);
		Duration setBack = Duration.ofMillis(Long.parseLong(parts[1]));
		return new Busy(parts[3].isEmpty() ? null : parts[3], (remaining >= 0) ? Duration.ofMillis(remaining) : null,
				setBack, Long.parseLong(parts[2]));
	}

	private static boolean isOne(Object reply) {
		return reply.equals(1L);
	}

	/**
	 * Told of connections: what is lost with one goes to the log, or to the engine.
	 */
	private final class Connected implements ConnectionObserver {

		@Override
		public void connected(RedisURI address, ServerInfo server, boolean again) {
			RedisLockStore.this.log.connected(address, server, again);
		}

		@Override
		public void reconnected() {
			ConnectionListener told = RedisLockStore.this.listener;
			if (told != null) {
				told.reconnected();
			}
		}

		@Override
		public void reordered(int bucket) {
			ConnectionListener told = RedisLockStore.this.listener;
			if (told != null) {
				told.reordered(bucket, Duration.ZERO);
			}
		}

		@Override
		public void unreachable(RedisURI address, String reason) {
			RedisLockStore.this.log.unreachable(address, reason);
		}

		@Override
		public void reachable(RedisURI address, String after) {
			RedisLockStore.this.log.reachable(address, after);
		}

		@Override
		public void notSubscribed(String channel, String reason) {
			RedisLockStore.this.log.notSubscribed(channel, reason);
		}

		@Override
		public void subscribedAgain(String channel) {
			RedisLockStore.this.log.subscribedAgain(channel);
		}

	}

}
