// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lockstarter.platform.Platform;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The way of commands to the server that has the keys of one slot. Outside of a cluster
 * one slot has all keys. Thread-safe.
 * <p>
 * All commands wait in one {@link Backlog} until a call of the script takes them.
 * Whatever comes to nothing goes back to its place there: commands that were refused, and
 * all that are unanswered when their connection is lost. The line is closed, connecting
 * by an {@link Attempt}, down until the next one, or up over a {@link Link}: from one to
 * the other it goes only here. A connection that is lost is replaced at once, and one
 * that refused commands as soon as all else that it was sent is answered. Meanwhile
 * commands wait, for a second at most ({@link Outage}). While a slot is being moved the
 * link rests for moments, and stays.
 * <p>
 * One monitor guards all that. Commands are told of their answers, connections opened and
 * closed, and calls sent, outside of it.
 */
public final class Line {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(Line.class);

	private final CurrentClient source;

	private final Platform platform;

	private final BatchScript script;

	private final boolean apart;

	private final LineObserver observer;

	private final ConnectionObserver told;

	private final RetryTimer retry;

	private final AtomicLong issued = new AtomicLong();

	private final Object monitor = new Object();

	// What follows is guarded by the monitor.

	private LineState state = LineState.Closed.INSTANCE;

	private final Backlog backlog = new Backlog();

	private Outage outage;

	// why there is no connection, or was none last
	private @Nullable Throwable failure;

	private final Succession succession = new Succession();

	private @Nullable RedisURI checkLater;

	/**
	 * Create a line, without connecting.
	 * @param apart whether it is beside another line of the same slot
	 * @param observer told of its connections
	 * @param told told when no server can be reached, and when one can be again
	 */
	Line(CurrentClient source, BatchScript script, boolean apart, LineObserver observer, ConnectionObserver told) {
		this.source = source;
		this.platform = source.platform();
		this.script = script;
		this.apart = apart;
		this.observer = observer;
		this.told = told;
		this.outage = new Outage(this.platform);
		this.retry = new RetryTimer(source, this::retry, FIRST_PAUSE, LONGEST_PAUSE);
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 * @param command the command
	 */
	public void send(ScriptCommand<?> command) {
		command.issued(this.issued.getAndIncrement());
		pass(command, false);
	}

	/**
	 * Send a command once more that was answered, behind all that were issued meanwhile.
	 * A line that was closed by then stays so.
	 * @param command the command
	 */
	public void sendAgain(ScriptCommand<?> command) {
		command.issued(this.issued.getAndIncrement());
		pass(command, true);
	}

	/**
	 * Take commands back that come late from a link before: what came later may have gone
	 * over the next one by now. A line that was closed meanwhile stays so.
	 */
	void takeLate(List<ScriptCommand<?>> commands) {
		if (!commands.isEmpty()) {
			commands.forEach((command) -> pass(command, true));
			this.observer.reordered();
		}
	}

	private void pass(ScriptCommand<?> command, boolean late) {
		LettuceClient client;
		try {
			client = this.source.get();
		}
		catch (RuntimeException ex) {
			command.failUnsent(ex);
			return;
		}
		try {
			pass(command, client, late);
		}
		catch (RuntimeException | Error ex) {
			// It may be in the queue, or on its way.
			command.unanswered(true);
			command.failUnsent(ex);
		}
	}

	private void pass(ScriptCommand<?> command, LettuceClient client, boolean late) {
		Link up = null;
		boolean asleep = false;
		int batches = 0;
		Attempt started = null;
		Throwable reason = null;
		synchronized (this.monitor) {
			if (late && this.state instanceof LineState.Closed) {
				reason = closed();
			}
			else if (!this.state.isGood(client)) {
				this.backlog.add(command);
				started = begin(client);
			}
			else if (this.state instanceof Link link) {
				// Whoever gives it up finds out by that whether the server is silent,
				// even if nothing is written at the moment.
				command.writtenOver(link, this.platform.nanoTime());
				this.backlog.add(command);
				up = link;
				asleep = link.isOverslept();
				batches = link.due();
			}
			else if (mayWait()) {
				this.backlog.add(command);
			}
			else {
				reason = this.failure;
			}
		}
		if (up != null) {
			up.send(batches);
			up.shared().replicas().askBehind(command.requiredReplicas());
			if (asleep) {
				up.wake();
			}
		}
		else if (started != null) {
			started.begin();
		}
		else if (reason != null) {
			command.failUnsent(reason);
		}
	}

	/**
	 * Return whether there is, or is to be, an attempt that is worth waiting for.
	 */
	private boolean mayWait() {
		return (this.state instanceof Attempt) ? this.outage.isPatientNow()
				: this.state instanceof LineState.Down && this.retry.isScheduled() && this.outage.isPatient();
	}

	private static IllegalStateException closed() {
		return new IllegalStateException("The store was closed");
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
			if (this.state.isGood(client)) {
				if (this.state instanceof Link) {
					return CompletableFuture.completedFuture(null);
				}
				if (this.state instanceof Attempt present) {
					return present.done();
				}
			}
			started = begin(client);
		}
		started.begin();
		return started.done();
	}

