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

import org.jspecify.annotations.Nullable;

import io.lockstarter.engine.LockStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks in one Redis (6.2 or newer, or Valkey), or in the primary that Sentinel
 * names. Every command is one Lua script and one round trip, over a connection of its own
 * beside the application's; signals come over a second one, opened at the first
 * contention. Thread-safe.
 * <p>
 * A lock {@code K} is the key {@code {lock:K}}, see {@link RedisNames} for the others.
 * All of them expire.
 */
public final class RedisLockStore implements LockStore {

	private final RedisStoreSettings settings;

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
		this.settings = settings;
		this.names = new RedisNames(settings.keyPrefix());
		this.client = new NativeClient(factory);
		this.link = new CommandLink(this.client, () -> this.subscriptions.values().forEach(SignalSubscription::ensure),
				() -> this.subscriptions.values().forEach(SignalSubscription::drop));
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		String key = command.key();
		String[] keys = { this.names.lock(key), this.names.fence(key), this.names.queue(key) };
		String[] args = { command.instance(), command.ownerId(), millis(command.ttl()), command.enqueue() ? "1" : "0",
				millis(longer(command.ttl(), this.settings.fenceRetention())), this.names.channels(), key,
				Integer.toString(command.tokens()) };
		return run(LuaScript.ACQUIRE, key, keys, args, (reply, repeated) -> acquireReply(reply));
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		String place = command.requeue() ? "join" : "keep";
		return handOver(command.key(), command.instance(), command.ownerId(), place, (reply, repeated) -> {
			boolean held = isOne(reply.get(0));
			// If not, the first execution may have released it.
			return (held || !repeated) ? held : null;
		});
	}

	@Override
	public CompletableFuture<List<Boolean>> renew(List<Renew> commands) {
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(List.of());
		}
		String[] keys = new String[commands.size()];
		String[] args = new String[2 * keys.length];
		for (int i = 0; i < keys.length; i++) {
			Renew command = commands.get(i);
			keys[i] = this.names.lock(command.key());
			args[2 * i] = command.ownerId();
			args[2 * i + 1] = millis(command.ttl());
		}
		String subject = (keys.length == 1) ? commands.get(0).key()
				: "%s and %d others".formatted(commands.get(0).key(), keys.length - 1);
		return run(LuaScript.RENEW, subject, keys, args,
				(reply, repeated) -> reply.stream().map(RedisLockStore::isOne).toList());
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return handOver(key, instance, "!" + instance, "leave", (reply, repeated) -> isOne(reply.get(0)));
	}

	/**
	 * Connect ahead of the first command, which finds out if that fails.
	 */
	@Override
	public void open() {
		ScriptCall<Boolean> withdrawn = new ScriptCall<>(LuaScript.RENEW, "nothing", new String[0], new String[0],
				(reply, repeated) -> true);
		withdrawn.result().cancel(false);
		this.link.send(withdrawn);
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

	private CompletableFuture<Boolean> handOver(String key, String instance, String holder, String place,
			ScriptCall.ReplyReader<Boolean> reader) {
		String[] keys = { this.names.lock(key), this.names.queue(key) };
		String[] args = { instance, holder, place, millis(this.settings.reservation()), this.names.channels(), key };
		return run(LuaScript.RELEASE, key, keys, args, reader);
	}

	private <T> CompletableFuture<T> run(LuaScript script, String subject, String[] keys, String[] args,
			ScriptCall.ReplyReader<T> reader) {
		ScriptCall<T> call = new ScriptCall<>(script, subject, keys, args, reader);
		this.link.send(call);
		return call.result();
	}

	private static AcquireReply acquireReply(List<@Nullable Object> reply) {
		if (isOne(reply.get(0))) {
			return new Acquired(number(reply.get(1)), number(reply.get(2)), number(reply.get(3)) > 0);
		}
		long remaining = number(reply.get(1));
		return new Busy((String) reply.get(2), (remaining >= 0) ? Duration.ofMillis(remaining) : null);
	}

	private static boolean isOne(@Nullable Object reply) {
		return number(reply) == 1;
	}

	private static long number(@Nullable Object reply) {
		if (reply instanceof Long number) {
			return number;
		}
		throw new IllegalStateException("Not a number: " + reply);
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
