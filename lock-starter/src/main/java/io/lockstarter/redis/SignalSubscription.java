package io.lockstarter.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.lockstarter.engine.LockStore.Signals;

/**
 * Keeps an instance subscribed to its channel, over a connection for that alone, to the
 * server that commands go to. A connection that was lost is replaced at once; what stands
 * in the way of that is tried again at a slow pace, and whenever commands have got a new
 * connection. Nothing but the time that waiters lose depends on signals. Thread-safe.
 */
final class SignalSubscription {

	private static final Duration PACE = Duration.ofSeconds(5);

	private static final Logger logger = System.getLogger(SignalSubscription.class.getName());

	private final StoreClients source;

	private final Supplier<@Nullable String> runId;

	private final String channel;

	private final Signals signals;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final Object monitor = new Object();

	private @Nullable SignalConnection connection;

	private boolean closed;

	private boolean attempting;

	private boolean again;

	private @Nullable Boolean told;

	private @Nullable Runnable retry;

	/**
	 * Create a subscription; connects with {@link #ensure()}.
	 * @param source makes connections
	 * @param runId identifies the server that commands go to
	 * @param channel what to subscribe to
	 * @param signals whom to tell
	 */
	SignalSubscription(StoreClients source, Supplier<@Nullable String> runId, String channel, Signals signals) {
		this.source = source;
		this.runId = runId;
		this.channel = channel;
		this.signals = signals;
	}

	/**
	 * Subscribe, unless it is so already. Does not block.
	 */
	void ensure() {
		synchronized (this.monitor) {
			this.closed = false;
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
			cancelRetry();
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
		StoreClients.Clients clients;
		try {
			clients = this.source.get();
		}
		catch (IllegalStateException ex) {
			// Without a client there are no commands either. The first one ensures again.
			return;
		}
		SignalConnection useless;
		synchronized (this.monitor) {
			SignalConnection current = this.connection;
			boolean usable = current != null && current.isUsable(clients, this.runId.get());
			this.again = this.attempting;
			if (this.closed || this.attempting || (usable && current != null && current.isListening())) {
				return;
			}
			this.attempting = true;
			cancelRetry();
			useless = usable ? null : current;
			if (useless != null) {
				this.connection = null;
			}
		}
		if (useless != null) {
			useless.close();
		}
		subscribe(clients);
	}

	private void subscribe(StoreClients.Clients clients) {
		SignalConnection current;
		synchronized (this.monitor) {
			current = this.connection;
		}
		if (current != null) {
			current.subscribe(this::failed);
			attempted();
			return;
		}
		var unused = SignalConnection.open(this.source, clients, this.channel, this.signals, this::changed)
			.whenComplete((opened, failure) -> {
				if (opened == null) {
					failed(failure);
				}
				else if (adopt(opened)) {
					opened.subscribe(this::failed);
				}
				else {
					opened.close();
				}
				attempted();
			});
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
		retryLater();
	}

	private void failed(@Nullable Throwable failure) {
		if (this.warned.compareAndSet(false, true)) {
			logger.log(Level.WARNING,
					"Cannot subscribe to {0}, which is tried again and again from now on: "
							+ "waiters for locks poll instead, and wait longer. {1}",
					this.channel, StoreFailures.describe(failure));
		}
		tell(false);
	}

	// Once each time it changes.
	private void tell(boolean listening) {
		synchronized (this.monitor) {
			if (Boolean.valueOf(listening).equals(this.told)) {
				return;
			}
			this.told = listening;
		}
		this.signals.listening(listening);
	}

	// A connection began to listen, or ended.
	private void changed(boolean listening) {
		tell(listening);
		if (!listening) {
			attempt();
		}
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
			boolean listening = this.connection != null && this.connection.isListening();
			if (this.retry == null && !this.closed && !listening) {
				this.retry = this.source.runLater(this::retry, PACE);
			}
		}
	}

	private void retry() {
		synchronized (this.monitor) {
			this.retry = null;
		}
		attempt();
	}

	private void cancelRetry() {
		Runnable scheduled = this.retry;
		this.retry = null;
		if (scheduled != null) {
			scheduled.run();
		}
	}

}
