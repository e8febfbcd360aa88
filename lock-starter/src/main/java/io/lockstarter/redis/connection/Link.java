// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * The connection that the commands of a line go over, for as long as it leads to the
 * right server. What is under way over it is a part of the state of the line, and guarded
 * by its monitor. Thread-safe.
 */
final class Link implements Line.State, ScriptCommand.Carrier, ReplicaWait.User, RedisConnectionStateListener {

	/**
	 * After which time a connection worked, even if nothing was executed over it.
	 */
	private static final Duration LONG_ENOUGH = Duration.ofSeconds(1);

	/**
	 * After which time a rest is taken for one that does not end, as the thread that was
	 * to end it died.
	 */
	private static final Duration LONGEST_REST = Duration.ofSeconds(1);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

	/**
	 * How long after the server was asked a command relies on it that needs the primary.
	 * Demotion closes no connection, and who sends nothing meanwhile does not notice it.
	 * To ask costs the server 4 µs, and no other carries out commands that need the
	 * primary in less time.
	 */
	private static final long TRUST = TimeUnit.MILLISECONDS.toNanos(20);

	/**
	 * How long after it was asked in vain the server is asked again.
	 */
	private static final Duration ASKED_AGAIN = Duration.ofSeconds(1);

	static final BulkStrings NO_QUESTION = new BulkStrings(8).add("");

	private static final BulkStrings ASK = new BulkStrings(16).add("ask");

	private static final BulkStrings MOVED = new BulkStrings(16).add("moved");

	/**
	 * What commands are refused with that came too late: that passes by itself.
	 */
	private static final String OVERTAKEN = "TRYAGAIN a later command for the same key was executed before";

	private final Line line;

	private final LettuceClient client;

	private final SharedConnection shared;

	private final long openedAt;

	private final AtomicBoolean ended = new AtomicBoolean();

	private final AtomicBoolean left = new AtomicBoolean();

	private volatile boolean silent;

	// What follows is guarded by the monitor of the line.

	// in the order in which they were written
	private final Set<CommandBatch> sent = new LinkedHashSet<>();

	// batches that will take commands
	private int due;

	// whether nothing is taken until all that was sent is answered, as commands are to be
	// sent again: of that, too, some may have to be, and what is executed has overtaken
	// them
	private boolean held;

	// why to leave then
	private @Nullable String refusal;

	// whether to rest then
	private boolean unsettled;

	// until when it rests, at the latest
	private @Nullable Deadline rest;

	private boolean demoted;

	private boolean worked;

	private boolean lacksScript;

	// whether a call was executed, or none is needed to know that one would be
	private boolean served;

	// whether the server is to be asked again although nothing is to be sent
	private boolean askedLater;

	// when the last call was written that asked the server, and was answered
	private @Nullable Long askedAt;

	Link(Line line, LettuceClient client, SharedConnection shared) {
		this.line = line;
		this.client = client;
		this.shared = shared;
		this.openedAt = client.platform().nanoTime();
	}

	@Override
	public boolean isGood(LettuceClient current) {
		return this.client == current && isOpen();
	}

	boolean isOpen() {
		return !this.ended.get() && this.shared.isOpen();
	}

	boolean hasWorked(long now) {
		return (this.worked && !this.demoted) || now - this.openedAt >= LONG_ENOUGH.toNanos();
	}

	LettuceClient client() {
		return this.client;
	}

	/**
	 * Return the connection, which others may share.
	 */
	SharedConnection shared() {
		return this.shared;
	}

	/**
	 * Be of no use any more.
	 * @return whether it was so far
	 */
	boolean end() {
		return this.ended.compareAndSet(false, true);
	}

	/**
	 * Give the line back all that is unanswered.
	 */
	void takeBack() {
		for (CommandBatch batch : this.sent) {
			for (ScriptCommand<?> command : batch.commands()) {
				command.unanswered(true);
				this.line.add(command);
			}
		}
		this.sent.clear();
		this.shared.replicas().withdraw(this).forEach(this.line::add);
	}

	BatchScript script() {
		return this.line.script();
	}

	/**
	 * Return how many batches to send, so that each command in the queue is taken, and
	 * the server is asked before that.
	 */
	int due() {
		if (this.held) {
			return 0;
		}
		int more = Math.max(0, Math.max(this.line.batches(), isUnasked() ? 1 : 0) - this.due);
		this.due += more;
		return more;
	}

