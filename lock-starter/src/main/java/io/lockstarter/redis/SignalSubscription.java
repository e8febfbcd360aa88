package io.lockstarter.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;

import io.lockstarter.engine.LockStore.Signals;

/**
 * Keeps an instance subscribed to its channel, over a connection for that alone. Lettuce
 * subscribes again when the connection was lost and soon comes back; whatever else stands
 * in the way is tried again at a slow pace, until it works. Nothing but the time that
 * waiters lose depends on signals. Thread-safe.
 */
final class SignalSubscription {

	private static final Duration PACE = Duration.ofSeconds(5);

	private static final Logger logger = System.getLogger(SignalSubscription.class.getName());

	private final NativeClient nativeClient;

	private final String channel;

	private final Signals signals;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final Object monitor = new Object();

	private @Nullable SignalConnection connection;

	private boolean closed;

	private boolean attempting;

	private boolean retryScheduled;

	/**
	 * Create a subscription; connects with {@link #ensure()}.
	 * @param nativeClient what to connect with
	 * @param channel what to subscribe to
	 * @param signals whom to tell
	 */
	SignalSubscription(NativeClient nativeClient, String channel, Signals signals) {
		this.nativeClient = nativeClient;
		this.channel = channel;
		this.signals = signals;
	}

	/**
	 * Subscribe, unless it is so already. Does not block.
	 */
	void ensure() {
		synchronized (this.monitor) {
			this.closed = false;
			this.retryScheduled = false;
		}
		attempt();
	}

	/**
	 * Give up the connection, until the next {@link #ensure()}.
	 * @return completes when the connection is closed
	 */
	CompletionStage<?> close() {
		synchronized (this.monitor) {
			this.closed = true;
		}
		return drop();
	}

	/**
	 * Give up the connection for another one.
	 * @return completes when the connection is closed
	 */
	CompletionStage<?> drop() {
		SignalConnection current;
		synchronized (this.monitor) {
			current = this.connection;
			this.connection = null;
		}
		return (current != null) ? current.close() : CompletableFuture.completedFuture(null);
	}

	private void attempt() {
		synchronized (this.monitor) {
			boolean listening = this.connection != null && this.connection.isListening();
			if (this.closed || listening || this.attempting) {
				return;
			}
			this.attempting = true;
		}
		NativeClient.runBlocking(() -> {
			subscribe();
			attempted();
		}, (failure) -> {
			attempted();
			failed(failure);
		});
	}

	// Whether it worked is known later. The retry looks at that.
	private void attempted() {
		synchronized (this.monitor) {
			this.attempting = false;
		}
		retryLater();
	}

	private void subscribe() {
		RedisClient client = this.nativeClient.get();
		SignalConnection current;
		synchronized (this.monitor) {
			current = this.connection;
		}
		if (current == null || !current.isUsable(client)) {
			if (current != null) {
				current.close();
			}
			current = SignalConnection.open(client, this.channel, this.signals, this::retryLater);
			if (!adopt(current)) {
				current.close();
				return;
			}
		}
		current.subscribe(this::failed);
	}

	private void failed(Throwable failure) {
		if (this.warned.compareAndSet(false, true)) {
			logger.log(Level.WARNING, "Cannot subscribe to {0}, which is tried again and again from now on: "
					+ "waiters for locks poll instead, and wait longer. {1}", this.channel, failure);
		}
		this.signals.listening(false);
	}

	private boolean adopt(SignalConnection opened) {
		synchronized (this.monitor) {
			if (!this.closed) {
				this.connection = opened;
			}
			return !this.closed;
		}
	}

	private void retryLater() {
		synchronized (this.monitor) {
			if (this.retryScheduled || this.closed) {
				return;
			}
			this.retryScheduled = true;
		}
		boolean scheduled = this.nativeClient.runLater(() -> {
			clearRetry();
			attempt();
		}, PACE);
		if (!scheduled) {
			// Without a client there are no commands either. The first one ensures again.
			clearRetry();
		}
	}

	private void clearRetry() {
		synchronized (this.monitor) {
			this.retryScheduled = false;
		}
	}

}
