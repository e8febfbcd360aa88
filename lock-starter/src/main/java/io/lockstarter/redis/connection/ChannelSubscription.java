// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lockstarter.platform.StateChanges;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a line subscribed to a channel, over the connection of its commands: the
 * subscription follows whenever these go over another link. One that is refused is tried
 * again every few seconds. Thread-safe.
 */
final class ChannelSubscription {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

	private final Line line;

	private final String channel;

	private final Subscriber subscriber;

	private final ConnectionObserver told;

	private final StateChanges changes;

	private final RetryTimer retry;

	// What follows is guarded by this.

	private @Nullable Listener listener;

	private boolean ended;

	private boolean warned;

	/**
	 * Create a subscription, which begins with {@link #follow()}.
	 * @param pause the longest pause before it is tried again
	 * @param told told when a subscription is refused, and when it works again
	 */
	ChannelSubscription(Line line, CurrentClient source, String channel, Subscriber subscriber, Duration pause,
			ConnectionObserver told) {
		this.line = line;
		this.channel = channel;
		this.subscriber = subscriber;
		this.told = told;
		this.changes = new StateChanges(null, subscriber::listening);
		this.retry = new RetryTimer(source, this::again, FIRST_PAUSE, pause);
	}

	/**
	 * Subscribe over the link that the line has now, unless it is so already. Does not
	 * block.
	 */
	void follow() {
		Listener next;
		Listener before;
		synchronized (this) {
			Link link = this.ended ? null : this.line.link();
			before = this.listener;
			if (before != null && before.link == link) {
				return;
			}
			if (before != null || link == null) {
				this.changes.note(false);
			}
			this.retry.cancel();
			next = (link != null) ? new Listener(link) : null;
			this.listener = next;
		}
		try {
			if (before != null) {
				before.connection.removeListener(before);
			}
			if (next != null) {
				next.begin();
			}
		}
		finally {
			this.changes.tell();
		}
	}

	/**
	 * Be subscribed no more.
	 */
	void end() {
		Listener last;
		synchronized (this) {
			this.ended = true;
			last = this.listener;
		}
		follow();
		if (last != null) {
			last.unsubscribe();
		}
	}

	private synchronized boolean isPresent(Listener candidate) {
		return this.listener == candidate;
	}

	private synchronized boolean isEnded() {
		return this.ended;
	}

	private void again() {
		Listener present;
		synchronized (this) {
			present = this.retry.take() ? this.listener : null;
		}
		if (present != null) {
			present.subscribe();
		}
	}

	private void subscribed(Listener from) {
		boolean again;
		synchronized (this) {
			if (this.listener != from) {
				return;
			}
			from.listening = true;
			this.changes.note(true);
			this.retry.cancel();
			this.retry.reset();
			again = this.warned;
			this.warned = false;
		}
		if (again) {
			this.told.subscribedAgain(this.channel);
		}
		this.changes.tell();
	}

	private void refused(Listener from, Throwable failure) {
		boolean first;
		synchronized (this) {
			if (this.listener != from) {
				return;
			}
			this.changes.note(false);
			this.retry.schedule();
			// If the link is lost, that is told elsewhere.
			first = !this.warned && from.link.isOpen();
			this.warned |= first;
		}
		if (first) {
			this.told.notSubscribed(this.channel, FailureText.of(failure));
		}
		this.changes.tell();
	}

	private synchronized boolean isListening(Listener from) {
		return this.listener == from && from.listening;
	}

	/**
	 * What comes over one link.
	 */
	private final class Listener extends RedisPubSubAdapter<String, String> {

		private final Link link;

		private final StatefulRedisPubSubConnection<String, String> connection;

		// as channels are to which the script publishes
		private volatile boolean sharded;

		// guarded by the subscription
		private boolean listening;

		Listener(Link link) {
			this.link = link;
			this.connection = link.shared().connection();
			this.sharded = link.client().isCluster() && link.shared().server().shardsChannels();
		}

		void begin() {
			this.connection.addListener(this);
			subscribe();
			if (!isPresent(this)) {
				// Another link came meanwhile, or the end.
				this.connection.removeListener(this);
			}
			if (isEnded()) {
				unsubscribe();
			}
		}

		void subscribe() {
			if (!this.link.shared().pushes()) {
				refused(this, new RedisConnectionException(
						"with RESP2 no messages come beside commands: do not set the protocol version of the client"));
				return;
			}
			boolean toSharded = this.sharded;
			try {
				var unused = (toSharded ? this.connection.async().ssubscribe(ChannelSubscription.this.channel)
						: this.connection.async().subscribe(ChannelSubscription.this.channel))
					.exceptionally((failure) -> {
						failed(failure, toSharded);
						return null;
					});
			}
			catch (RuntimeException | Error ex) {
				this.link.unanswered(ex);
			}
		}

		private void failed(Throwable failure, boolean toSharded) {
			ErrorReply kind = ErrorReply.of(failure);
			if (toSharded && kind == ErrorReply.UNKNOWN_COMMAND) {
				// A server before version 7 that does not tell its version.
				this.sharded = false;
				subscribe();
			}
			else if (kind == ErrorReply.MOVED) {
				this.link.lacksChannel(FailureText.of(failure));
			}
			else {
				refused(this, failure);
			}
		}

		/**
		 * Let the server forget the channel. One that is sharded it forgets with the
		 * connection: it may be telling by itself that it has the channel no more, and
		 * Lettuce would take that for the answer, and each answer after it for that to
		 * the command before.
		 */
		void unsubscribe() {
			if (!this.sharded && this.connection.isOpen()) {
				var unused = this.connection.async().unsubscribe(ChannelSubscription.this.channel);
			}
		}

		@Override
		public void subscribed(String subscribedChannel, long count) {
			if (subscribedChannel.equals(ChannelSubscription.this.channel)) {
				ChannelSubscription.this.subscribed(this);
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
			if (unsubscribedChannel.equals(ChannelSubscription.this.channel) && isListening(this)) {
				this.link.lacksChannel(null);
			}
		}

		@Override
		public void message(String sentTo, String payload) {
			if (sentTo.equals(ChannelSubscription.this.channel)) {
				ChannelSubscription.this.subscriber.message(payload);
			}
		}

		@Override
		public void smessage(String sentTo, String payload) {
			message(sentTo, payload);
		}

	}

}
