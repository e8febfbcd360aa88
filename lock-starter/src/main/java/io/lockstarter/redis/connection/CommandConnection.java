// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

/**
 * One connection for commands to one server, from its beginning to its end. Thread-safe.
 */
final class CommandConnection implements ScriptCommand.Carrier, ReplicaWait.User, RedisConnectionStateListener {

	/**
	 * How much goes into one call of the script, which keeps the server from everything
	 * else. A command weighs as much as it has keys, and {@link #LIGHTEST} at least.
	 */
	private static final int HEAVIEST = 128;

	private static final int LIGHTEST = 2;

	/**
	 * How long to wait while a slot is moved to another node, which takes milliseconds.
	 */
	static final Duration LONGEST_UNSETTLED_PAUSE = Duration.ofMillis(100);

	/**
	 * After which time a pause is taken for one that does not end, as the thread that was
	 * to end it died.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration SHORTEST_UNSETTLED_PAUSE = Duration.ofMillis(50);

	/**
	 * How often nodes of a cluster may name another one until they are taken for
	 * confused.
	 */
	private static final int MOST_REDIRECTIONS = 5;

	/**
	 * After which time a connection worked, even if nothing was executed over it.
	 */
	private static final Duration LONG_ENOUGH = Duration.ofSeconds(1);

	/**
	 * What commands are refused with that came too late: that passes by itself.
	 */
	private static final String OVERTAKEN = "TRYAGAIN a later command for the same key was executed before";

	private final LettuceClient client;

	private final Platform platform;

	private final SharedConnection<StatefulRedisConnection<String, String>> shared;

	private final Calls calls;

	private final Reign reign;

	private final Listener listener;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile boolean silent;

	private volatile boolean refused;

	private volatile boolean worked;

	private final long openedAt;

	private final Queue<ScriptCommand<?>> waiting = new ConcurrentLinkedQueue<>();

	// of those that wait; for each HEAVIEST of it there is a batch under way, unless the
	// connection is held
	private final AtomicInteger weight = new AtomicInteger();

	// whether nothing is sent, as commands are to be sent again before those that wait
	private volatile boolean held;

	// What follows is guarded by this connection.

	// in the order in which they were issued
	private final Queue<ScriptCommand<?>> again = new PriorityQueue<>(
			Comparator.comparingLong(ScriptCommand<?>::number));

	// those that were written and are not answered
	private final Set<CommandBatch> underWay = new LinkedHashSet<>();

	// until when the connection is paused, at the latest
	private @Nullable Deadline pause;

	private boolean lacksScript;

	private CommandConnection(LettuceClient client, SharedConnection<StatefulRedisConnection<String, String>> shared,
			Calls calls, Reign reign, Listener listener) {
		this.client = client;
		this.platform = client.platform();
		this.openedAt = this.platform.nanoTime();
		this.shared = shared;
		this.calls = calls;
		this.reign = reign;
		this.listener = listener;
	}

	/**
	 * Open a connection to the server that has the keys, and get ready.
	 * @param first whether the application has had no connection yet
	 * @param end limits all steps together; {@code null} if each has its own time
	 */
	static CompletableFuture<CommandConnection> open(LettuceClient client, boolean first, @Nullable Deadline end,
			Calls calls, Listener listener) {
		return open(client, first, end, calls, listener, MOST_REDIRECTIONS);
	}

	private static CompletableFuture<CommandConnection> open(LettuceClient client, boolean first,
			@Nullable Deadline end, Calls calls, Listener listener, int redirections) {
		return client.find(calls.script().slot(), end)
			.thenCompose((uri) -> open(client, uri, client.deadline(first).orEarlier(end), calls, listener,
					(server) -> true))
			.exceptionallyCompose((failure) -> (ErrorReply.of(failure) == ErrorReply.MOVED && redirections > 0)
					? open(client, first, end, calls, listener, redirections - 1)
					: CompletableFuture.failedFuture(failure));
	}

