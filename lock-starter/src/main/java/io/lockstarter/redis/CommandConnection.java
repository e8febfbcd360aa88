package io.lockstarter.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
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

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final AtomicInteger drops = new AtomicInteger();

	private volatile @Nullable Long downSince;

	private volatile long lastReply = System.nanoTime();

	private volatile boolean silent;

	private CommandConnection(RedisClient client, StatefulRedisConnection<String, String> connection) {
		this.client = client;
		this.connection = connection;
	}

	/**
	 * Open a connection. Blocks.
	 * @param client whose connection
	 * @return the connection
	 */
	static CommandConnection open(RedisClient client) {
		CommandConnection opened = new CommandConnection(client,
				NativeClient.connect(client, (opening) -> opening.connect(StringCodec.UTF8)));
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

	RedisAsyncCommands<String, String> commands() {
		return this.connection.async();
	}

	CompletionStage<?> close() {
		return NativeClient.close(this.connection);
	}

	@Override
	public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
		this.downSince = null;
		loadScripts();
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
		loadScripts();
	}

	// A script that has to be sent again because the server lacks it lets later commands
	// pass. If this is denied, that is all there is to it.
	private void loadScripts() {
		for (LuaScript script : LuaScript.values()) {
			commands().scriptLoad(script.source()).exceptionally((denied) -> null);
		}
	}

}
