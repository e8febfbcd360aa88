// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The way of commands to the server that has the keys of one slot. Outside of a cluster
 * one slot has all keys. Thread-safe.
 * <p>
 * All commands wait in one queue, in the order in which they were issued, until a call of
 * the script takes them. Whatever comes to nothing goes back to its place there: commands
 * that were refused, and all that are unanswered when their connection is lost. The line
 * is closed, connecting, down until the next attempt, or up over one {@link Link}. A
 * connection that is lost is replaced at once, and one that refused commands as soon as
 * all else that it was sent is answered. Meanwhile commands wait, for a second at most.
 * While a slot is being moved the link rests for moments, and stays. Subscriptions to
 * channels go over the same link, and follow to the next one.
 * <p>
 * One monitor guards all that. Commands are told of their answers, connections opened and
 * closed, and calls sent, outside of it.
 */
public final class Line {

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

	/**
	 * How long to wait while a slot is moved to another node, which takes milliseconds.
	 */
	static final Duration LONGEST_UNSETTLED_PAUSE = Duration.ofMillis(100);

	/**
	 * How much goes into one call of the script, which keeps the server from everything
	 * else. A command weighs as much as it has keys, and {@link #LIGHTEST} at least.
	 */
	static final int HEAVIEST = 128;

	private static final int LIGHTEST = 2;

	/**
	 * Of how many commands that is at most.
	 */
	static final int MOST = HEAVIEST / LIGHTEST;

	private static final Log logger = LogFactory.getLog(Line.class);

	private final CurrentClient source;

	private final Platform platform;

	private final BatchScript script;

	private final boolean apart;

	private final Observer observer;

	private final ConnectionObserver told;

	private final RetryTimer retry;

	private final AtomicLong issued = new AtomicLong();

	private final Map<String, ChannelSubscription> subscriptions = new ConcurrentHashMap<>();

	private volatile @Nullable SharedConnection server;

	private final Object monitor = new Object();

	// What follows is guarded by the monitor.

	private State state = Closed.INSTANCE;

	private final Queue<ScriptCommand<?>> queue = new PriorityQueue<>();

	// of the queue
	private int weight;

	// since when nothing works
	private @Nullable Long lostAt;

	private @Nullable Throwable failure;

	private @Nullable Long unreachableSince;

	private @Nullable Long triedAt;

	private boolean connectedBefore;

	private @Nullable String lastRunId;

	private @Nullable String leftRunId;

	private long leftAt;

	private @Nullable RedisURI checkLater;

