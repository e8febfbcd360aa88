package io.lockstarter.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import org.jspecify.annotations.Nullable;

/**
 * One Lettuce connection for commands, which knows how it fares. Lettuce reconnects it,
 * and then sends again what was unanswered. Thread-safe.
 */
final class CommandConnection implements RedisConnectionStateListener {

	/**
	 * How long commands wait inside Lettuce for a lost connection to come back. Lettuce
	 * itself would keep them for ever, and ask for the server more and more rarely.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final int MOST_IN_BATCH = 64;

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final AtomicInteger drops = new AtomicInteger();

	private volatile @Nullable Long downSince;

	private volatile long lastReply = System.nanoTime();

	private volatile boolean silent;

	private final BulkStrings sharedArguments;

	private final EvictionWarning eviction;

	private final Queue<LockCommand<?>> waiting = new ConcurrentLinkedQueue<>();

	// of those that wait; there is a batch under way for each MOST_IN_BATCH of them
	private final AtomicInteger waitingCount = new AtomicInteger();

	private CommandConnection(RedisClient client, StatefulRedisConnection<String, String> connection,
			BulkStrings sharedArguments, EvictionWarning eviction) {
		this.client = client;
		this.eviction = eviction;
		this.connection = connection;
		this.sharedArguments = sharedArguments;
	}

	/**
	 * Open a connection. Blocks.
	 * @param client whose connection
	 * @param sharedArguments what every call of the script is told first
	 * @param eviction told what the server says of its memory
	 * @return the connection
	 */
	static CommandConnection open(RedisClient client, BulkStrings sharedArguments, EvictionWarning eviction) {
		CommandConnection opened = new CommandConnection(client,
				NativeClient.connect(client, (opening) -> opening.connect(StringCodec.UTF8)), sharedArguments,
				eviction);
		opened.watch();
		return opened;
	}

	/**
	 * Return whether commands should be sent here.
	 * @param current the client that is in use now
	 * @return whether this is a connection of that client, and up or likely so soon
	 */
	boolean isUsable(RedisClient current) {
		if (this.client != current || this.silent) {
			return false;
		}
		Long since = this.downSince;
		return since == null
				|| (this.connection.getOptions().isAutoReconnect() && System.nanoTime() - since < PATIENCE.toNanos());
	}

	/**
	 * Return how often the connection was lost so far. A command that sees it change may
	 * have been executed more than once.
	 * @return the number of losses
	 */
	int drops() {
		return this.drops.get();
	}

	/**
	 * A command was answered.
	 */
	void replied() {
		this.lastReply = System.nanoTime();
	}

	/**
	 * A command was given up. If nothing at all was answered since it was sent, the
	 * connection is taken for dead: one that a firewall forgot, or whose host is gone,
	 * looks open for many minutes.
	 * @param sentAt when the command was sent
	 */
	void unanswered(long sentAt) {
		if (this.lastReply - sentAt < 0) {
			this.silent = true;
		}
	}

	boolean isSilent() {
		return this.silent;
	}

	/**
	 * Send a command, together with others that come before the connection is ready to
	 * write it.
	 * @param command what to send
	 */
	void send(LockCommand<?> command) {
		this.waiting.add(command);
		if (this.waitingCount.getAndIncrement() % MOST_IN_BATCH == 0) {
			dispatch(new CommandBatch(this));
		}
	}

	/**
	 * Take out what a batch is to send.
	 * @return the commands that waited longest, to be changed at will
	 */
	List<LockCommand<?>> takeWaiting() {
		int count = this.waitingCount.getAndUpdate((all) -> Math.max(0, all - MOST_IN_BATCH));
		List<LockCommand<?>> taken = new ArrayList<>(Math.min(count, MOST_IN_BATCH));
		while (taken.size() < Math.min(count, MOST_IN_BATCH)) {
			taken.add(this.waiting.remove());
		}
		return taken;
	}

	void dispatch(CommandBatch batch) {
		try {
			this.connection.dispatch(batch);
		}
		catch (RuntimeException ex) {
			batch.completeExceptionally(ex);
		}
	}

	BulkStrings sharedArguments() {
		return this.sharedArguments;
	}

	CompletionStage<?> close() {
		return NativeClient.close(this.connection);
	}

	@Override
	public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
		this.downSince = null;
		prepare();
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		this.drops.incrementAndGet();
		this.downSince = System.nanoTime();
	}

	private void watch() {
		this.connection.addListener(this);
		if (!this.connection.isOpen()) {
			onRedisDisconnected((RedisChannelHandler<?, ?>) this.connection);
		}
		prepare();
	}

	// A script that has to be sent again because the server lacks it lets later commands
	// pass. If either is denied, that is all there is to it.
	private void prepare() {
		this.connection.async().scriptLoad(LuaScript.SOURCE).exceptionally((denied) -> null);
		this.connection.async().info("memory").thenAccept(this.eviction::consider).exceptionally((denied) -> null);
	}

}