	/**
	 * Return what commands go over now, if there is such.
	 */
	@Nullable Link link() {
		synchronized (this.monitor) {
			return (this.state instanceof Link link) ? link : null;
		}
	}

	/**
	 * Return what identifies the server of that link; {@code null} if that is not known,
	 * or the link is lost.
	 */
	@Nullable String runId() {
		Link link = link();
		return (link != null && link.isOpen()) ? link.runId() : null;
	}

	/**
	 * Give up the connection and what waits for one. The next command opens another.
	 */
	CompletionStage<?> close() {
		LineState before;
		List<ScriptCommand<?>> given;
		CompletionStage<?> closing;
		synchronized (this.monitor) {
			before = this.state;
			if (before instanceof Link link) {
				link.takeBack();
			}
			this.state = LineState.Closed.INSTANCE;
			this.retry.cancel();
			this.outage = new Outage(this.platform);
			given = this.backlog.takeAll();
		}
		try {
			given.forEach((command) -> command.failUnsent(closed()));
			this.observer.linkChanged();
		}
		finally {
			closing = before.close();
		}
		return closing;
	}

	// What attempts and links need, some of it under the monitor

	BatchScript script() {
		return this.script;
	}

	Object monitor() {
		return this.monitor;
	}

	boolean isApart() {
		return this.apart;
	}

	Backlog backlog() {
		return this.backlog;
	}

	Succession succession() {
		return this.succession;
	}

	boolean isIn(LineState candidate) {
		synchronized (this.monitor) {
			return this.state == candidate;
		}
	}

	// Connecting

	private Attempt begin(LettuceClient client) {
		boolean first = this.outage.isUntried();
		Deadline firstEnd = this.outage.tried(client.connectTimeout());
		Attempt started = new Attempt(this, client, this.state, first, firstEnd);
		if (this.state instanceof Link lost) {
			// A command noticed it ahead of the connection's own event.
			noteLoss(lost, "it was lost");
		}
		this.retry.cancel();
		this.state = started;
		return started;
	}

	private @Nullable Attempt beginIfPossible() {
		try {
			return begin(this.source.get());
		}
		catch (RuntimeException ex) {
			// The factory was stopped. The next command asks again.
			this.failure = ex;
			return null;
		}
	}

	/**
	 * An attempt is over, and there is no link.
	 */
	void failed(Attempt attempt, Throwable cause) {
		boolean news;
		synchronized (this.monitor) {
			if (this.state != attempt) {
				return;
			}
			this.failure = cause;
			goDown(attempt.client());
			news = this.outage.noteUnreachable();
		}
		tellOfTrouble(attempt.client(), news ? cause : null);
	}

	private void tellOfTrouble(LettuceClient client, @Nullable Throwable unreachable) {
		if (unreachable != null) {
			this.told.unreachable(client.uri(), FailureText.withRemedy(unreachable));
		}
		tellElsewhere(client);
	}

	private void goDown(LettuceClient client) {
		this.state = new LineState.Down(client, this.retry);
		this.retry.schedule();
	}

	private void retry() {
		Attempt started = null;
		try {
			synchronized (this.monitor) {
				if (this.retry.take()) {
					started = beginIfPossible();
				}
			}
			failWaiting();
		}
		finally {
			if (started != null) {
				started.begin();
			}
		}
	}

	/**
	 * An attempt may fail at once, below whoever sent a command: that one may hold what
	 * the callbacks of other commands need.
	 */
	void tellElsewhere(LettuceClient client) {
		try {
			client.runLater(this::tellWhoWaits, Duration.ZERO);
		}
		catch (RejectedExecutionException ex) {
			this.platform.execute(this::tellWhoWaits);
		}
	}

	private void tellWhoWaits() {
		try {
			this.observer.linkChanged();
		}
		finally {
			failWaiting();
		}
	}