	void send(int batches) {
		try {
			for (int left = batches; left > 0; left--) {
				this.shared.connection().dispatch(new CommandBatch(this));
			}
		}
		catch (RuntimeException | Error ex) {
			unanswered(ex);
		}
	}

	void askReplicas(ScriptCommand<?> command) {
		RequiredReplicas required = command.requiredReplicas();
		if (required != null) {
			this.shared.replicas().askBehind(required);
		}
	}

	/**
	 * Give a batch what it is to send, up to what is heavy enough. Commands that are over
	 * are left out.
	 */
	void fill(CommandBatch batch) {
		long now = this.line.nanoTime();
		synchronized (this.line.monitor()) {
			this.due--;
			if (!this.line.isUp(this) || this.held) {
				return;
			}
			// All that memory is needed for comes before the first command is taken.
			List<ScriptCommand<?>> taken = new ArrayList<>(Math.min(this.line.waiting(), Line.MOST));
			this.sent.add(batch);
			batch.take(taken, this.lacksScript, now);
			this.lacksScript = false;
			take(taken, now);
			batch.ask(question(taken, now));
			if (taken.isEmpty() && !batch.asks()) {
				this.sent.remove(batch);
			}
		}
	}

	// One that does not say who it is does not know who was before it, either.
	private BulkStrings question(List<ScriptCommand<?>> commands, long now) {
		String runId = this.shared.server().runId();
		boolean doubtful = this.askedAt == null
				|| (now - this.askedAt >= TRUST && commands.stream().anyMatch(ScriptCommand::needsPrimary));
		if (runId == null || !doubtful) {
			return NO_QUESTION;
		}
		return this.line.isFromAnother(runId) ? MOVED : ASK;
	}

	private boolean isUnasked() {
		return this.askedAt == null && asks();
	}

	/**
	 * Return whether the first call asks the server.
	 */
	boolean asks() {
		return this.shared.server().runId() != null;
	}

	boolean hasServed() {
		return this.served;
	}

	/**
	 * The server executes calls.
	 */
	void serves() {
		synchronized (this.line.monitor()) {
			if (this.served || !this.line.isUp(this)) {
				return;
			}
			this.served = true;
		}
		this.line.serves(this);
	}

	/**
	 * Ask the server in a while if it was asked in vain: who waits for a command with
	 * that lets tokens leap late, perhaps on a server that was replaced by then.
	 */
	private void askLater() {
		synchronized (this.line.monitor()) {
			if (this.askedLater || !isUnasked() || this.held || this.due > 0 || !this.sent.isEmpty()
					|| !this.line.isUp(this)) {
				return;
			}
			this.askedLater = true;
		}
		runLater(this::askAgain, ASKED_AGAIN);
	}

	private void askAgain() {
		int batches;
		synchronized (this.line.monitor()) {
			this.askedLater = false;
			batches = this.line.isUp(this) ? due() : 0;
		}
		send(batches);
	}

	private void take(List<ScriptCommand<?>> taken, long now) {
		int heavy = 0;
		while (heavy < Line.HEAVIEST && this.line.hasWaiting()) {
			ScriptCommand<?> next = this.line.poll();
			if (!next.isDone()) {
				heavy += Line.weightOf(next);
				next.writtenOver(this, now);
				taken.add(next);
			}
		}
	}

