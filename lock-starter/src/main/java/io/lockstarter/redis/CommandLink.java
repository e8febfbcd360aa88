package io.lockstarter.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

	private StoreClients.@Nullable Clients retryOf;

	private StoreClients.@Nullable Clients lastClients;

	private Duration pause = FIRST_PAUSE;

	private long connectedAt;

	private @Nullable Long lostAt;

	private @Nullable Throwable failure;

	private @Nullable Long unreachableSince;

	private boolean triedBefore;

	private long triedAt;

	private boolean connectedBefore;

	private @Nullable String leftRunId;

	private long leftAt;

	private @Nullable RedisURI checkLater;

	private boolean closed;

	// what another connection left unanswered, and what came since
	private final Deque<LockCommand<?>> again = new ArrayDeque<>();

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
	 * @param reported whether there is news of another primary
	 */
	void check(RedisURI uri, boolean reported) {
		StoreClients.Clients clients = this.source.get();
		CommandConnection current;
		synchronized (this.monitor) {
			current = this.connection;
			this.checkLater = (current == null && reported) ? uri : this.checkLater;
		}
		if (current == null) {
			return;
		}
		var unused = CommandConnection.open(this.source, clients, uri, false, this.scripts, this)
			.whenComplete((found, trouble) -> {
				if (found != null && !replace(current, found, reported)) {
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
			given = takeAll();
		}
		if (abandoned != null) {
			abandoned.done.complete(null);
		}
		given.forEach((command) -> command.failUnsent(closed()));
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
			this.failure = new ConnectionLostException(
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
		boolean closedMeanwhile;
		synchronized (this.monitor) {
			if (!isUsable(this.connection, clients) && mayWait()) {
				this.again.addAll(commands);
				return;
			}
			closedMeanwhile = this.closed;
		}
		if (closedMeanwhile) {
			commands.forEach((command) -> command.failUnsent(closed()));
		}
		else {
			commands.forEach((command) -> route(command, clients).run());
		}
	}

	// What runs the code of others runs outside of the monitor.
	private Runnable route(LockCommand<?> command, StoreClients.Clients clients) {
		synchronized (this.monitor) {
			CommandConnection current = this.connection;
			if (current != null && current.isUsable(clients)) {
				return () -> command.sendOver(current);
			}
			this.closed = false;
			forgetOthers(clients);
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

	// What was begun with a client that is gone may never end.
	private void forgetOthers(StoreClients.Clients clients) {
		if (this.attempt != null && this.attempt.clients != clients) {
			this.attempt.done.complete(null);
			this.attempt = null;
		}
		if (this.retry != null && this.retryOf != clients) {
			cancelRetry();
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
		this.lastClients = clients;
		if (!this.triedBefore) {
			this.triedAt = System.nanoTime();
		}
		Attempt started = new Attempt(clients, !this.triedBefore, previous, new CompletableFuture<>());
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
				Attempt next = (opened == null) ? another(started, Objects.requireNonNull(trouble)) : null;
				if (next != null) {
					start(next);
					return;
				}
				try {
					if (opened == null) {
						failed(started, Objects.requireNonNull(trouble));
					}
					else if (!adopt(started, opened)) {
						opened.close();
					}
				}
				finally {
					started.done.complete(null);
				}
			});
	}

	/**
	 * A first attempt that got no answer is repeated at once, at what may be another
	 * address by now, as long as commands are to wait for the first connection.
	 */
	private @Nullable Attempt another(Attempt failed, Throwable cause) {
		synchronized (this.monitor) {
			long tried = System.nanoTime() - this.triedAt;
			boolean silence = cause instanceof TimeoutException || cause.getCause() instanceof TimeoutException;
			if (this.attempt != failed || this.connectedBefore || !silence
					|| tried >= this.source.connectTimeout().toNanos()) {
				return null;
			}
			Attempt next = new Attempt(failed.clients, false, null, failed.done);
			this.attempt = next;
			return next;
		}
	}

	// Later commands see the connection, and overtake nobody, once all these are sent.
	private boolean adopt(Attempt started, CommandConnection opened) {
		RedisURI check;
		boolean reconnected;
		while (true) {
			LockCommand<?> command;
			if (!opened.isUsable(started.clients)) {
				failed(started, new ConnectionLostException("The connection was lost as soon as it was made"));
				return false;
			}
			synchronized (this.monitor) {
				if (this.attempt != started) {
					return false;
				}
				command = !this.again.isEmpty() ? this.again.poll() : this.waiting.poll();
				if (command == null) {
					reconnected = this.connectedBefore;
					this.attempt = null;
					check = this.checkLater;
					use(opened);
					break;
				}
			}
			command.sendOver(opened);
		}
		tell(opened, reconnected);
		if (!opened.isUsable(started.clients)) {
			// It ended before anybody listened.
			ended(opened, "it was lost");
		}
		if (check != null) {
			check(check, true);
		}
		return true;
	}

	/**
	 * Outside of the monitor, as whoever hears of it locks what others hold who send.
	 */
	private void tell(CommandConnection opened, boolean reconnected) {
		this.eviction.consider(opened.server().evictionPolicy());
		try {
			this.observer.connected(opened.server(), reconnected);
		}
		catch (IllegalStateException ex) {
			logger.log(Level.DEBUG, "The client is gone already", ex);
		}
		boolean over;
		synchronized (this.monitor) {
			over = this.closed;
		}
		if (over) {
			this.observer.closed();
		}
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

	private boolean replace(CommandConnection current, CommandConnection found, boolean reported) {
		String runId = found.server().runId();
		synchronized (this.monitor) {
			boolean same = runId != null && runId.equals(current.server().runId());
			// A Sentinel that has not heard of it yet leads back to where we come from.
			boolean left = runId != null && runId.equals(this.leftRunId)
					&& System.nanoTime() - this.leftAt < StoreScripts.LEAP.toNanos();
			if (this.connection != current || same || (left && !reported)) {
				return false;
			}
			logger.log(Level.INFO, "Another Redis is the primary now: commands go there");
			use(found);
			this.leftRunId = current.server().runId();
			this.leftAt = System.nanoTime();
		}
		current.close();
		tell(found, true);
		if (!found.isUsable(this.source.get())) {
			ended(found, "it was lost");
		}
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
				given = takeAll();
			}
		}
		given.forEach((command) -> command.failUnsent(cause));
	}

	private void retryLater() {
		Duration delay = this.pause;
		this.pause = (delay.compareTo(LONGEST_PAUSE) < 0) ? delay.multipliedBy(2) : LONGEST_PAUSE;
		this.retryOf = this.lastClients;
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
				given = takeAll();
			}
		}
		Throwable known = (reason != null) ? reason : new ConnectionLostException("There is no connection");
		given.forEach((command) -> command.failUnsent(known));
		if (started != null) {
			start(started);
		}
	}

	private List<LockCommand<?>> takeAll() {
		List<LockCommand<?>> all = new ArrayList<>(this.again);
		all.addAll(this.waiting);
		this.again.clear();
		this.waiting.clear();
		return all;
	}

	private void cancelRetry() {
		Runnable scheduled = this.retry;
		this.retry = null;
		if (scheduled != null) {
			scheduled.run();
		}
	}

	private static RuntimeException closed() {
		return new IllegalStateException("The store was closed");
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
		 * The link was closed meanwhile.
		 */
		void closed();

		/**
		 * The connection is given up because nothing comes over it any more.
		 */
		void fellSilent();

	}

	/**
	 * There was a connection, and there is to be another.
	 */
	@SuppressWarnings("serial")
	private static final class ConnectionLostException extends RuntimeException {

		ConnectionLostException(String message) {
			super(message);
		}

	}

	/**
	 * One try to connect.
	 */
	private static final class Attempt {

		private final StoreClients.Clients clients;

		private final boolean first;

		private final @Nullable CommandConnection previous;

		private final CompletableFuture<@Nullable Object> done;

		Attempt(StoreClients.Clients clients, boolean first, @Nullable CommandConnection previous,
				CompletableFuture<@Nullable Object> done) {
			this.done = done;
			this.clients = clients;
			this.first = first;
			this.previous = previous;
		}

	}

}
