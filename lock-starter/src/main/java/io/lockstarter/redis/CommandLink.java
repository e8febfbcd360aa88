package io.lockstarter.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

/**
 * Brings commands to Redis, in the order in which they come as long as a connection
 * lasts, over a connection of our own: the application's heavy commands must not stand
 * before a renewal.
 * <p>
 * A connection that is lost is replaced at once, and from then on with growing pauses.
 * What it left unanswered is sent again over the next one, which every command allows
 * for. Commands wait for the first connection for as long as an attempt takes; later they
 * wait for a second, and then fail, at once for as long as there is no connection.
 * Thread-safe.
 */
final class CommandLink implements CommandConnection.Listener {

	/**
	 * For how long after a loss commands wait for another connection.
	 */
	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final Logger logger = System.getLogger(CommandLink.class.getName());

	private final StoreClients source;

	private final StoreScripts scripts;

	private final EvictionWarning eviction = new EvictionWarning();

	private final Observer observer;

	private final Object monitor = new Object();

	private volatile @Nullable CommandConnection connection;

	// What follows is guarded by the monitor.

	private @Nullable Attempt attempt;

	private @Nullable Runnable retry;

	private Duration pause = FIRST_PAUSE;

	private long connectedAt;

	private @Nullable Long lostAt;

	private @Nullable Throwable failure;

	private @Nullable Long unreachableSince;

	private boolean triedBefore;

	private boolean connectedBefore;

	private @Nullable RedisURI checkLater;

	private boolean closed;

	private final Deque<LockCommand<?>> waiting = new ArrayDeque<>();

	private CompletableFuture<?> opened = CompletableFuture.completedFuture(null);

	/**
	 * Create a link.
	 * @param source makes connections
	 * @param scripts the scripts of the store
	 * @param observer told of connections
	 */
	CommandLink(StoreClients source, StoreScripts scripts, Observer observer) {
		this.source = source;
		this.scripts = scripts;
		this.observer = observer;
	}

