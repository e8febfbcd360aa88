// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to Redis, in the order in which they come as long as a connection lasts.
 * The connection is one of our own, so that none waits behind heavy commands of the
 * application.
 * <p>
 * A connection that is lost is replaced at once. If that fails, further attempts follow
 * after growing pauses. Commands that were not answered are sent again over the next
 * connection, which every command allows for. Commands wait for the first connection for
 * as long as an attempt takes. After a loss they wait for a second; from then on they
 * fail at once until there is a connection. Thread-safe.
 */
final class CommandSender implements CommandConnection.Listener {

	/**
	 * For how long after a loss commands wait for another connection.
	 */
	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

	private static final Duration SHORTEST_ATTEMPT = Duration.ofMillis(100);

	/**
	 * After which time an attempt is taken for dead: longer than all of its steps take.
	 */
	private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(30);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(CommandSender.class);

	private final ConnectionObserver told;

	private final CurrentClient source;

	private final Platform platform;

	private final Supplier<Calls> calls;

	private final Observer observer;

	private final RetryTimer retry;

	private final AtomicLong issued = new AtomicLong();

	private final Object monitor = new Object();

	private volatile @Nullable CommandConnection connection;

	private volatile @Nullable SharedConnection<?> server;

	// What follows is guarded by the monitor.

	private @Nullable Attempt attempt;

	// what the attempt was begun with, or the one that is to be retried
	private @Nullable LettuceClient client;

	private @Nullable Long lostAt;

	private @Nullable Throwable failure;

	private @Nullable Long unreachableSince;

	private @Nullable Long triedAt;

	private boolean connectedBefore;

	private @Nullable String lastRunId;

	private @Nullable String leftRunId;

	private long leftAt;

	private @Nullable RedisURI checkLater;

	private boolean closed;

	// commands that another connection left unanswered, in the order in which they were
	// issued, and those that came since
	private final Queue<ScriptCommand<?>> again = new PriorityQueue<>(
			Comparator.comparingLong(ScriptCommand<?>::number));

	private final Deque<ScriptCommand<?>> waiting = new ArrayDeque<>();

	/**
	 * Create a sender, without connecting.
	 * @param calls supplies the calls to send; called when somebody connects
	 * @param told told when no server can be reached, and when one can be again
	 */
	CommandSender(CurrentClient source, Supplier<Calls> calls, Observer observer, ConnectionObserver told) {
		this.source = source;
		this.platform = source.platform();
		this.calls = calls;
		this.observer = observer;
		this.told = told;
		this.retry = new RetryTimer(source, this::retry, FIRST_PAUSE, LONGEST_PAUSE);
	}

	/**
	 * Connect, unless there is a connection. Completes, always normally, when there is
	 * one or the attempt has failed.
	 */
	CompletableFuture<?> open() {
		LettuceClient client;
		try {
			client = this.source.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.completedFuture(null);
		}
		Attempt started;
		synchronized (this.monitor) {
			this.closed = false;
			if (this.attempt != null && !this.attempt.end.isOver()) {
				return this.attempt.done;
			}
			CommandConnection current = this.connection;
			if (current != null && current.isUsable(client)) {
				return CompletableFuture.completedFuture(null);
			}
			forget();
			started = begin(client);
		}
		start(started);
		return started.done;
	}

	boolean isConnected() {
		CommandConnection current = this.connection;
		return current != null && current.isOpen();
	}

