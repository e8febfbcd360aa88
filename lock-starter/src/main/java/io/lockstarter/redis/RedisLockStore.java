package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.lockstarter.engine.LockStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks in one Redis (6.2 or newer, or Valkey), or in the primary that Sentinel
 * names. Every command is one round trip of a Lua script, which commands that come at the
 * same time share, over a connection of its own beside the application's; signals come
 * over a second one, opened at the first contention. Thread-safe.
 * <p>
 * A lock {@code K} is the key {@code {lock:K}}, see {@link RedisNames} for the others.
 * All of them expire.
 */
public final class RedisLockStore implements LockStore {

	private final RedisNames names;

	private final NativeClient client;

	private final Map<String, SignalSubscription> subscriptions = new ConcurrentHashMap<>();

	private final CommandLink link;

	/**
	 * Create a store; connects with the first command.
	 * @param factory the application's connection factory, which stays in charge of the
	 * client
	 * @param settings the settings
	 */
	public RedisLockStore(LettuceConnectionFactory factory, RedisStoreSettings settings) {
		this.names = new RedisNames(settings.keyPrefix());
		this.client = new NativeClient(factory);
		BulkStrings sharedArguments = new BulkStrings().add(settings.keyPrefix())
			.add(settings.reservation().toMillis())
			.add(settings.fenceRetention().toMillis());
		this.link = new CommandLink(this.client, sharedArguments,
				() -> this.subscriptions.values().forEach(SignalSubscription::ensure),
				() -> this.subscriptions.values().forEach(SignalSubscription::drop));
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		String key = command.key();
		int tokens = command.tokens();
		BulkStrings keys = new BulkStrings().add(this.names.lock(key))
			.add(this.names.fence(key))
			.add(this.names.queue(key));
		BulkStrings arguments = new BulkStrings().add(command.enqueue() ? "acquire-or-queue" : "acquire")
			.add(command.ownerId())
			.add(command.ttl().toMillis())
			.add(tokens);
		return send(
				new LockCommand<>("acquire", key, keys, arguments, (reply, repeated) -> acquireReply(reply, tokens)));
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return handOver(command.key(), command.requeue() ? "release-and-queue" : "release", command.ownerId(),
				(reply, repeated) -> {
					boolean held = isOne(reply);
					// If not, the first execution may have released it.
					return (held || !repeated) ? held : null;
				});
	}

	@Override
	public CompletableFuture<List<Boolean>> renew(List<Renew> commands) {
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(List.of());
		}
		BulkStrings keys = new BulkStrings();
		BulkStrings arguments = new BulkStrings().add("renew").add(commands.size());
		for (Renew command : commands) {
			keys.add(this.names.lock(command.key()));
			arguments.add(command.ownerId()).add(command.ttl().toMillis());
		}
		String subject = (commands.size() == 1) ? commands.get(0).key()
				: "%s and %d others".formatted(commands.get(0).key(), commands.size() - 1);
		return send(new LockCommand<>("renew", subject, keys, arguments,
				(reply, repeated) -> ((String) reply).chars().mapToObj((digit) -> digit == '1').toList()));
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return handOver(key, "leave", "!" + instance, (reply, repeated) -> isOne(reply));
	}

	/**
	 * Connect ahead of the first command, which finds out if that fails.
	 */
	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		LockCommand<Boolean> withdrawn = new LockCommand<>("acquire", "nothing", new BulkStrings(), new BulkStrings(),
				(reply, repeated) -> true);
		withdrawn.cancel(false);
		this.link.send(withdrawn);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void listen(String instance, Signals signals) {
		SignalSubscription subscription = new SignalSubscription(this.client, this.names.channel(instance), signals);
		SignalSubscription previous = this.subscriptions.put(instance, subscription);
		if (previous != null) {
			previous.close();
		}
		subscription.ensure();
	}

	/**
	 * Give up all connections, and wait for a moment until they are closed: whoever shuts
	 * the client down next finds nothing left to close.
	 */
	@Override
	public void close() {
		Stream<CompletionStage<?>> closing = Stream.concat(Stream.of(this.link.close()),
				this.subscriptions.values().stream().map(SignalSubscription::close));
		try {
			CompletableFuture.allOf(closing.map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
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
		BulkStrings keys = new BulkStrings().add(this.names.lock(key)).add(this.names.queue(key));
		BulkStrings arguments = new BulkStrings().add(name).add(holder);
		return send(new LockCommand<>("release", key, keys, arguments, reader));
	}

	private <T> CompletableFuture<T> send(LockCommand<T> command) {
		this.link.send(command);
		return command;
	}

	private static AcquireReply acquireReply(Object reply, int tokens) {
		if (reply instanceof Long token) {
			long first = Math.abs(token);
			return new Acquired(first, first + tokens - 1, token < 0);
		}
		// The holder is somebody's text: it may have spaces itself.
		String[] busy = ((String) reply).split(" ", 3);
		long remaining = Long.parseLong(busy[0]);
		Duration setBack = Duration.ofMillis(Long.parseLong(busy[1]));
		return new Busy(busy[2].isEmpty() ? null : busy[2], (remaining >= 0) ? Duration.ofMillis(remaining) : null,
				setBack);
	}

	private static boolean isOne(Object reply) {
		return reply.equals(1L);
	}

}