	/**
	 * Create a line, without connecting.
	 * @param apart whether it is beside another line of the same slot
	 * @param observer told of its connections
	 * @param told told when no server can be reached, and when one can be again
	 */
	Line(CurrentClient source, BatchScript script, boolean apart, Observer observer, ConnectionObserver told) {
		this.source = source;
		this.platform = source.platform();
		this.script = script;
		this.apart = apart;
		this.observer = observer;
		this.told = told;
		this.retry = new RetryTimer(source, this::retry, FIRST_PAUSE, LONGEST_PAUSE);
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 * @param command the command
	 */
	public void send(ScriptCommand<?> command) {
		command.issued(this.issued.getAndIncrement());
		pass(command);
	}

	/**
	 * Send a command once more that was answered, behind all that were issued meanwhile.
	 * A line that was closed by then stays so.
	 * @param command the command
	 */
	public void sendAgain(ScriptCommand<?> command) {
		command.issued(this.issued.getAndIncrement());
		passAgain(command);
	}

	private void pass(ScriptCommand<?> command) {
		pass(command, false);
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

	/**
	 * Take a command back that comes late from a connection before. A line that was
	 * closed meanwhile stays so.
	 */
	void passAgain(ScriptCommand<?> command) {
		pass(command, true);
	}

	/**
	 * Subscribe to a channel, in place of who is subscribed to it, until
	 * {@link #unsubscribe}. Connects, unless there is a connection. Does not block.
	 * @param pause the longest pause before a subscription is tried again
	 */
	void subscribe(String channel, Subscriber subscriber, Duration pause) {
		ChannelSubscription subscription = new ChannelSubscription(this, this.source, channel, subscriber, pause,
				this.told);
		ChannelSubscription previous = this.subscriptions.put(channel, subscription);
		if (previous != null) {
			previous.end();
		}
		var unused = open().whenComplete((done, failure) -> subscription.follow());
	}

	void unsubscribe(String channel) {
		ChannelSubscription subscription = this.subscriptions.remove(channel);
		if (subscription != null) {
			subscription.end();
		}
	}

	private void follow() {
		this.subscriptions.values().forEach(ChannelSubscription::follow);
	}

	/**
	 * Return what commands go over now, if there is such.
	 */
	@Nullable Link link() {
		synchronized (this.monitor) {
			return (this.state instanceof Link link) ? link : null;
		}
	}

	private static IllegalStateException closed() {
		return new IllegalStateException("The store was closed");
	}

	private void pass(ScriptCommand<?> command, LettuceClient client, boolean late) {
		Link up = null;
		boolean asleep = false;
		int batches = 0;
		Connecting started = null;
		Throwable reason = null;
		synchronized (this.monitor) {
			if (late && this.state instanceof Closed) {
				reason = closed();
			}
			else if (!this.state.isGood(client)) {
				add(command);
				started = begin(client);
			}
			else if (this.state instanceof Link link) {
				// Whoever gives it up finds out by that whether the server is silent,
				// even if
				// nothing is written at the moment.
				command.writtenOver(link, this.platform.nanoTime());
				add(command);
				up = link;
				asleep = link.isOverslept();
				batches = link.due();
			}
			else if (mayWait()) {
				add(command);
			}
			else {
				reason = this.failure;
			}
		}
		if (up != null) {
			up.send(batches);
			up.askReplicas(command);
			if (asleep) {
				up.wake();
			}
		}
		else if (started != null) {
			connect(started);
		}
		else if (reason != null) {
			command.failUnsent(reason);
		}
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
		Connecting started;
		synchronized (this.monitor) {
			if (this.state.isGood(client)) {
				if (this.state instanceof Link) {
					return CompletableFuture.completedFuture(null);
				}
				if (this.state instanceof Connecting present) {
					return present.done;
				}
			}
			started = begin(client);
		}
		connect(started);
		return started.done;
	}

	boolean isConnected() {
		synchronized (this.monitor) {
			return this.state instanceof Link link && link.isOpen();
		}
	}

	/**
	 * Return the connection that commands go over, or went over last; {@code null} if
	 * there was none yet.
	 */
	@Nullable SharedConnection server() {
		return this.server;
	}

	/**
	 * Return what identifies that server.
	 */
	@Nullable String runId() {
		SharedConnection present = this.server;
		return (present != null) ? present.server().runId() : null;
	}

	/**
	 * Give up the connection and what waits for one. The next command opens another.
	 */
	CompletionStage<?> close() {
		State before;
		List<ScriptCommand<?>> given;
		CompletionStage<?> closing;
		synchronized (this.monitor) {
			before = this.state;
			if (before instanceof Link link) {
				takeBack(link);
			}
			this.state = Closed.INSTANCE;
			this.retry.cancel();
			this.lostAt = null;
			this.unreachableSince = null;
			this.connectedBefore = false;
			this.triedAt = null;
			given = takeAll();
		}
		given.forEach((command) -> command.failUnsent(closed()));
		try {
			follow();
		}
		finally {
			closing = leave(before);
		}
		return closing;
	}

	private static CompletionStage<?> leave(State state) {
		if (state instanceof Connecting abandoned) {
			abandoned.done.complete(null);
		}
		return (state instanceof Link link) ? link.close() : CompletableFuture.completedFuture(null);
	}

	// What a link needs, some of it under the monitor

	BatchScript script() {
		return this.script;
	}

	Observer observer() {
		return this.observer;
	}

	Object monitor() {
		return this.monitor;
	}

	long nanoTime() {
		return this.platform.nanoTime();
	}

	boolean isUp(Link link) {
		synchronized (this.monitor) {
			return this.state == link;
		}
	}

	/**
	 * Return how many calls all take that waits.
	 */
	int batches() {
		return (this.weight + HEAVIEST - 1) / HEAVIEST;
	}

	boolean hasWaiting() {
		return !this.queue.isEmpty();
	}

	/**
	 * Return the commands that were issued before others for the same keys which were
	 * executed, and that are to be sent again: they come too late.
	 */
	List<ScriptCommand<?>> overtakenBy(List<ScriptCommand<?>> executed) {
		long last = executed.stream().mapToLong(ScriptCommand::number).max().orElse(Long.MIN_VALUE);
		return this.queue.stream()
			.filter((command) -> command.number() < last && executed.stream().anyMatch(command::isBefore))
			.toList();
	}

	/**
	 * Take back what a link has, which ends with that: what is answered from now on has
	 * to be taken back by who hears of it.
	 */
	private void takeBack(Link link) {
		var unused = link.end();
		link.takeBack();
	}

	/**
	 * Put a command into the queue, unless it is there. If memory is short that may fail,
	 * and be tried again.
	 */
	void add(ScriptCommand<?> command) {
		if (command.queued(true)) {
			boolean added = false;
			try {
				added = this.queue.add(command);
			}
			finally {
				if (added) {
					this.weight += weightOf(command);
				}
				else {
					command.queued(false);
				}
			}
		}
	}

	ScriptCommand<?> poll() {
		ScriptCommand<?> next = this.queue.remove();
		next.queued(false);
		this.weight -= weightOf(next);
		return next;
	}

	int waiting() {
		return this.queue.size();
	}

	private List<ScriptCommand<?>> takeAll() {
		List<ScriptCommand<?>> all = new ArrayList<>(this.queue.size());
		while (!this.queue.isEmpty()) {
			all.add(poll());
		}
		return all;
	}

	// Never more than one batch for a command.
	static int weightOf(ScriptCommand<?> command) {
		return command.isAlone() ? HEAVIEST : Math.max(LIGHTEST, Math.min(HEAVIEST, command.keys().count()));
	}

	/**
	 * Return whether there is, or is to be, an attempt that is worth waiting for.
	 */
	private boolean mayWait() {
		if (this.state instanceof Connecting && this.lostAt == null) {
			return true;
		}
		boolean goesOn = this.state instanceof Connecting || (this.state instanceof Down && this.retry.isScheduled());
		return goesOn && isPatient();
	}

	private boolean isPatient() {
		return this.lostAt != null && this.platform.nanoTime() - this.lostAt < PATIENCE;
	}

	// Connecting

	private Connecting begin(LettuceClient client) {
		Connecting started = new Connecting(client, this.triedAt == null, this.state);
		if (this.triedAt == null) {
			this.triedAt = this.platform.nanoTime();
		}
		if (this.state instanceof Link lost) {
			// A command noticed it ahead of the connection's own event.
			noteLoss(lost, "it was lost");
		}
		this.retry.cancel();
		this.state = started;
		return started;
	}

	private @Nullable Connecting beginIfPossible() {
		try {
			return begin(this.source.get());
		}
		catch (RuntimeException ex) {
			// The factory was stopped. The next command asks again.
			this.failure = ex;
			return null;
		}
	}

	private void connect(Connecting started) {
		try {
			var unused = leave(started.before);
			if (started.before instanceof Link) {
				tellElsewhere(started.client);
			}
		}
		finally {
			attempt(started, started.first);
		}
	}

	private void attempt(Connecting started, boolean first) {
		LettuceClient client = started.client;
		Deadline end;
		synchronized (this.monitor) {
			end = endOfFirstAttempts(client);
		}
		var unused = LettuceClient
			.begin(() -> client.find(this.script.slot(), end)
				.thenCompose((uri) -> open(client, uri, client.deadline(first).orEarlier(end))))
			.whenComplete((opened, trouble) -> finish(started, opened, trouble));
	}

	private CompletableFuture<Link> open(LettuceClient client, RedisURI uri, Deadline deadline) {
		return client.connect(uri, deadline, this.apart)
			.thenCompose(
					(opened) -> LettuceClient.begin(() -> CompletableFuture.completedFuture(linkOver(opened, client)))
						.whenComplete((link, trouble) -> {
							if (trouble != null) {
								var unused = opened.leave();
							}
						}));
	}

	private Link linkOver(SharedConnection opened, LettuceClient client) {
		if (opened.server().replica()) {
			throw new RedisConnectionException("the server is a replica, which takes no writes");
		}
		this.script.check(opened.server());
		Link created = new Link(this, client, opened);
		opened.connection().addListener(created);
		return created;
	}

	/**
	 * Return whether calls were answered by another process last.
	 */
	boolean isFromAnother(String runId) {
		return this.lastRunId != null && !this.lastRunId.equals(runId);
	}

	/**
	 * Note which process answered a call that asked it.
	 */
	void followed(@Nullable String runId) {
		this.lastRunId = runId;
	}

	private void finish(Connecting started, @Nullable Link opened, @Nullable Throwable trouble) {
		if (trouble != null && isRepeated(started, trouble)) {
			attempt(started, false);
			return;
		}
		try {
			if (opened == null) {
				failed(started, Objects.requireNonNull(trouble));
			}
			else if (!opened.isGood(started.client)) {
				failed(started, SharedConnection.lost());
				opened.close();
			}
			else if (!adopt(started, opened)) {
				failed(started, SharedConnection.lost());
				opened.close();
			}
		}
		catch (RuntimeException | Error ex) {
			failed(started, ex);
			if (opened != null && !isUp(opened)) {
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
	private boolean isRepeated(Connecting failed, Throwable cause) {
		boolean silence = cause instanceof TimeoutException || cause.getCause() instanceof TimeoutException;
		synchronized (this.monitor) {
			return silence && this.state == failed && endOfFirstAttempts(failed.client) != null;
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

	private void failed(Connecting started, Throwable cause) {
		boolean news;
		synchronized (this.monitor) {
			if (this.state != started) {
				return;
			}
			this.failure = cause;
			goDown(started.client);
			news = noteUnreachable();
		}
		tellOfTrouble(started.client, news ? cause : null);
	}

	/**
	 * Note that no server can be reached.
	 * @return whether that is news
	 */
	private boolean noteUnreachable() {
		boolean news = this.unreachableSince == null;
		if (news) {
			this.unreachableSince = this.platform.nanoTime();
		}
		return news;
	}

	private void tellOfTrouble(LettuceClient client, @Nullable Throwable unreachable) {
		if (unreachable != null) {
			this.told.unreachable(client.uri(), FailureText.withRemedy(unreachable));
		}
		tellElsewhere(client);
	}

	private void goDown(LettuceClient client) {
		this.state = new Down(client, this.retry);
		this.retry.schedule();
	}

	private void retry() {
		Connecting started = null;
		try {
			synchronized (this.monitor) {
				if (this.retry.take() && this.state instanceof Down) {
					started = beginIfPossible();
				}
			}
			failWaiting();
		}
		finally {
			if (started != null) {
				connect(started);
			}
		}
	}

	/**
	 * An attempt may fail at once, below whoever sent a command: that one may hold what
	 * the callbacks of other commands need.
	 */
	private void tellElsewhere(LettuceClient client) {
		try {
			client.runLater(this::tellOfTrouble, Duration.ZERO);
		}
		catch (RejectedExecutionException ex) {
			this.platform.execute(this::tellOfTrouble);
		}
	}

	private void tellOfTrouble() {
		try {
			follow();
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
			given = (this.state instanceof Link || mayWait()) ? List.of() : takeAll();
			reason = this.failure;
		}
		for (ScriptCommand<?> command : given) {
			command.failUnsent(Objects.requireNonNull(reason));
		}
	}

	// Up

	private boolean adopt(Connecting started, Link opened) {
		int batches;
		synchronized (this.monitor) {
			if (this.state != started || !opened.isOpen()) {
				return false;
			}
			batches = use(opened);
		}
		begin(opened, batches);
		return true;
	}

	private int use(Link opened) {
		int batches = opened.due();
		this.server = opened.shared();
		this.state = opened;
		return batches;
	}

	private void begin(Link opened, int batches) {
		opened.send(batches);
		if (!opened.asks()) {
			opened.serves();
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
		Long unreachable;
		synchronized (this.monitor) {
			reconnected = this.connectedBefore;
			unreachable = this.unreachableSince;
			check = this.checkLater;
			this.connectedBefore = true;
			this.unreachableSince = null;
			this.checkLater = null;
		}
		if (unreachable != null) {
			String after = "after %d ms"
				.formatted(TimeUnit.NANOSECONDS.toMillis(this.platform.nanoTime() - unreachable));
			this.told.reachable(link.client().uri(), after);
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
			over = this.state instanceof Closed;
		}
		if (over) {
			this.observer.closed();
		}
		follow();
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
		return open(client, uri, client.deadline(false)).handle((found, trouble) -> {
			boolean replaced = found != null && replace(current, found, reported);
			if (found != null && !replaced) {
				found.close();
			}
			return replaced;
		});
	}

	/**
	 * Return whether to go from the server of a connection to another one. Nothing is
	 * sent to one that was left unless it is reported as the primary.
	 */
	private boolean isNext(Link current, ServerInfo info, boolean reported) {
		String runId = info.runId();
		synchronized (this.monitor) {
			boolean same = runId != null && runId.equals(current.shared().server().runId());
			// A Sentinel that does not know the new primary yet names the one before.
			boolean left = runId != null && runId.equals(this.leftRunId)
					&& this.platform.nanoTime() - this.leftAt < BatchScript.TAKEOVER.toNanos();
			return this.state == current && !same && (!left || reported);
		}
	}

	private boolean replace(Link current, Link found, boolean reported) {
		int batches;
		synchronized (this.monitor) {
			if (!isNext(current, found.shared().server(), reported) || !found.isOpen()) {
				return false;
			}
			this.leftAt = this.platform.nanoTime();
			this.leftRunId = current.shared().server().runId();
			takeBack(current);
			batches = use(found);
		}
		logger.info("Another Redis is the primary now: commands go there");
		current.close();
		begin(found, batches);
		return true;
	}

	private void noteLoss(Link link, String why) {
		// First, as it may fail if memory is short: whoever comes next does it again
		// then.
		takeBack(link);
		long now = this.platform.nanoTime();
		if (this.lostAt == null || link.hasWorked(now)) {
			this.lostAt = now;
			this.retry.reset();
		}
		this.failure = new RedisConnectionException(
				"The connection to Redis was given up, as " + why + ", and another is not there yet");
		this.state = Closed.INSTANCE;
	}

	/**
	 * A connection is of no use any more. One that worked is replaced at once, any other
	 * after a pause.
	 */
	void lost(Link link, String why) {
		boolean first = link.end();
		Connecting started = null;
		Throwable unreachable = null;
		try {
			synchronized (this.monitor) {
				if (this.state != link && !first) {
					return;
				}
				// It may have ended before it was adopted.
				if (this.state == link) {
					noteLoss(link, why);
					if (!link.hasWorked(this.platform.nanoTime())) {
						goDown(link.client());
					}
					else {
						started = beginIfPossible();
					}
					if (!link.hasServed() && !isPatient() && noteUnreachable()) {
						unreachable = this.failure;
					}
				}
			}
			logger.debug("The connection to Redis is replaced: " + why);
			// Whoever sent a command may hold what the callbacks of others need.
			tellOfTrouble(link.client(), unreachable);
		}
		finally {
			var unused = link.leave();
			if (started != null) {
				connect(started);
			}
		}
	}

	/**
	 * Where a line is.
	 */
	sealed interface State permits Closed, Connecting, Down, Link {

		/**
		 * Return whether commands can rely on it, as long as this is the client.
		 */
		boolean isGood(LettuceClient client);

	}

	/**
	 * Nobody connects before the next command.
	 */
	private enum Closed implements State {

		INSTANCE;

		@Override
		public boolean isGood(LettuceClient client) {
			return false;
		}

	}

	/**
	 * An attempt is under way.
	 */
	private static final class Connecting implements State {

		private final LettuceClient client;

		private final boolean first;

		private final State before;

		// of what may never end, if a thread died
		private final Deadline end;

		private final CompletableFuture<@Nullable Object> done = new CompletableFuture<>();

		Connecting(LettuceClient client, boolean first, State before) {
			this.end = Deadline.after(client.platform(), LONGEST_ATTEMPT);
			this.client = client;
			this.first = first;
			this.before = before;
		}

		@Override
		public boolean isGood(LettuceClient current) {
			return this.client == current && !this.end.isOver();
		}

	}

	/**
	 * The next attempt is to come.
	 */
	private record Down(LettuceClient client, RetryTimer retry) implements State {

		@Override
		public boolean isGood(LettuceClient current) {
			return this.client == current && this.retry.isScheduled();
		}

	}

	/**
	 * Told of connections. Must neither block nor call back.
	 */
	interface Observer {

		/**
		 * Commands go over a new connection from now on.
		 * @param again whether there was a connection before
		 */
		void connected(SharedConnection connection, boolean again);

		/**
		 * Commands of a connection before were sent, perhaps after others that are later.
		 */
		void reordered();

		/**
		 * The line was closed meanwhile.
		 */
		void closed();

	}

}