	/**
	 * Return the connection that commands go over, or went over last; {@code null} if
	 * there was none yet.
	 */
	@Nullable SharedConnection<?> server() {
		return this.server;
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 */
	void send(ScriptCommand<?> command) {
		command.issued(this.issued.getAndIncrement());
		passOrFail(command);
	}

	private void passOrFail(ScriptCommand<?> command) {
		try {
			pass(command);
		}
		catch (RuntimeException | Error ex) {
			// It may wait somewhere.
			command.unanswered(true);
			command.failUnsent(ex);
		}
	}

	private void pass(ScriptCommand<?> command) {
		LettuceClient client;
		try {
			client = this.source.get();
		}
		catch (RuntimeException ex) {
			command.failUnsent(ex);
			return;
		}
		CommandConnection current = this.connection;
		if (current != null && current.isUsable(client)) {
			command.sendOver(current);
		}
		else {
			route(command, client).run();
		}
	}

	/**
	 * Find out whether another server is the primary now, and go there if so.
	 * @param uri whom to ask, or where it is
	 * @param reported whether there is news of another primary
	 */
	void check(RedisURI uri, boolean reported) {
		LettuceClient client = this.source.get();
		CommandConnection current;
		synchronized (this.monitor) {
			current = this.connection;
			this.checkLater = (current == null && reported) ? uri : this.checkLater;
		}
		if (current == null) {
			return;
		}
		var unused = CommandConnection
			.open(client, uri, client.deadline(false), this.calls.get(), this,
					(server) -> isNext(current, server, reported))
			.whenComplete((found, trouble) -> {
				if (found != null && !replace(current, found, reported, client)) {
					found.close();
				}
			});
	}

	/**
	 * Give up the connection and what waits for one. The next command opens another.
	 */
	CompletionStage<?> close() {
		CommandConnection current;
		Attempt abandoned;
		List<ScriptCommand<?>> given;
		synchronized (this.monitor) {
			this.closed = true;
			current = this.connection;
			this.connection = null;
			abandoned = this.attempt;
			this.attempt = null;
			this.retry.cancel();
			forgetTrouble();
			this.connectedBefore = false;
			this.triedAt = null;
			given = takeAll();
		}
		if (abandoned != null) {
			abandoned.done.complete(null);
		}
		given.forEach((command) -> command.failUnsent(closed()));
		return (current != null) ? current.close() : CompletableFuture.completedFuture(null);
	}

	@Override
	public boolean isFromAnother(ServerInfo server) {
		synchronized (this.monitor) {
			return this.lastRunId != null && !this.lastRunId.equals(server.runId());
		}
	}

	@Override
	public void ended(CommandConnection lost, String why) {
		replaceLost(lost, why);
		if (lost.isSilent()) {
			// Also if a command noticed the loss before.
			this.observer.fellSilent();
		}
	}

	private void replaceLost(CommandConnection lost, String why) {
		Attempt started = null;
		synchronized (this.monitor) {
			if (this.connection != lost) {
				return;
			}
			this.connection = null;
			noteLoss(why);
			if (lost.hasWorked()) {
				this.retry.reset();
				started = beginIfPossible();
			}
			else {
				this.retry.schedule();
			}
		}
		logger.debug("The connection to Redis is replaced: " + why);
		if (started != null) {
			start(started);
		}
	}

	@Override
	public void unanswered(CommandConnection lost, List<ScriptCommand<?>> commands) {
		boolean closedMeanwhile;
		synchronized (this.monitor) {
			if (mayWait()) {
				this.again.addAll(commands);
				return;
			}
			closedMeanwhile = this.closed;
		}
		if (closedMeanwhile) {
			commands.forEach((command) -> command.failUnsent(closed()));
		}
		else {
			commands.forEach(this::passOrFail);
			// What came later may have gone over the next connection by now.
			this.observer.reordered();
		}
	}

	private void noteLoss(String why) {
		this.lostAt = this.platform.nanoTime();
		this.failure = new RedisConnectionException(
				"The connection to Redis was given up, as " + why + ", and another is not there yet");
	}

	// The returned step may run callbacks, so it runs outside of the monitor.
	private Runnable route(ScriptCommand<?> command, LettuceClient client) {
		synchronized (this.monitor) {
			CommandConnection current = this.connection;
			if (current != null && current.isUsable(client)) {
				return () -> command.sendOver(current);
			}
			this.closed = false;
			if (this.client != client || (this.attempt != null && this.attempt.end.isOver())) {
				forget();
			}
			if (mayWait()) {
				this.waiting.add(command);
				return () -> {
				};
			}
			Throwable reason = this.failure;
			if (reason != null && (this.attempt != null || this.retry.isScheduled())) {
				return () -> command.failUnsent(reason);
			}
			this.waiting.add(command);
			if (current != null) {
				// A command noticed the loss ahead of the connection's own event.
				noteLoss("it was lost");
			}
			Attempt started = begin(client);
			return () -> start(started);
		}
	}

	// An attempt of a client that was shut down, or whose thread died, may never end.
	private void forget() {
		if (this.attempt != null) {
			this.attempt.done.complete(null);
			this.attempt = null;
		}
		this.retry.cancel();
	}

	/**
	 * Whether there is, or is to be, an attempt that is worth waiting for.
	 */
	private boolean mayWait() {
		Long since = this.lostAt;
		boolean patient = since == null || this.platform.nanoTime() - since < PATIENCE;
		return !this.closed && patient && (this.attempt != null || (since != null && this.retry.isScheduled()));
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

	private Attempt begin(LettuceClient client) {
		Attempt started = new Attempt(client, this.triedAt == null, this.connection);
		if (this.triedAt == null) {
			this.triedAt = this.platform.nanoTime();
		}
		this.connection = null;
		this.retry.cancel();
		this.client = client;
		this.attempt = started;
		return started;
	}

	private void start(Attempt started) {
		try {
			if (started.previous != null) {
				started.previous.close();
			}
		}
		finally {
			connect(started, started.first);
		}
	}

	private void connect(Attempt started, boolean first) {
		Deadline end;
		synchronized (this.monitor) {
			end = endOfFirstAttempts(started.client);
		}
		var unused = LettuceClient
			.begin(() -> CommandConnection.open(started.client, first, end, this.calls.get(), this))
			.whenComplete((opened, trouble) -> finish(started, opened, trouble));
	}

	private void finish(Attempt started, @Nullable CommandConnection opened, @Nullable Throwable trouble) {
		if (trouble != null && isRepeated(started, trouble)) {
			connect(started, false);
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
		catch (RuntimeException | Error ex) {
			failed(started, ex);
			if (opened != null && this.connection != opened) {
				opened.close();
			}
			throw ex;
		}
		finally {
			started.done.complete(null);
		}
	}

	/**
	 * A first attempt that got no answer is repeated at once, at what may be another
	 * address by now, as long as commands are to wait for the first connection.
	 */
	private boolean isRepeated(Attempt failed, Throwable cause) {
		boolean silence = cause instanceof TimeoutException || cause.getCause() instanceof TimeoutException;
		synchronized (this.monitor) {
			return silence && this.attempt == failed && endOfFirstAttempts(failed.client) != null;
		}
	}

	/**
	 * Return up to when commands wait for the first connection; {@code null} if there was
	 * one, or if too little of that time is left for an attempt.
	 */
	private @Nullable Deadline endOfFirstAttempts(LettuceClient client) {
		Long since = this.triedAt;
		if (this.connectedBefore || since == null) {
			return null;
		}
		Deadline end = new Deadline(this.platform, Ticker.plus(since, client.connectTimeout().toNanos()));
		return (end.left().compareTo(SHORTEST_ATTEMPT) > 0) ? end : null;
	}

	// Later commands see the connection, and overtake nobody, once all these are sent.
	private boolean adopt(Attempt started, CommandConnection opened) {
		RedisURI check;
		boolean reconnected;
		Long unreachable;
		while (true) {
			ScriptCommand<?> command;
			if (!opened.isUsable(started.client)) {
				failed(started, SharedConnection.lost());
				return false;
			}
			synchronized (this.monitor) {
				if (this.attempt != started) {
					return false;
				}
				command = !this.again.isEmpty() ? this.again.poll() : this.waiting.poll();
				if (command == null) {
					reconnected = this.connectedBefore;
					unreachable = this.unreachableSince;
					check = this.checkLater;
					this.attempt = null;
					use(opened);
					break;
				}
			}
			command.sendOver(opened);
		}
		if (unreachable != null) {
			String after = "after %d ms"
				.formatted(TimeUnit.NANOSECONDS.toMillis(this.platform.nanoTime() - unreachable));
			this.told.reachable(started.client.uri(), after);
		}
		tell(opened, reconnected, started.client);
		if (check != null) {
			check(check, true);
		}
		return true;
	}

	// Outside of the monitor: observers take locks that senders of commands may hold.
	private void tell(CommandConnection opened, boolean reconnected, LettuceClient client) {
		try {
			if (reconnected) {
				this.observer.reordered();
			}
			this.observer.connected(opened.shared(), reconnected);
		}
		catch (IllegalStateException ex) {
			logger.debug("The client is gone already", ex);
		}
		boolean over;
		synchronized (this.monitor) {
			over = this.closed;
		}
		if (over) {
			this.observer.closed();
		}
		if (!opened.isUsable(client)) {
			// It ended before anybody listened.
			replaceLost(opened, "it was lost");
		}
	}

	private void use(CommandConnection opened) {
		this.server = opened.shared();
		this.connection = opened;
		this.lastRunId = opened.shared().server().runId();
		this.checkLater = null;
		this.connectedBefore = true;
		forgetTrouble();
	}

	private void forgetTrouble() {
		this.failure = null;
		this.lostAt = null;
		this.unreachableSince = null;
	}

	/**
	 * Return whether to go from the server of a connection to another one. Asked before
	 * anything is done there: a server that was left must not be made ready once more
	 * unless it is reported as the primary.
	 */
	private boolean isNext(CommandConnection current, ServerInfo server, boolean reported) {
		String runId = server.runId();
		synchronized (this.monitor) {
			boolean same = runId != null && runId.equals(current.shared().server().runId());
			// A Sentinel that does not know the new primary yet names the one before.
			boolean left = runId != null && runId.equals(this.leftRunId)
					&& this.platform.nanoTime() - this.leftAt < BatchScript.TAKEOVER.toNanos();
			return this.connection == current && !same && (!left || reported);
		}
	}

	private boolean replace(CommandConnection current, CommandConnection found, boolean reported,
			LettuceClient client) {
		synchronized (this.monitor) {
			if (!isNext(current, found.shared().server(), reported)) {
				return false;
			}
			use(found);
			this.leftRunId = current.shared().server().runId();
			this.leftAt = this.platform.nanoTime();
		}
		logger.info("Another Redis is the primary now: commands go there");
		current.close();
		tell(found, true, client);
		return true;
	}

	private void failed(Attempt started, Throwable cause) {
		boolean noted;
		synchronized (this.monitor) {
			if (this.attempt != started) {
				return;
			}
			this.attempt = null;
			this.failure = cause;
			boolean brief = ErrorReply.of(cause) == ErrorReply.UNSETTLED && mayWait();
			this.retry.schedule(brief ? CommandConnection.LONGEST_UNSETTLED_PAUSE : LONGEST_PAUSE);
			noted = this.unreachableSince != null || brief;
			if (!noted) {
				this.unreachableSince = this.platform.nanoTime();
			}
		}
		if (!noted) {
			String reason = FailureText.withRemedy(cause);
			this.told.unreachable(started.client.uri(), reason);
		}
		failWaitingElsewhere(started.client, cause);
	}

	private void retry() {
		Attempt started = null;
		Throwable reason;
		synchronized (this.monitor) {
			reason = this.failure;
			if (!this.closed && this.attempt == null && this.connection == null) {
				started = beginIfPossible();
			}
		}
		try {
			if (reason != null) {
				failWaiting(reason);
			}
		}
		finally {
			if (started != null) {
				start(started);
			}
		}
	}

	/**
	 * An attempt may fail at once, below whoever sent a command: that one may hold what
	 * the callbacks of other commands need.
	 */
	private void failWaitingElsewhere(LettuceClient client, Throwable cause) {
		try {
			client.runLater(() -> failWaiting(cause), Duration.ZERO);
		}
		catch (RejectedExecutionException ex) {
			this.platform.execute(() -> failWaiting(cause));
		}
	}

	/**
	 * Fail what waits for a connection, unless there is to be one soon.
	 */
	private void failWaiting(Throwable cause) {
		List<ScriptCommand<?>> given;
		synchronized (this.monitor) {
			given = mayWait() ? List.of() : takeAll();
		}
		given.forEach((command) -> command.failUnsent(cause));
	}

	private List<ScriptCommand<?>> takeAll() {
		List<ScriptCommand<?>> all = new ArrayList<>(this.again);
		all.addAll(this.waiting);
		this.again.clear();
		this.waiting.clear();
		return all;
	}

	private static RuntimeException closed() {
		return new IllegalStateException("The store was closed");
	}

	/**
	 * Told of connections. Must neither block nor call back.
	 */
	interface Observer {

		/**
		 * Commands go over a new connection from now on.
		 * @param again whether there was a connection before
		 */
		void connected(SharedConnection<?> connection, boolean again);

		/**
		 * Commands of a connection before were sent, perhaps after others that are later.
		 */
		void reordered();

		/**
		 * The sender was closed meanwhile.
		 */
		void closed();

		/**
		 * The connection is given up because nothing comes over it any more.
		 */
		void fellSilent();

	}

	private static final class Attempt {

		private final LettuceClient client;

		private final boolean first;

		private final @Nullable CommandConnection previous;

		// of what may never end, if a thread died
		private final Deadline end;

		private final CompletableFuture<@Nullable Object> done = new CompletableFuture<>();

		Attempt(LettuceClient client, boolean first, @Nullable CommandConnection previous) {
			this.end = Deadline.after(client.platform(), LONGEST_ATTEMPT);
			this.client = client;
			this.first = first;
			this.previous = previous;
		}

	}

}