	/**
	 * Open a connection and get ready, if the server is wanted: the script is loaded, and
	 * has prepared the server. Nothing is done at one that is not.
	 */
	static CompletableFuture<CommandConnection> open(LettuceClient client, RedisURI uri, Deadline deadline, Calls calls,
			Listener listener, Predicate<ServerInfo> wanted) {
		return client.connect(uri, deadline, calls.apart())
			.thenCompose(
					(opened) -> client
						.inTime(wanted.test(opened.server()) ? prepare(client, opened, calls, listener)
								: CompletableFuture
									.failedFuture(new RedisConnectionException("the server is not wanted")),
								deadline)
						.thenApply((reign) -> {
							CommandConnection created = new CommandConnection(client, opened, calls, reign, listener);
							opened.connection().addListener(created);
							return created;
						})
						.whenComplete((connection, failure) -> {
							if (failure != null) {
								// One that does not answer is dead for all who use it.
								var unused = (failure.getCause() instanceof TimeoutException) ? opened.close()
										: opened.leave();
							}
						}));
	}

	private static CompletableFuture<Reign> prepare(LettuceClient client,
			SharedConnection<StatefulRedisConnection<String, String>> shared, Calls calls, Listener listener) {
		if (shared.server().replica()) {
			return CompletableFuture
				.failedFuture(new RedisConnectionException("the server is a replica, which takes no writes"));
		}
		long now = client.platform().nanoTime();
		return calls.script()
			.prepare(shared.connection().async(), shared.server(), listener.isFromAnother(shared.server()))
			.whenComplete((reign, failure) -> {
				if (failure != null && ErrorReply.of(failure) == ErrorReply.MOVED) {
					client.redirected(shared.address(), FailureText.of(failure));
				}
			})
			.thenApply((reign) -> new Reign(reign, now))
			.toCompletableFuture();
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		end("it was lost");
		abandon();
	}

	SharedConnection<?> shared() {
		return this.shared;
	}

	/**
	 * Return whether this is a connection of the client that is in use now, and up as far
	 * as known.
	 */
	boolean isUsable(LettuceClient current) {
		return this.client == current && isOpen();
	}

	boolean isOpen() {
		return !this.ended.get() && this.shared.isOpen();
	}

	/**
	 * Tell of the reply to a command, or let replicas know first of what it did.
	 */
	void answered(ScriptCommand<?> command, Object reply) {
		RequiredReplicas required = command.requiredReplicas(reply);
		if (required == null) {
			command.answer(reply);
		}
		else {
			this.shared.replicas().add(this, command, required, reply);
		}
	}

	/**
	 * A batch was answered. Wait for replicas, if there is something that they have to
	 * know, and go on with what is to be sent again.
	 */
	void answered(CommandBatch batch) {
		this.shared.replicas().begin();
		synchronized (this) {
			this.underWay.remove(batch);
		}
		goOn();
		if (this.ended.get()) {
			// Nobody else takes it out.
			handBack();
		}
	}

	@Override
	public long nanoTime() {
		return this.platform.nanoTime();
	}

	void replied() {
		this.shared.replied();
	}

	/**
	 * Commands were executed.
	 */
	void executed() {
		this.worked = true;
	}

	/**
	 * A command was given up. If nothing at all was answered since it was sent, the
	 * connection is taken for dead: one that a firewall forgot, or whose host is gone,
	 * looks open for many minutes.
	 */
	@Override
	public void givenUp(long sentAt) {
		if (!isPaused() && !this.shared.hasRepliedSince(sentAt)) {
			this.silent = true;
			end("it fell silent");
			abandon();
		}
	}

	boolean isSilent() {
		return this.silent;
	}

	/**
	 * Return whether the connection worked, so that another one is worth having at once.
	 * A connection that never worked is replaced after a pause.
	 */
	boolean hasWorked() {
		return (!this.refused && this.worked) || nanoTime() - this.openedAt >= LONG_ENOUGH.toNanos();
	}

	/**
	 * The server refused commands, which another one may take, or this one later.
	 */
	@Override
	public void refused(ErrorReply reply, String error, List<ScriptCommand<?>> commands) {
		if (reply == ErrorReply.UNSETTLED) {
			putOff(error, commands);
			return;
		}
		if (reply == ErrorReply.MOVED) {
			this.client.redirected(this.shared.address(), error);
		}
		else {
			this.refused = true;
		}
		end("it refused a command: " + error, commands);
	}

