package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;

/**
 * Brings commands to Redis, in the order in which they come unless Redis refuses a call
 * as a whole, over a connection of our own: the application's heavy commands must not
 * stand before a renewal.
 * <p>
 * Connects when there is a command to send. Commands that come meanwhile wait for the
 * same attempt and share its failure, which also stands for those of the next moments, so
 * that many callers do not become a storm of attempts. A connection that has been down
 * for a while is given up and replaced by another attempt. Thread-safe.
 */
final class CommandLink {

	/**
	 * How long commands wait for an attempt to connect again. The first may take its
	 * time.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final Duration FAILURE_STANDS = Duration.ofMillis(50);

	private final NativeClient nativeClient;

	private final BulkStrings sharedArguments;

	private final EvictionWarning eviction = new EvictionWarning();

	private final Runnable connected;

	private final Runnable silenced;

	private final Object monitor = new Object();

	private volatile @Nullable CommandConnection connection;

	private @Nullable Attempt attempt;

	private @Nullable Throwable failure;

	private long failedAt;

	/**
	 * Create a link.
	 * @param nativeClient what to connect with
	 * @param sharedArguments what every call of the script is told first
	 * @param connected told of each new connection; must not block or call back
	 * @param silenced told when a connection is replaced because nothing comes over it
	 * any more
	 */
	CommandLink(NativeClient nativeClient, BulkStrings sharedArguments, Runnable connected, Runnable silenced) {
		this.nativeClient = nativeClient;
		this.sharedArguments = sharedArguments;
		this.connected = connected;
		this.silenced = silenced;
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 * @param call the command
	 */
	void send(LockCommand<?> call) {
		RedisClient client;
		try {
			client = this.nativeClient.get();
		}
		catch (RuntimeException ex) {
			call.failUnsent(ex);
			return;
		}
		CommandConnection current = this.connection;
		if (current != null && current.isUsable(client)) {
			call.sendOver(current);
		}
		else {
			route(call, client).run();
		}
	}

	/**
	 * Give up the connection and what waits for one. The next command opens another.
	 * @return completes when the connection is closed
	 */
	CompletionStage<?> close() {
		CommandConnection current;
		Attempt abandoned;
		synchronized (this.monitor) {
			current = this.connection;
			this.connection = null;
			abandoned = this.attempt;
			this.attempt = null;
			this.failure = null;
		}
		if (abandoned != null) {
			abandoned.fail(new IllegalStateException("The store was closed"));
		}
		return (current != null) ? current.close() : CompletableFuture.completedFuture(null);
	}

	// What runs the code of others runs outside of the monitor.
	private Runnable route(LockCommand<?> call, RedisClient client) {
		synchronized (this.monitor) {
			Attempt running = this.attempt;
			if (running != null) {
				return running.join(call);
			}
			CommandConnection current = this.connection;
			if (current != null && current.isUsable(client)) {
				return () -> call.sendOver(current);
			}
			Throwable recent = this.failure;
			if (recent != null && System.nanoTime() - this.failedAt < FAILURE_STANDS.toNanos()) {
				return () -> call.failUnsent(recent);
			}
			Attempt started = new Attempt(client, (current != null)
					? new IllegalStateException("It was lost, or fell silent, and another is not there yet") : recent);
			this.attempt = started;
			this.connection = null;
			started.waiting.add(call);
			return () -> start(started, current);
		}
	}

	private void start(Attempt started, @Nullable CommandConnection previous) {
		if (previous != null) {
			previous.close();
		}
		NativeClient.runBlocking(() -> {
			if (previous != null && previous.isSilent()) {
				this.silenced.run();
			}
			CommandConnection opened = CommandConnection.open(started.client, this.sharedArguments, this.eviction);
			if (!sendWaiting(started, opened)) {
				opened.close();
			}
		}, (cause) -> failed(started, cause));
	}

	// Later commands see the connection, and overtake nobody, once all these are sent.
	private boolean sendWaiting(Attempt started, CommandConnection opened) {
		while (true) {
			LockCommand<?> call;
			synchronized (this.monitor) {
				if (this.attempt != started) {
					return false;
				}
				call = started.waiting.poll();
				if (call == null) {
					this.connection = opened;
					this.attempt = null;
					this.failure = null;
					// Here, so that nobody who hears of it comes after close().
					this.connected.run();
					return true;
				}
			}
			call.sendOver(opened);
		}
	}

	private void failed(Attempt started, Throwable cause) {
		synchronized (this.monitor) {
			if (this.attempt != started) {
				return;
			}
			this.attempt = null;
			this.failure = cause;
			this.failedAt = System.nanoTime();
		}
		started.fail(cause);
	}

	/**
	 * One try to connect. Guarded by the monitor until it is over.
	 */
	private static final class Attempt {

		private final RedisClient client;

		private final @Nullable Throwable trouble;

		private final long startedAt = System.nanoTime();

		private final Queue<LockCommand<?>> waiting = new ArrayDeque<>();

		/**
		 * Create an attempt.
		 * @param client what to connect with
		 * @param trouble why there is no connection any more; {@code null} if there was
		 * none yet
		 */
		Attempt(RedisClient client, @Nullable Throwable trouble) {
			this.client = client;
			this.trouble = trouble;
		}

		Runnable join(LockCommand<?> call) {
			Throwable known = this.trouble;
			if (known != null && System.nanoTime() - this.startedAt > PATIENCE.toNanos()) {
				return () -> call.failUnsent(known);
			}
			this.waiting.add(call);
			return () -> {
			};
		}

		void fail(Throwable cause) {
			this.waiting.forEach((call) -> call.failUnsent(cause));
		}

	}

}
