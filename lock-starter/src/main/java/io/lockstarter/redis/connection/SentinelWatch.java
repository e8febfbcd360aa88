// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * Listens to all Sentinels for the election of another primary. The one before, and
 * connections to it, may go on for seconds as if nothing had happened. Thread-safe.
 */
final class SentinelWatch {

	/**
	 * What a Sentinel publishes when it has made another server the primary, and when it
	 * has heard of that.
	 */
	private static final String[] CHANNELS = { "+promoted-slave", "+switch-master" };

	private static final Duration PACE = Duration.ofSeconds(1);

	private final CurrentClient source;

	private final RedisConnections connections;

	private final List<Subscription> subscriptions = new ArrayList<>();

	private @Nullable LettuceClient client;

	// whether one looks for an election, and another one is to do so after that
	private boolean looking;

	private boolean lookAgain;

	/**
	 * Create a watch, which begins with {@link #ensure()}.
	 * @param connections which check their server when it may be the primary no more
	 */
	SentinelWatch(CurrentClient source, RedisConnections connections) {
		this.source = source;
		this.connections = connections;
	}

	/**
	 * Listen to the Sentinels, if there are any. Does not block.
	 */
	synchronized void ensure() {
		LettuceClient current = this.source.get();
		if (this.client == current) {
			return;
		}
		var unused = close();
		this.client = current;
		// A look of a client that was shut down may never end.
		this.looking = false;
		this.lookAgain = false;
		for (RedisURI sentinel : current.uri().getSentinels()) {
			Subscription subscription = new Subscription(current, sentinel);
			this.subscriptions.add(subscription);
			subscription.connect();
		}
	}

	/**
	 * Listen no more, until the next {@link #ensure()}.
	 */
	synchronized CompletableFuture<?> close() {
		this.client = null;
		CompletableFuture<?>[] closing = this.subscriptions.stream()
			.map(Subscription::close)
			.toArray(CompletableFuture<?>[]::new);
		this.subscriptions.clear();
		return CompletableFuture.allOf(closing);
	}

	/**
	 * Look for an election before a subscription. One look is for all that begin while
	 * another one is under way.
	 */
	private void look(RedisURI uri) {
		synchronized (this) {
			if (this.looking) {
				this.lookAgain = true;
				return;
			}
			this.looking = true;
		}
		var unused = LettuceClient.begin(() -> this.connections.check(uri, false)).whenComplete((done, failure) -> {
			boolean again;
			synchronized (this) {
				this.looking = false;
				again = this.lookAgain;
				this.lookAgain = false;
			}
			if (again) {
				look(uri);
			}
		});
	}

	/**
	 * What one Sentinel says.
	 */
	private final class Subscription extends RedisPubSubAdapter<String, String>
			implements RedisConnectionStateListener {

		private final LettuceClient client;

		private final RedisURI sentinel;

		private final RetryTimer retry;

		private @Nullable StatefulRedisPubSubConnection<String, String> connection;

		private boolean closed;

		Subscription(LettuceClient client, RedisURI sentinel) {
			this.client = client;
			this.sentinel = sentinel;
			this.retry = new RetryTimer(SentinelWatch.this.source, this::again, PACE, PACE);
		}

		private void again() {
			if (this.retry.take()) {
				connect();
			}
		}

		void connect() {
			var unused = this.client.connectAlone(this.sentinel, this.client.deadline(false))
				.whenComplete((opened, failure) -> {
					if (opened == null) {
						retryLater();
					}
					else if (adopt(opened)) {
						opened.addListener((RedisConnectionStateListener) this);
						opened.addListener((RedisPubSubListener<String, String>) this);
						var unusedSubscription = opened.async().subscribe(CHANNELS).exceptionally((denied) -> {
							lost();
							return null;
						});
						if (!opened.isOpen()) {
							lost();
						}
					}
					else {
						var unusedClose = this.client.close(opened);
					}
				});
		}

		/**
		 * Look for an election before the subscription. All Sentinels are asked: this one
		 * may be cut off from the others, and name the primary before.
		 */
		@Override
		public void subscribed(String channel, long count) {
			look(this.client.uri());
		}

		@Override
		public void message(String channel, String message) {
			String name = this.client.uri().getSentinelMasterId();
			List<String> words = List.of(message.split(" ", -1));
			boolean ours = channel.equals("+switch-master") ? words.get(0).equals(name) : words.contains(name);
			if (ours) {
				var unused = SentinelWatch.this.connections.check(askThisOne(), true);
			}
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
			lost();
		}

		private void lost() {
			StatefulRedisPubSubConnection<String, String> lost;
			synchronized (this) {
				lost = this.connection;
				this.connection = null;
			}
			if (lost != null) {
				var unused = this.client.close(lost);
				retryLater();
			}
		}

		synchronized CompletableFuture<?> close() {
			this.closed = true;
			this.retry.cancel();
			return (this.connection != null) ? this.client.close(this.connection)
					: CompletableFuture.completedFuture(null);
		}

		private synchronized boolean adopt(StatefulRedisPubSubConnection<String, String> opened) {
			if (!this.closed) {
				this.connection = opened;
			}
			return !this.closed;
		}

		private synchronized void retryLater() {
			if (!this.closed) {
				this.retry.schedule();
			}
		}

		// Other Sentinels may not know the new primary yet.
		private RedisURI askThisOne() {
			RedisURI uri = Addresses.copy(this.client.uri());
			uri.getSentinels().clear();
			uri.getSentinels().add(this.sentinel);
			return uri;
		}

	}

}
