// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lockstarter.platform.StateChanges;
import org.jspecify.annotations.Nullable;

/**
 * Keeps subscribed to a channel, over a connection for messages alone, to the server that
 * commands go to. A connection that was lost is replaced at once. If that fails, it is
 * tried again every few seconds, and whenever commands have got a new connection.
 * Thread-safe.
 */
final class ChannelSubscription {

	private final ConnectionObserver told;

	private final CurrentClient source;

	private final Supplier<@Nullable SharedConnection<?>> commands;

	private final String channel;

	private final Subscriber subscriber;

	private final StateChanges changes;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final RetryTimer retry;

	private final Object monitor = new Object();

	private @Nullable ChannelConnection connection;

	// a node of a cluster that does not have the channel, although commands go there
	private @Nullable SharedConnection<?> outdated;

	private boolean closed;

	private boolean ended;

	private boolean attempting;

	private boolean again;

	/**
	 * Create a subscription, which begins with {@link #ensure()}.
	 * @param commands where commands go, if known
	 * @param firstPause the shortest pause before it is tried again
	 * @param pause the longest pause before it is tried again
	 * @param told told when a subscription fails, and when it works again
	 */
	ChannelSubscription(CurrentClient source, Supplier<@Nullable SharedConnection<?>> commands, String channel,
			Subscriber subscriber, Duration firstPause, Duration pause, ConnectionObserver told) {
		this.source = source;
		this.commands = commands;
		this.told = told;
		this.channel = channel;
		this.subscriber = subscriber;
		this.changes = new StateChanges(null, subscriber::listening);
		this.retry = new RetryTimer(source, this::attempt, firstPause, pause);
	}

	/**
	 * Subscribe, unless it is so already, or this has ended. Does not block.
	 */
	void ensure() {
		synchronized (this.monitor) {
			if (this.ended) {
				return;
			}
			this.closed = false;
		}
		attempt();
	}

	/**
	 * Give up the connection for good.
	 */
	void end() {
		synchronized (this.monitor) {
			this.ended = true;
		}
		close();
	}

	/**
	 * Give up the connection, until the next {@link #ensure()}.
	 */
	CompletionStage<?> close() {
		synchronized (this.monitor) {
			this.closed = true;
			this.retry.cancel();
		}
		return drop();
	}

	/**
	 * Give up the connection for another one, at once if messages were received over it.
	 */
	CompletionStage<?> drop() {
		ChannelConnection current;
		boolean heard;
		synchronized (this.monitor) {
			current = this.connection;
			heard = isListening();
			forget();
		}
		if (current == null) {
			return CompletableFuture.completedFuture(null);
		}
		try {
			CompletionStage<?> closing = current.close();
			if (heard) {
				attempt();
			}
			return closing;
		}
		finally {
			this.changes.tell();
		}
	}

	/**
	 * Close the connection, which is dead for all who share it, for another one.
	 */
	void abandon() {
		ChannelConnection current;
		synchronized (this.monitor) {
			current = this.connection;
		}
		if (current != null) {
			current.shared().retire();
		}
		drop();
	}

	/**
	 * Return the connection, if messages are received over it.
	 */
	Stream<SharedConnection<?>> connection() {
		synchronized (this.monitor) {
			return (this.connection != null && isListening()) ? Stream.of(this.connection.shared()) : Stream.empty();
		}
	}

	private boolean isListening() {
		return this.connection != null && this.connection.isListening();
	}

	private void forget() {
		if (this.connection != null) {
			this.connection = null;
			this.changes.note(false);
		}
	}

