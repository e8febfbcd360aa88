/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.engine.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks in one Redis (6.2 or newer, or Valkey), or in the primary that Sentinel
 * names. Every command is one round trip of a Lua script, which commands that come at the
 * same time share, over a connection of its own beside the application's; signals come
 * over a second one, opened at the first contention. Thread-safe.
 * <p>
 * A lock {@code K} is the key {@code {lock}lock:K}, see {@link RedisNames} for the
 * others. All of them expire.
 */
public final class RedisLockStore implements LockStore {

	private static final String ALL = "=";

	private static final Duration RETRY_SUBSCRIPTION = Duration.ofSeconds(5);

	private static final Long FORCED = 2L;

	private final RedisNames names;

	private final ServerLog log;

	private final LettuceClients clients;

	private final Map<String, SignalSubscription> subscriptions = new ConcurrentHashMap<>();

	private final CommandLink link;

	private final SentinelWatch sentinels;

	private final StoreInspection inspection;

	private final Duration retrySubscription;

	private volatile @Nullable ConnectionListener listener;

	private volatile @Nullable String runId;

	/**
	 * Create a store; connects with the first command, or ahead of it with {@link #open}.
	 * @param factory the application's connection factory, which stays in charge of the
	 * client
	 * @param settings the settings
	 */
	public RedisLockStore(LettuceConnectionFactory factory, RedisStoreSettings settings) {
		this(factory::getNativeClient, settings, RETRY_SUBSCRIPTION);
	}

	/**
	 * Create a store for a client that knows its address; connects with the first
	 * command, or ahead of it with {@link #open}.
	 * @param client the client, which its owner shuts down after this store was closed
	 * @param settings the settings
	 */
	public RedisLockStore(RedisClient client, RedisStoreSettings settings) {
		this(() -> client, settings, RETRY_SUBSCRIPTION);
	}

	RedisLockStore(Supplier<? extends @Nullable AbstractRedisClient> application, RedisStoreSettings settings,
			Duration retrySubscription) {
		this.retrySubscription = retrySubscription;
		this.names = new RedisNames(settings.keyPrefix());
		this.log = new ServerLog(this.names);
		this.clients = new LettuceClients(application, settings.connectTimeout());
		StoreScripts scripts = new StoreScripts(settings);
		this.link = new CommandLink(this.clients, scripts, new Connections());
		this.inspection = new StoreInspection(this.clients, this.names, scripts);
		this.sentinels = new SentinelWatch(this.clients, this.link::check);
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		String key = command.key();
		int tokens = command.tokens();
		BulkStrings arguments = new BulkStrings(128).add(acquireName(command))
			.add(command.ownerId())
			.add(command.ttl().toMillis())
			.add(tokens);
		return send(new LockCommand<>("acquire", key, locks(key), arguments,
				(reply, repeated) -> acquireReply(reply, tokens)));
	}