	/**
	 * The script replied a number or a text for each command.
	 */
	void answered(CommandBatch batch, List<Object> replies) {
		this.shared.replied();
		serves();
		List<ScriptCommand<?>> commands = batch.commands();
		List<ScriptCommand<?>> refused = new ArrayList<>();
		String error = "";
		for (int i = 0; i < commands.size(); i++) {
			if (replies.get(i) instanceof String text && text.startsWith(ScriptCommand.REFUSED)
					&& ErrorReply.of(text.substring(ScriptCommand.REFUSED.length())).isForAnotherTry()) {
				error = text.substring(ScriptCommand.REFUSED.length());
				refused.add(commands.get(i));
			}
		}
		List<ScriptCommand<?>> overtaken = List.of();
		List<ScriptCommand<?>> over = List.of();
		synchronized (this.line.monitor()) {
			if (!this.sent.remove(batch)) {
				return;
			}
			this.worked |= !commands.isEmpty();
			if (batch.asks() && replies.size() == commands.size()) {
				this.askedAt = batch.writtenAt();
				this.line.followed(this.shared.server().runId());
			}
			if (!refused.isEmpty()) {
				over = sendLater(error, refused);
			}
			if (this.held) {
				overtaken = this.line
					.overtakenBy(commands.stream().filter((command) -> !refused.contains(command)).toList());
			}
		}
		overtaken.forEach((command) -> command.refuse(OVERTAKEN));
		refuse(over, error);
		for (int i = 0; i < commands.size(); i++) {
			if (!refused.contains(commands.get(i))) {
				answer(commands.get(i), replies.get(i));
			}
		}
		this.shared.replicas().ask();
		goOn();
		askLater();
		if (this.ended.get()) {
			// Nobody else takes it out.
			handBack(this.shared.replicas().withdraw(this));
		}
	}

	/**
	 * Tell of the reply to a command, or let replicas know first of what it did.
	 */
	private void answer(ScriptCommand<?> command, Object reply) {
		RequiredReplicas required = command.requiredReplicas();
		if (required != null && command.needsReplicas(reply)) {
			this.shared.replicas().keep(this, command, required, reply);
		}
		else {
			command.answer(reply);
		}
	}

	/**
	 * The server refused a call. What is wrong with one command is no concern of the
	 * others.
	 */
	void refused(CommandBatch batch, String error) {
		this.shared.replied();
		ErrorReply kind = ErrorReply.of(error);
		boolean unknown = error.startsWith("NOSCRIPT");
		if (!unknown && !kind.isForAnotherTry()) {
			serves();
		}
		List<ScriptCommand<?>> commands = batch.commands();
		boolean last = false;
		List<ScriptCommand<?>> over = List.of();
		synchronized (this.line.monitor()) {
			if (!this.sent.remove(batch)) {
				return;
			}
			commands.forEach((command) -> command.unanswered(!kind.precedesExecution()));
			if (unknown && !batch.isInFull()) {
				this.lacksScript = true;
				this.held = true;
				sendAgain(commands);
			}
			else if (kind.isForAnotherTry()) {
				over = sendLater(error, commands);
			}
			else if (commands.size() > 1) {
				commands.forEach(ScriptCommand::separate);
				sendAgain(commands);
			}
			else {
				last = true;
			}
		}
		refuse(over, error);
		if (last) {
			commands.forEach((command) -> answer(command, ScriptCommand.REFUSED + error));
		}
		goOn();
		askLater();
	}

	/**
	 * The server refused commands, which another one may take, or this one later.
	 */
	@Override
	public void refused(String error, List<ScriptCommand<?>> commands) {
		boolean current;
		List<ScriptCommand<?>> over = List.of();
		synchronized (this.line.monitor()) {
			current = this.line.isUp(this);
			if (current) {
				over = sendLater(error, commands);
			}
		}
		if (current) {
			refuse(over, error);
			goOn();
		}
		else {
			handBack(commands);
		}
	}

	/**
	 * Leave the server that refused commands; if it does so only for the moment, send
	 * them again after a rest.
	 * @return those that were refused for too long
	 */
	private List<ScriptCommand<?>> sendLater(String error, List<ScriptCommand<?>> commands) {
		ErrorReply kind = ErrorReply.of(error);
		List<ScriptCommand<?>> over = List.of();
		List<ScriptCommand<?>> again = commands;
		// A node that was cut off from its cluster may be named by one that was, too.
		boolean astray = !this.served && error.startsWith("CLUSTERDOWN");
		if (kind == ErrorReply.UNSETTLED && !astray) {
			long now = this.line.nanoTime();
			over = commands.stream().filter((command) -> !command.isWorthAnotherTry(now)).toList();
			again = commands.stream().filter((command) -> command.isWorthAnotherTry(now)).toList();
			this.unsettled |= !again.isEmpty();
		}
		else {
			if (kind == ErrorReply.MOVED) {
				this.client.redirected(this.shared.address(), error);
			}
			this.demoted |= kind == ErrorReply.DEMOTED;
			this.refusal = "it refused a command: " + error;
			this.held = true;
		}
		sendAgain(again);
		return over;
	}

