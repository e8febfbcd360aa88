// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.lockstarter.platform.Ticker;

/**
 * Lettuce connection that receives the messages of one channel. It calls its listeners on
 * Lettuce's threads. Thread-safe.
 */
final class ChannelConnection extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

	/**
	 * After which time without an answer the connection is taken for dead.
	 */
	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

	private final LettuceClient client;

	private final SharedConnection<StatefulRedisPubSubConnection<String, String>> shared;

	private final String channel;

	private final Subscriber subscriber;

	private final Consumer<ChannelConnection> changed;

	// as those are to which the script publishes
	private volatile boolean sharded;

	private volatile boolean listening;

	private volatile boolean closed;

	// since when a subscription has not been answered
	private volatile long askedAt = Ticker.NEVER;

	private ChannelConnection(LettuceClient client,
			SharedConnection<StatefulRedisPubSubConnection<String, String>> shared, String channel,
			Subscriber subscriber, Consumer<ChannelConnection> changed) {
		this.client = client;
		this.shared = shared;
		this.channel = channel;
		this.subscriber = subscriber;
		this.changed = changed;
		this.sharded = client.isCluster() && shared.server().shardsChannels();
	}

	/**
	 * Open a connection, without subscribing.
	 * @param address where commands go
	 * @param changed told when messages begin to arrive, and when they no longer do;
	 * nobody is told of the end of a connection that was closed
	 */
	static CompletableFuture<ChannelConnection> open(LettuceClient client, RedisURI address, String channel,
			Subscriber subscriber, Consumer<ChannelConnection> changed) {
		return client.connectPubSub(address).thenApply((opened) -> {
			if (opened.server().replica()) {
				// It would accept a subscription, which no release counts.
				var unused = opened.leave();
				throw new RedisConnectionException("the server is a replica");
			}
			ChannelConnection created = new ChannelConnection(client, opened, channel, subscriber, changed);
			opened.connection().addListener((RedisConnectionStateListener) created);
			opened.connection().addListener((RedisPubSubListener<String, String>) created);
			return created;
		});
	}

	/**
	 * Subscribe to the channel. Does not block.
	 * @param failed told if Redis refuses
	 */
	void subscribe(Consumer<Throwable> failed) {
		RedisPubSubAsyncCommands<String, String> redis = this.shared.connection().async();
		if (this.askedAt == Ticker.NEVER) {
			this.askedAt = this.client.platform().nanoTime();
		}
		boolean toSharded = this.sharded;
		var unused = (toSharded ? redis.ssubscribe(this.channel) : redis.subscribe(this.channel))
			.exceptionally((failure) -> {
				this.askedAt = Ticker.NEVER;
				if (toSharded && ErrorReply.of(failure) == ErrorReply.UNKNOWN_COMMAND) {
					// A server before version 7 that does not tell its version.
					this.sharded = false;
					subscribe(failed);
				}
				else if (!this.closed) {
					this.listening = false;
					failed.accept(failure);
				}
				return null;
			});
	}

	boolean isListening() {
		return this.listening;
	}

	/**
	 * Return whether a subscription was not answered over this connection, which looks
	 * open all the same. Once it is subscribed, the connection for commands tells.
	 */
	boolean isSilent() {
		long since = this.askedAt;
		return since != Ticker.NEVER && this.client.platform().nanoTime() - since >= PATIENCE;
	}

	SharedConnection<?> shared() {
		return this.shared;
	}

	/**
	 * The server named another one, which has the channel now.
	 */
	void redirected(String redirection) {
		this.client.redirected(this.shared.address(), redirection);
	}

	/**
	 * Return whether this connection leads to the server that commands go to, as far as
	 * known.
	 * @param runId the run id of that server, if known
	 */
	boolean isUsable(LettuceClient current, @Nullable String runId) {
		String here = this.shared.server().runId();
		return this.client == current && this.shared.isOpen() && !this.shared.isRetired()
				&& (runId == null || here == null || here.equals(runId));
	}

	CompletionStage<?> close() {
		synchronized (this) {
			if (this.closed) {
				return CompletableFuture.completedFuture(null);
			}
			this.closed = true;
		}
		StatefulRedisPubSubConnection<String, String> connection = this.shared.connection();
		connection.removeListener((RedisConnectionStateListener) this);
		connection.removeListener((RedisPubSubListener<String, String>) this);
		if (this.client.isCluster() && connection.isOpen()) {
			// Others may go on using it.
			RedisPubSubAsyncCommands<String, String> redis = connection.async();
			var unused = this.sharded ? redis.sunsubscribe(this.channel) : redis.unsubscribe(this.channel);
		}
		// One that is dead is so for everybody.
		return isSilent() ? this.shared.close() : this.shared.leave();
	}

	@Override
	public void subscribed(String subscribedChannel, long count) {
		if (subscribedChannel.equals(this.channel)) {
			tell(true);
		}
	}

	@Override
	public void ssubscribed(String subscribedChannel, long count) {
		subscribed(subscribedChannel, count);
	}

	/**
	 * The node has given the slot of the channel away, or has become a replica.
	 */
	@Override
	public void sunsubscribed(String unsubscribedChannel, long count) {
		if (unsubscribedChannel.equals(this.channel)) {
			this.shared.retire();
			tell(false);
		}
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		tell(false);
	}

	@Override
	public void smessage(String sentTo, String payload) {
		message(sentTo, payload);
	}

	@Override
	public void message(String sentTo, String payload) {
		if (!this.closed && sentTo.equals(this.channel)) {
			this.subscriber.message(payload);
		}
	}

	private void tell(boolean active) {
		this.askedAt = Ticker.NEVER;
		if (!this.closed) {
			this.listening = active;
			this.changed.accept(this);
		}
	}

}