	/**
	 * Take all keys in one step of the script.
	 */
	@Override
	public CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		BulkStrings keys = new BulkStrings(64 * commands.size());
		BulkStrings arguments = new BulkStrings(96 * commands.size()).add("acquire-all").add(commands.size());
		for (Acquire command : commands) {
			keys.add(this.names.locks(), command.key());
			arguments.add(command.ownerId()).add(command.ttl().toMillis()).add(command.tokens());
		}
		return send(new LockCommand<>("acquire", subject(commands.stream().map(Acquire::key).toList()), keys, arguments,
				(reply, repeated) -> acquireAllReply((String) reply, commands)));
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return handOver(command.key(), command.requeue() ? "release-and-join" : "release", command.ownerId(),
				(reply, repeated) -> {
					boolean held = isOne(reply);
					if (reply.equals(FORCED)) {
						tellForced(command.key(), command.ownerId());
						return false;
					}
					// If not, the first execution may have released it.
					return (held || !repeated) ? held : null;
				});
	}

	/**
	 * Release by a command of its own, which also tells the holder's instance.
	 */
	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return handOver(key, "release-by-force", ownerId, (reply, repeated) -> {
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
		return this.inspection.scan(cursor, limit);
	}

	@Override
	public CompletableFuture<List<Boolean>> renew(List<Renew> commands) {
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(List.of());
		}
		BulkStrings keys = new BulkStrings(64 * commands.size());
		BulkStrings arguments = new BulkStrings(64 * commands.size()).add("renew").add(commands.size());
		for (Renew command : commands) {
			keys.add(this.names.locks(), command.key());
			arguments.add(command.ownerId()).add(command.ttl().toMillis());
		}
		return send(new LockCommand<>("renew", subject(commands.stream().map(Renew::key).toList()), keys, arguments,
				(reply, repeated) -> renewed(commands, (String) reply)));
	}

	private List<Boolean> renewed(List<Renew> commands, String reply) {
		for (int i = reply.indexOf('2'); i >= 0; i = reply.indexOf('2', i + 1)) {
			tellForced(commands.get(i).key(), commands.get(i).ownerId());
		}
		return reply.chars().mapToObj((digit) -> digit == '1').toList();
	}

	private void tellForced(String key, String ownerId) {
		ConnectionListener told = this.listener;
		if (told != null) {
			told.forced(key, ownerId);
		}
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return handOver(key, "leave", instance, (reply, repeated) -> isOne(reply));
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener connectionListener) {
		this.listener = connectionListener;
		return this.link.open();
	}

	@Override
	public void listen(String instance, Signals signals) {
		SignalSubscription subscription = new SignalSubscription(this.clients, () -> this.runId,
				this.names.channel(instance), signals, this.retrySubscription);
		SignalSubscription previous = this.subscriptions.put(instance, subscription);
		if (previous != null) {
			previous.close();
		}
		subscription.ensure();
	}

	@Override
	public void ignore(String instance) {
		SignalSubscription subscription = this.subscriptions.remove(instance);
		if (subscription != null) {
			subscription.close();
		}
	}

	/**
	 * Return how many connections for commands and for signals are open.
	 */
	@Override
	public int connectionCount() {
		int signals = (int) this.subscriptions.values().stream().filter(SignalSubscription::isConnected).count();
		return signals + (this.link.isConnected() ? 1 : 0);
	}

	/**
	 * Give up all connections, and wait for a moment until they are closed: whoever shuts
	 * the client down next finds nothing left to close.
	 */
	@Override
	public void close() {
		List<CompletionStage<?>> closing = new ArrayList<>();
		closing.add(this.link.close());
		closing.add(this.sentinels.close());
		this.subscriptions.values().forEach((subscription) -> closing.add(subscription.close()));
		try {
			this.clients
				.close(CompletableFuture.allOf(
						closing.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new)))
				.get(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// Then they close later, or the client closes them.
		}
	}

	private CompletableFuture<Boolean> handOver(String key, String name, String holder,
			LockCommand.ReplyReader<Boolean> reader) {
		BulkStrings arguments = new BulkStrings(64).add(name).add(holder);
		return send(new LockCommand<>("release", key, locks(key), arguments, reader));
	}

	private BulkStrings locks(String key) {
		return new BulkStrings(this.names.locks().length() + key.length() + 16).add(this.names.locks(), key);
	}

	private <T> CompletableFuture<T> send(LockCommand<T> command) {
		this.link.send(command);
		return command;
	}

	private static String acquireName(Acquire command) {
		if (command.queued()) {
			return command.enqueue() ? "acquire-and-leave-or-join" : "acquire-and-leave";
		}
		return command.enqueue() ? "acquire-or-join" : "acquire";
	}

	private static String subject(List<String> keys) {
		return (keys.size() == 1) ? keys.get(0) : "%s and %d others".formatted(keys.get(0), keys.size() - 1);
	}

	private static AcquireReply acquireReply(Object reply, int tokens) {
		return (reply instanceof Long token) ? acquired(token, tokens) : busy((String) reply);
	}

	private static AcquireAllReply acquireAllReply(String reply, List<Acquire> commands) {
		if (!reply.startsWith(ALL)) {
			String[] busy = reply.split(" ", 2);
			return new AcquireAllReply(List.of(), commands.get(Integer.parseInt(busy[0]) - 1).key(), busy(busy[1]));
		}
		String[] tokens = reply.substring(ALL.length()).split(" ", -1);
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
		String[] parts = reply.split(" ", 3);
		long remaining = Long.parseLong(parts[0]);
		Duration setBack = Duration.ofMillis(Long.parseLong(parts[1]));
		return new Busy(parts[2].isEmpty() ? null : parts[2], (remaining >= 0) ? Duration.ofMillis(remaining) : null,
				setBack);
	}

	private static boolean isOne(Object reply) {
		return reply.equals(1L);
	}

	/**
	 * Keeps what belongs to the server that commands go to beside it.
	 */
	private final class Connections implements CommandLink.Observer {

		@Override
		public void connected(ServerInfo server, boolean again) {
			RedisLockStore store = RedisLockStore.this;
			store.runId = server.runId();
			store.log.connected(store.clients.get().uri(), server, again);
			store.sentinels.ensure();
			store.subscriptions.values().forEach(SignalSubscription::ensure);
			ConnectionListener told = store.listener;
			if (again && told != null) {
				told.reconnected();
			}
		}

		@Override
		public void closed() {
			RedisLockStore store = RedisLockStore.this;
			store.subscriptions.values().forEach(SignalSubscription::close);
			var unused = store.sentinels.close();
		}

		/**
		 * What made it fall silent may have silenced the signals, too.
		 */
		@Override
		public void fellSilent() {
			RedisLockStore.this.subscriptions.values().forEach(SignalSubscription::drop);
		}

	}

}