	/**
	 * Fail what waits for a connection, unless there is to be one soon.
	 */
	private void failWaiting() {
		List<ScriptCommand<?>> given;
		Throwable reason;
		synchronized (this.monitor) {
			given = (this.state instanceof Link || mayWait()) ? List.of() : this.backlog.takeAll();
			reason = this.failure;
		}
		given.forEach((command) -> command.failUnsent(Objects.requireNonNull(reason)));
	}

	// Up

	/**
	 * Let commands go over the link that an attempt made.
	 * @return false if that is of no use any more
	 */
	boolean adopt(Attempt attempt, Link opened) {
		int batches;
		synchronized (this.monitor) {
			if (this.state != attempt || !opened.isOpen()) {
				return false;
			}
			batches = opened.due();
			this.state = opened;
		}
		begin(opened, batches);
		return true;
	}

	private void begin(Link opened, int batches) {
		opened.send(batches);
		if (!opened.asks()) {
			serves(opened);
		}
		if (!opened.isOpen()) {
			// It ended before anybody listened.
			lost(opened, "it was lost");
		}
	}

	/**
	 * The server executes calls: it is neither a replica by now nor a node that is cut
	 * off, which refuse the first one.
	 */
	void serves(Link link) {
		RedisURI check;
		boolean reconnected;
		String news;
		synchronized (this.monitor) {
			if (this.state != link || !link.serves()) {
				return;
			}
			reconnected = this.outage.hasServedBefore();
			news = this.outage.served();
			check = this.checkLater;
			this.checkLater = null;
		}
		if (news != null) {
			this.told.reachable(link.client().uri(), news);
		}
		tell(link, reconnected);
		if (check != null) {
			var unused = check(check, true);
		}
	}

	// Outside of the monitor: observers take locks that senders of commands may hold.
	private void tell(Link opened, boolean reconnected) {
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
			over = this.state instanceof LineState.Closed;
		}
		if (over) {
			this.observer.closed();
		}
		this.observer.linkChanged();
	}

	/**
	 * Find out whether another server is the primary now, and go there if so.
	 * @param uri whom to ask, or where it is
	 * @param reported whether there is news of another primary
	 * @return completes, always normally, when that is known, or cannot be found out
	 */
	CompletableFuture<?> check(RedisURI uri, boolean reported) {
		LettuceClient client = this.source.get();
		Link current;
		synchronized (this.monitor) {
			if (!(this.state instanceof Link up)) {
				this.checkLater = reported ? uri : this.checkLater;
				return CompletableFuture.completedFuture(null);
			}
			current = up;
		}
		return Attempt.open(this, client, uri, client.deadline(false)).handle((found, trouble) -> {
			try {
				return found != null && replace(current, found, reported);
			}
			finally {
				if (found != null && !isIn(found)) {
					found.close();
				}
			}
		});
	}

	private boolean replace(Link current, Link found, boolean reported) {
		int batches;
		synchronized (this.monitor) {
			long now = this.platform.nanoTime();
			if (this.state != current || !this.succession.isNext(found.runId(), current.runId(), reported, now)
					|| !found.isOpen()) {
				return false;
			}
			this.succession.left(current.runId(), now);
			current.takeBack();
			batches = found.due();
			this.state = found;
		}
		logger.info("Another Redis is the primary now: commands go there");
		current.close();
		begin(found, batches);
		return true;
	}

	private void noteLoss(Link link, String why) {
		// First, as it may fail if memory is short: whoever comes next does it again
		// then.
		link.takeBack();
		if (this.outage.lost(link.hasWorked())) {
			this.retry.reset();
		}
		this.failure = new RedisConnectionException(
				"The connection to Redis was given up, as " + why + ", and another is not there yet");
		this.state = LineState.Closed.INSTANCE;
	}

	/**
	 * A connection is of no use any more. One that worked is replaced at once, any other
	 * after a pause.
	 */
	void lost(Link link, String why) {
		boolean first = link.end();
		Attempt started = null;
		Throwable unreachable = null;
		try {
			synchronized (this.monitor) {
				if (this.state != link && !first) {
					return;
				}
				// It may have ended before it was adopted.
				if (this.state == link) {
					noteLoss(link, why);
					if (!link.hasWorked()) {
						goDown(link.client());
					}
					else {
						started = beginIfPossible();
					}
					if (!link.hasServed() && !this.outage.isPatient() && this.outage.noteUnreachable()) {
						unreachable = this.failure;
					}
				}
			}
			logger.debug("The connection to Redis is replaced: " + why);
			// Whoever sent a command may hold what the callbacks of others need.
			tellOfTrouble(link.client(), unreachable);
		}
		finally {
			var unused = link.close();
			if (started != null) {
				started.begin();
			}
		}
	}

}