	private void attempt() {
		synchronized (this.monitor) {
			if (this.closed) {
				return;
			}
		}
		LettuceClient client;
		try {
			client = this.source.get();
		}
		catch (IllegalStateException ex) {
			// Without a client there are no commands either. The first one ensures again.
			return;
		}
		SharedConnection<?> home = home(client);
		ChannelConnection current;
		boolean usable;
		synchronized (this.monitor) {
			current = this.connection;
			usable = current != null && !current.isSilent()
					&& current.isUsable(client, (home != null) ? home.server().runId() : null);
			this.again = this.attempting;
			if (this.closed || this.attempting || (usable && current != null && current.isListening())) {
				return;
			}
			this.attempting = true;
			this.retry.cancel();
			if (!usable) {
				forget();
			}
		}
		try {
			begin(client, home, current, usable);
		}
		catch (RuntimeException | Error ex) {
			attempted();
			throw ex;
		}
		finally {
			this.changes.tell();
		}
		if (usable) {
			attempted();
		}
	}

	private void begin(LettuceClient client, @Nullable SharedConnection<?> home, @Nullable ChannelConnection current,
			boolean usable) {
		if (current != null && usable) {
			current.subscribe(this::failed);
			return;
		}
		if (current != null) {
			current.close();
		}
		connect(client, home);
	}

	/**
	 * Return where commands go, if the channel is there as far as known. The next command
	 * may be long in coming.
	 */
	private @Nullable SharedConnection<?> home(LettuceClient client) {
		SharedConnection<?> home = this.commands.get();
		synchronized (this.monitor) {
			return (client.isCluster() && home == this.outdated) ? null : home;
		}
	}

	// In a cluster an address is one server. Elsewhere it may have become another one.
	private void connect(LettuceClient client, @Nullable SharedConnection<?> home) {
		CompletableFuture<RedisURI> address = (client.isCluster() && home != null)
				? CompletableFuture.completedFuture(home.address()) : client.find(SlotHash.getSlot(this.channel));
		var unused = address
			.thenCompose((uri) -> ChannelConnection.open(client, uri, this.channel, this.subscriber, this::changed))
			.whenComplete((opened, failure) -> {
				try {
					if (opened == null) {
						outdated(home);
						failed(failure);
					}
					else if (adopt(opened)) {
						opened.subscribe(this::failed);
					}
					else {
						opened.close();
					}
				}
				finally {
					attempted();
				}
			});
	}

	private void outdated(@Nullable SharedConnection<?> home) {
		synchronized (this.monitor) {
			this.outdated = home;
		}
	}

	// Whether it worked is known later. The retry looks at that.
	private void attempted() {
		boolean asked;
		synchronized (this.monitor) {
			this.attempting = false;
			asked = this.again;
			this.again = false;
		}
		if (asked) {
			attempt();
		}
		synchronized (this.monitor) {
			if (!this.closed && !isListening()) {
				this.retry.schedule();
			}
		}
	}

	private void failed(@Nullable Throwable failure) {
		ChannelConnection refusing;
		boolean wanted;
		synchronized (this.monitor) {
			refusing = this.connection;
			wanted = !this.closed;
			this.changes.note(isListening());
			if (wanted && !this.attempting && !isListening()) {
				this.retry.schedule();
			}
		}
		if (failure != null && refusing != null && ErrorReply.of(failure) == ErrorReply.MOVED) {
			// The next attempt goes there, and nothing is wrong.
			outdated(this.commands.get());
			refusing.redirected(FailureText.of(failure));
			drop();
		}
		else if (wanted && this.warned.compareAndSet(false, true)) {
			this.told.notSubscribed(this.channel, FailureText.of(failure));
		}
		this.changes.tell();
	}

	// A connection began to listen, or ended.
	void changed(ChannelConnection from) {
		boolean listening;
		synchronized (this.monitor) {
			listening = isListening();
			if (this.connection == from) {
				this.changes.note(listening);
			}
		}
		try {
			if (!listening) {
				attempt();
				return;
			}
			this.retry.reset();
			if (this.warned.compareAndSet(true, false)) {
				this.told.subscribedAgain(this.channel);
			}
		}
		finally {
			this.changes.tell();
		}
	}

	private boolean adopt(ChannelConnection opened) {
		synchronized (this.monitor) {
			if (!this.closed) {
				this.connection = opened;
			}
			return !this.closed;
		}
	}

}
