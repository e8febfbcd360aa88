package io.lockstarter.redis;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import io.lockstarter.engine.LockStore.Signals;

/**
 * One Lettuce connection that receives signals. Thread-safe; tells on Lettuce's threads.
 */
final class SignalConnection extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

	private final RedisClient client;

	private final StatefulRedisPubSubConnection<String, String> connection;

	private final String channel;

	private final Signals signals;

	private final Runnable lost;

	private volatile boolean listening;

	private volatile boolean closed;

	private SignalConnection(RedisClient client, StatefulRedisPubSubConnection<String, String> connection,
			String channel, Signals signals, Runnable lost) {
		this.client = client;
		this.connection = connection;
		this.channel = channel;
		this.signals = signals;
		this.lost = lost;
	}

	/**
	 * Open a connection, which is not subscribed yet. Blocks.
	 * @param client whose connection
	 * @param channel what to subscribe to
	 * @param signals whom to tell
	 * @param lost called when signals are no longer received
	 * @return the connection
	 */
	static SignalConnection open(RedisClient client, String channel, Signals signals, Runnable lost) {
		SignalConnection opened = new SignalConnection(client,
				NativeClient.connect(client, (opening) -> opening.connectPubSub(StringCodec.UTF8)), channel, signals,
				lost);
		opened.connection.addListener((RedisConnectionStateListener) opened);
		opened.connection.addListener((RedisPubSubListener<String, String>) opened);
		return opened;
	}

	/**
	 * Subscribe. Does not block.
	 * @param failed told if that is denied
	 */
	void subscribe(Consumer<Throwable> failed) {
		this.connection.async().subscribe(this.channel).exceptionally((failure) -> {
			if (!this.closed) {
				this.listening = false;
				failed.accept(failure);
			}
			return null;
		});
	}

	boolean isListening() {
		return this.listening;
	}

	boolean isUsable(RedisClient current) {
		return this.client == current && this.connection.isOpen();
	}

	CompletionStage<?> close() {
		if (this.listening) {
			tell(false);
		}
		this.closed = true;
		return NativeClient.close(this.connection);
	}

	@Override
	public void subscribed(String subscribedChannel, long count) {
		tell(true);
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		tell(false);
	}

	@Override
	public void message(String sentTo, String payload) {
		if (this.closed || payload.length() < 2) {
			return;
		}
		String key = payload.substring(1);
		switch (payload.charAt(0)) {
			case 'r' -> this.signals.reserved(key);
			case 'c' -> this.signals.contended(key);
			default -> {
				// Not ours, or of a later version.
			}
		}
	}

	// The end of a connection that was given up is nobody's concern any more.
	private void tell(boolean active) {
		if (this.closed) {
			return;
		}
		this.listening = active;
		this.signals.listening(active);
		if (!active) {
			this.lost.run();
		}
	}

}