	private static void refuse(List<ScriptCommand<?>> commands, String error) {
		commands.forEach((command) -> command.refuse(error));
	}

	/**
	 * The server has a channel of the slot no more.
	 * @param redirection names the one that has; {@code null} if it is not known
	 */
	void lacksChannel(@Nullable String redirection) {
		if (redirection != null) {
			this.client.redirected(this.shared.address(), redirection);
		}
		synchronized (this.line.monitor()) {
			this.held = true;
			this.refusal = "it has a channel no more";
		}
		goOn();
	}

	// What came later may have gone over the next connection by now.
	private void handBack(List<ScriptCommand<?>> commands) {
		if (!commands.isEmpty()) {
			commands.forEach(this.line::passAgain);
			this.line.observer().reordered();
		}
	}

	private void sendAgain(List<ScriptCommand<?>> commands) {
		this.held |= !commands.isEmpty();
		commands.forEach(this.line::add);
	}

	private void goOn() {
		String leaves;
		boolean rests;
		int batches = 0;
		synchronized (this.line.monitor()) {
			if (!this.held || this.rest != null || !this.sent.isEmpty() || !this.line.isUp(this)) {
				return;
			}
			leaves = this.refusal;
			rests = leaves == null && this.unsettled;
			if (rests) {
				this.unsettled = false;
				this.rest = Deadline.after(this.client.platform(), LONGEST_REST);
			}
			else if (leaves == null) {
				this.held = false;
				batches = due();
			}
		}
		if (leaves != null) {
			this.line.lost(this, leaves);
		}
		else if (rests) {
			rest();
		}
		else {
			send(batches);
		}
	}

	private void rest() {
		long pause = this.client.platform()
			.random()
			.nextLong(SHORTEST_PAUSE.toMillis(), Line.LONGEST_UNSETTLED_PAUSE.toMillis());
		runLater(this::wake, Duration.ofMillis(pause));
	}

	private void runLater(Runnable task, Duration pause) {
		try {
			this.client.runLater(task, pause);
		}
		catch (RuntimeException | Error ex) {
			unanswered(ex);
		}
	}

	/**
	 * Return whether it rests for so long that nobody else will end that.
	 */
	boolean isOverslept() {
		return this.rest != null && this.rest.isOver();
	}

	void wake() {
		synchronized (this.line.monitor()) {
			this.rest = null;
		}
		goOn();
	}

	private boolean rests() {
		synchronized (this.line.monitor()) {
			return this.rest != null && !this.rest.isOver();
		}
	}

	/**
	 * Commands cannot be told of their answers. What became of them is unknown, and
	 * whether the connection is in order.
	 */
	@Override
	public void failed(List<ScriptCommand<?>> commands, Throwable trouble) {
		try {
			for (ScriptCommand<?> command : commands) {
				if (!command.isDone()) {
					command.unanswered(true);
					command.failUnsent(trouble);
				}
			}
		}
		finally {
			this.line.lost(this, "an answer failed");
		}
	}

	/**
	 * A command was given up. If nothing at all was answered since it was sent, the
	 * connection is taken for dead: one that a firewall forgot, or whose host is gone,
	 * looks open for many minutes. But one that had most of its time over another
	 * connection says nothing of this one.
	 */
	@Override
	public void givenUp(long firstSentAt, long sentAt) {
		long now = this.line.nanoTime();
		boolean waitedHere = now - sentAt >= sentAt - firstSentAt;
		if (waitedHere && !this.ended.get() && !rests() && !this.shared.hasRepliedSince(sentAt)) {
			this.silent = true;
			this.line.lost(this, "it fell silent");
		}
	}

	@Override
	public void unanswered(@Nullable Throwable trouble) {
		this.line.lost(this, (trouble != null) ? "it was lost (" + FailureText.of(trouble) + ")" : "it was closed");
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		this.line.lost(this, "it was lost");
	}

	CompletionStage<?> close() {
		var unused = end();
		return leave();
	}

	// One that is dead is so for everybody.
	CompletionStage<?> leave() {
		if (!this.left.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		this.shared.connection().removeListener(this);
		return this.silent ? this.shared.close() : this.shared.leave();
	}

}