	/**
	 * Send commands again in a moment, as long as they are worth it.
	 */
	private void putOff(String error, List<ScriptCommand<?>> commands) {
		List<ScriptCommand<?>> again = new ArrayList<>();
		long now = nanoTime();
		for (ScriptCommand<?> command : commands) {
			if (command.isWorthAnotherTry(now)) {
				again.add(command);
			}
			else {
				command.refuse(error);
			}
		}
		if (!again.isEmpty() && pause()) {
			try {
				long pause = this.platform.random()
					.nextLong(SHORTEST_UNSETTLED_PAUSE.toMillis(), LONGEST_UNSETTLED_PAUSE.toMillis());
				this.client.runLater(this::resume, Duration.ofMillis(pause));
			}
			catch (RejectedExecutionException ex) {
				end("the client is gone", again);
				return;
			}
		}
		sendAgain(again);
	}

	private synchronized boolean pause() {
		boolean begins = this.pause == null;
		if (begins) {
			this.pause = Deadline.after(this.platform, LONGEST_PAUSE);
		}
		return begins;
	}

	private synchronized boolean isPaused() {
		return this.pause != null && !this.pause.isOver();
	}

	private void resume() {
		synchronized (this) {
			this.pause = null;
		}
		goOn();
	}

	/**
	 * Send commands again, the first of them together with the script.
	 */
	void sendInFull(List<ScriptCommand<?>> commands) {
		synchronized (this) {
			this.lacksScript = true;
		}
		sendAgain(commands);
	}

	/**
	 * Send commands again, which were not executed, or may be executed twice: before all
	 * that wait, and not before all that is under way is answered. Of that, too, some may
	 * have to be sent again; and what was executed has overtaken them.
	 */
	void sendAgain(List<ScriptCommand<?>> commands) {
		if (commands.isEmpty()) {
			return;
		}
		synchronized (this) {
			this.held = true;
			this.again.addAll(commands);
			this.weight.addAndGet(commands.stream().mapToInt(CommandConnection::weightOf).sum());
		}
		if (this.ended.get()) {
			handBack();
		}
	}

	private void goOn() {
		synchronized (this) {
			if (!this.held || this.pause != null || !this.underWay.isEmpty()) {
				return;
			}
			this.held = false;
		}
		for (int due = batches(this.weight.get()); due > 0; due--) {
			sendBatch();
		}
	}

	/**
	 * A command was executed. Those for one of its keys that were issued before it and
	 * are to be sent again come too late.
	 */
	void executed(ScriptCommand<?> executed) {
		if (!this.held) {
			return;
		}
		List<ScriptCommand<?>> overtaken;
		synchronized (this) {
			overtaken = this.again.stream().filter((command) -> command.isBefore(executed)).toList();
		}
		overtaken.forEach((command) -> command.refuse(OVERTAKEN));
	}

	/**
	 * Commands cannot be told of their answers. What became of them is unknown, and
	 * whether the connection is in order.
	 */
	@Override
	public void failed(List<ScriptCommand<?>> commands, Throwable failure) {
		try {
			for (ScriptCommand<?> command : commands) {
				if (!command.isDone()) {
					command.unanswered(true);
					command.failUnsent(failure);
				}
			}
		}
		finally {
			end("an answer failed");
		}
	}

	/**
	 * Batches that were under way end without an answer.
	 */
	@Override
	public void unanswered(List<ScriptCommand<?>> commands, @Nullable Throwable failure) {
		end((failure != null) ? "it was lost (" + FailureText.of(failure) + ")" : "it was closed", commands);
	}

	/**
	 * Send a command, together with others that come before the connection is ready to
	 * write it.
	 */
	@Override
	public void send(ScriptCommand<?> command) {
		int more = weightOf(command);
		this.waiting.add(command);
		int before = this.weight.getAndAdd(more);
		if (batches(before + more) > batches(before) && !this.held) {
			sendBatch();
		}
		if (this.ended.get()) {
			// Lettuce may have taken the batch and lost it.
			handBack();
		}
	}