	/**
	 * Connect, unless there is a connection.
	 * @return completes, always normally, when there is one or the attempt has failed
	 */
	CompletableFuture<?> open() {
		StoreClients.Clients clients;
		try {
			clients = this.source.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.completedFuture(null);
		}
		Attempt started;
		synchronized (this.monitor) {
			this.closed = false;
			if (this.attempt != null || isUsable(this.connection, clients)) {
				return this.opened;
			}
			started = begin(clients);
		}
		start(started);
		return started.done;
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 * @param command the command
	 */
	void send(LockCommand<?> command) {
		StoreClients.Clients clients;
		try {
			clients = this.source.get();
		}
		catch (RuntimeException ex) {
			command.failUnsent(ex);
			return;
		}
		CommandConnection current = this.connection;
		if (current != null && current.isUsable(clients)) {
			command.sendOver(current);
		}
		else {
			route(command, clients).run();
		}
	}

	/**
	 * Find out whether another server is the primary now, and go there if so.
	 * @param uri whom to ask, or where it is
	 */
	void check(RedisURI uri) {
		StoreClients.Clients clients = this.source.get();
		CommandConnection current;
		synchronized (this.monitor) {
			current = this.connection;
			this.checkLater = (current == null) ? uri : null;
		}
		if (current == null) {
			return;
		}
		var unused = CommandConnection.open(this.source, clients, uri, false, this.scripts, this)
			.whenComplete((found, trouble) -> {
				if (found != null && !replace(current, found)) {
					found.close();
				}
			});
	}

	/**
	 * Give up the connection and what waits for one. The next command opens another.
	 * @return completes when the connection is closed
	 */
	CompletionStage<?> close() {
		CommandConnection current;
		Attempt abandoned;
		List<LockCommand<?>> given;
		synchronized (this.monitor) {
			this.closed = true;
			current = this.connection;
			this.connection = null;
			abandoned = this.attempt;
			this.attempt = null;
			cancelRetry();
			this.failure = null;
			this.lostAt = null;
			this.unreachableSince = null;
			this.connectedBefore = false;
			this.triedBefore = false;
			given = List.copyOf(this.waiting);
			this.waiting.clear();
		}
		if (abandoned != null) {
			abandoned.done.complete(null);
		}
		given.forEach((command) -> command.failUnsent(new IllegalStateException("The store was closed")));
		return (current != null) ? current.close() : CompletableFuture.completedFuture(null);
	}

	@Override
	public void ended(CommandConnection lost, String why) {
		Attempt started = null;
		synchronized (this.monitor) {
			if (this.connection != lost) {
				return;
			}
			this.connection = null;
			this.lostAt = System.nanoTime();
			this.failure = new IllegalStateException(
					"The connection to Redis was given up, as " + why + ", and another is not there yet");
			logger.log(Level.DEBUG, "The connection to Redis is replaced: {0}", why);
			// One that is of no use from the beginning is no reason for a storm.
			if (lost.wasUseful() || System.nanoTime() - this.connectedAt >= LONGEST_PAUSE.toNanos()) {
				this.pause = FIRST_PAUSE;
				started = beginIfPossible();
			}
			else {
				retryLater();
			}
		}
		if (started != null) {
			start(started);
		}
		if (lost.isSilent()) {
			this.observer.fellSilent();
		}
	}

	@Override
	public void unanswered(CommandConnection lost, List<LockCommand<?>> commands) {
		StoreClients.Clients clients;
		try {
			clients = this.source.get();
		}
		catch (RuntimeException ex) {
			commands.forEach((command) -> command.failUnsent(ex));
			return;
		}
		synchronized (this.monitor) {
			if (!isUsable(this.connection, clients) && mayWait()) {
				for (int i = commands.size() - 1; i >= 0; i--) {
					this.waiting.addFirst(commands.get(i));
				}
				return;
			}
		}
		commands.forEach((command) -> route(command, clients).run());
	}

	// What runs the code of others runs outside of the monitor.
	private Runnable route(LockCommand<?> command, StoreClients.Clients clients) {
		synchronized (this.monitor) {
			CommandConnection current = this.connection;
			if (current != null && current.isUsable(clients)) {
				return () -> command.sendOver(current);
			}
			this.closed = false;
			if (mayWait()) {
				this.waiting.add(command);
				return () -> {
				};
			}
			Throwable reason = this.failure;
			if (reason != null && (this.attempt != null || this.retry != null)) {
				return () -> command.failUnsent(reason);
			}
			this.waiting.add(command);
			Attempt started = begin(clients);
			return () -> start(started);
		}
	}

	/**
	 * Whether there is, or is to be, an attempt that is worth waiting for.
	 */
	private boolean mayWait() {
		Long since = this.lostAt;
		boolean patient = since == null || System.nanoTime() - since < PATIENCE;
		return !this.closed && patient && (this.attempt != null || (since != null && this.retry != null));
	}

	private @Nullable Attempt beginIfPossible() {
		try {
			return begin(this.source.get());
		}
		catch (IllegalStateException ex) {
			// The factory was stopped. The next command asks again.
			return null;
		}
	}

	private Attempt begin(StoreClients.Clients clients) {
		CommandConnection previous = this.connection;
		this.connection = null;
		cancelRetry();
		Attempt started = new Attempt(clients, !this.triedBefore, previous);
		this.triedBefore = true;
		this.attempt = started;
		this.opened = started.done;
		return started;
	}

	private void start(Attempt started) {
		CommandConnection previous = started.previous;
		if (previous != null) {
			previous.close();
		}
		var unused = CommandConnection
			.open(this.source, started.clients, started.clients.uri(), started.first, this.scripts, this)
			.whenComplete((opened, trouble) -> {
				if (opened == null) {
					failed(started, Objects.requireNonNull(trouble));
				}
				else if (!adopt(started, opened)) {
					opened.close();
				}
				started.done.complete(null);
			});
	}

	// Later commands see the connection, and overtake nobody, once all these are sent.
	private boolean adopt(Attempt started, CommandConnection opened) {
		RedisURI check;
		while (true) {
			LockCommand<?> command;
			if (!opened.isUsable(started.clients)) {
				failed(started, new IllegalStateException("The connection was lost as soon as it was made"));
				return false;
			}
			synchronized (this.monitor) {
				if (this.attempt != started) {
					return false;
				}
				command = this.waiting.poll();
				if (command == null) {
					boolean again = this.connectedBefore;
					this.attempt = null;
					check = this.checkLater;
					use(opened);
					// Here, so that nobody who hears of it comes after close().
					this.observer.connected(opened.server(), again);
					break;
				}
			}
			command.sendOver(opened);
		}
		this.eviction.consider(opened.server().evictionPolicy());
		if (!opened.isUsable(started.clients)) {
			// It ended before anybody listened.
			ended(opened, "it was lost");
		}
		if (check != null) {
			check(check);
		}
		return true;
	}

	private void use(CommandConnection opened) {
		Long since = this.unreachableSince;
		if (since != null) {
			logger.log(Level.INFO, "Redis can be reached again, after {0} ms",
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
		}
		this.connection = opened;
		this.checkLater = null;
		this.connectedBefore = true;
		this.connectedAt = System.nanoTime();
		this.failure = null;
		this.lostAt = null;
		this.unreachableSince = null;
	}

	private boolean replace(CommandConnection current, CommandConnection found) {
		String identity = found.server().identity();
		synchronized (this.monitor) {
			if (this.connection != current || (identity != null && identity.equals(current.server().identity()))) {
				return false;
			}
			logger.log(Level.INFO, "Another Redis is the primary now: commands go there");
			use(found);
			this.observer.connected(found.server(), true);
		}
		current.close();
		return true;
	}

	private void failed(Attempt started, Throwable cause) {
		List<LockCommand<?>> given = List.of();
		synchronized (this.monitor) {
			if (this.attempt != started) {
				return;
			}
			this.attempt = null;
			this.failure = cause;
			if (this.unreachableSince == null) {
				this.unreachableSince = System.nanoTime();
				logger.log(Level.WARNING,
						"Redis cannot be reached, which is tried again until it works; meanwhile locks are neither "
								+ "acquired nor renewed: {0}",
						StoreFailures.describe(cause));
			}
			retryLater();
			if (!mayWait()) {
				given = List.copyOf(this.waiting);
				this.waiting.clear();
			}
		}
		given.forEach((command) -> command.failUnsent(cause));
	}

	private void retryLater() {
		Duration delay = this.pause;
		this.pause = (delay.compareTo(LONGEST_PAUSE) < 0) ? delay.multipliedBy(2) : LONGEST_PAUSE;
		this.retry = this.closed ? null : this.source.runLater(this::retry, delay);
	}

	private void retry() {
		Attempt started = null;
		List<LockCommand<?>> given = List.of();
		Throwable reason;
		synchronized (this.monitor) {
			this.retry = null;
			reason = this.failure;
			if (!this.closed && this.attempt == null && this.connection == null) {
				started = beginIfPossible();
			}
			if (!mayWait() && reason != null) {
				given = List.copyOf(this.waiting);
				this.waiting.clear();
			}
		}
		Throwable known = (reason != null) ? reason : new IllegalStateException("There is no connection");
		given.forEach((command) -> command.failUnsent(known));
		if (started != null) {
			start(started);
		}
	}

	private void cancelRetry() {
		Runnable scheduled = this.retry;
		this.retry = null;
		if (scheduled != null) {
			scheduled.run();
		}
	}

	private static boolean isUsable(@Nullable CommandConnection connection, StoreClients.Clients clients) {
		return connection != null && connection.isUsable(clients);
	}

	/**
	 * Told of connections. Must neither block nor call back.
	 */
	interface Observer {

		/**
		 * Commands go over a new connection from now on.
		 * @param server what the server says of itself
		 * @param again whether there was a connection before
		 */
		void connected(ServerInfo server, boolean again);

		/**
		 * The connection is given up because nothing comes over it any more.
		 */
		void fellSilent();

	}

	/**
	 * One try to connect.
	 */
	private static final class Attempt {

		private final StoreClients.Clients clients;

		private final boolean first;

		private final @Nullable CommandConnection previous;

		private final CompletableFuture<?> done = new CompletableFuture<@Nullable Object>();

		Attempt(StoreClients.Clients clients, boolean first, @Nullable CommandConnection previous) {
			this.clients = clients;
			this.first = first;
			this.previous = previous;
		}

	}

}