	/**
	 * Take out what a batch is to send: until it is heavy enough, so that the batches
	 * under way suffice for what is left.
	 */
	synchronized List<ScriptCommand<?>> takeWaiting(CommandBatch batch) {
		if (this.held) {
			return List.of();
		}
		this.underWay.add(batch);
		// Claimed in one step: who sends from now on sees that it is to be taken.
		int claimed = Math.min(HEAVIEST, this.weight.getAndUpdate((all) -> Math.min(all, Math.max(0, all - HEAVIEST))));
		int taken = 0;
		List<ScriptCommand<?>> commands = new ArrayList<>();
		while (taken < claimed) {
			Queue<ScriptCommand<?>> source = this.again.isEmpty() ? this.waiting : this.again;
			ScriptCommand<?> next = source.peek();
			if (next == null) {
				// Handed back.
				break;
			}
			taken += weightOf(next);
			commands.add(next);
			source.remove();
		}
		if (taken > claimed) {
			this.weight.addAndGet(Math.max(0, claimed) - taken);
		}
		return commands;
	}

	/**
	 * Return whether the next call has to send the script along, once.
	 */
	synchronized boolean lacksScript() {
		boolean lacking = this.lacksScript && !this.held;
		this.lacksScript &= !lacking;
		return lacking;
	}

	// Without a batch under way nobody would take what waits.
	private void sendBatch() {
		try {
			this.shared.connection().dispatch(new CommandBatch(this));
		}
		catch (RuntimeException | Error ex) {
			unanswered(List.of(), ex);
		}
	}

	ScriptCall call(boolean inFull) {
		return this.calls.call(inFull);
	}

	/**
	 * Return for how long the server has been the primary.
	 */
	Reign reign() {
		return this.reign;
	}

	/**
	 * Close the connection. What is unanswered goes to the listener.
	 * @return completes when it is closed
	 */
	CompletionStage<?> close() {
		boolean first = this.ended.compareAndSet(false, true);
		abandon();
		handBack();
		return first ? leave() : CompletableFuture.completedFuture(null);
	}

	/**
	 * End what is under way without an answer. Who ends the connection does so, too,
	 * unless its thread is dead.
	 */
	private void abandon() {
		List<CommandBatch> left;
		synchronized (this) {
			left = List.copyOf(this.underWay);
			this.underWay.clear();
		}
		left.forEach((batch) -> batch.completeExceptionally(SharedConnection.lost()));
	}

	private void end(String why) {
		end(why, List.of());
	}

	/**
	 * End, with commands that come before those that wait.
	 */
	private void end(String why, List<ScriptCommand<?>> commands) {
		boolean first = this.ended.compareAndSet(false, true);
		if (first) {
			this.listener.ended(this, why);
		}
		if (!commands.isEmpty()) {
			this.listener.unanswered(this, commands);
		}
		if (first) {
			handBack();
			var unused = leave();
		}
	}

	// One that is dead is so for everybody.
	private CompletionStage<?> leave() {
		this.shared.connection().removeListener(this);
		return this.silent ? this.shared.close() : this.shared.leave();
	}

	private void handBack() {
		List<ScriptCommand<?>> left = new ArrayList<>(this.shared.replicas().withdraw(this));
		synchronized (this) {
			for (Queue<ScriptCommand<?>> source : List.of(this.again, this.waiting)) {
				for (ScriptCommand<?> next = source.poll(); next != null; next = source.poll()) {
					left.add(next);
				}
			}
		}
		if (!left.isEmpty()) {
			this.listener.unanswered(this, left);
		}
	}

	// Never more than one batch for a command.
	private static int weightOf(ScriptCommand<?> command) {
		return command.isAlone() ? HEAVIEST : Math.max(LIGHTEST, Math.min(HEAVIEST, command.keys().count()));
	}

	private static int batches(int weight) {
		return Math.floorDiv(weight + HEAVIEST - 1, HEAVIEST);
	}

	/**
	 * Told of the end of a connection. Must not block.
	 */
	interface Listener {

		/**
		 * Return whether the connection before led to another server.
		 */
		boolean isFromAnother(ServerInfo server);

		/**
		 * The connection is of no use any more.
		 */
		void ended(CommandConnection connection, String why);

		/**
		 * Commands are left without an answer, in the order in which they were sent.
		 */
		void unanswered(CommandConnection connection, List<ScriptCommand<?>> commands);

	}

}
