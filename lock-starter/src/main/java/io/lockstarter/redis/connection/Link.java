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
import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

/**
 * The connection that the commands of a line go over, for as long as it leads to the
 * right server. What is under way over it is a part of the state of the line, and guarded
 * by its monitor. Thread-safe.
 */
final class Link implements LineState, ScriptCommand.Carrier, ReplicaWait.User, RedisConnectionStateListener {

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
	 * How long to wait while a slot is moved to another node, which takes milliseconds.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

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

	/**
	 * What commands are refused with that came too late: that passes by itself.
	 */
	private static final String OVERTAKEN = "TRYAGAIN a later command for the same key was executed before";

	private final Line line;

	private final Backlog backlog;

	private final LettuceClient client;

	private final Platform platform;

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
		this.backlog = line.backlog();
		this.client = client;
		this.platform = client.platform();
		this.shared = shared;
		this.openedAt = this.platform.nanoTime();
	}

	@Override
	public boolean isGood(LettuceClient current) {
		return this.client == current && isOpen();
	}

	boolean isOpen() {
		return !this.ended.get() && this.shared.isOpen();
	}

	boolean hasWorked() {
		return (this.worked && !this.demoted) || this.platform.nanoTime() - this.openedAt >= LONG_ENOUGH.toNanos();
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
	 * Return what identifies the server, if it says so.
	 */
	@Nullable String runId() {
		return this.shared.server().runId();
	}

	/**
	 * Be of no use any more.
	 * @return whether it was so far
	 */
	boolean end() {
		return this.ended.compareAndSet(false, true);
	}

	/**
	 * Give the line back all that is unanswered, and end with that: what is answered from
	 * now on has to be taken back by who hears of it.
	 */
	void takeBack() {
		var unused = end();
		for (CommandBatch batch : this.sent) {
			for (ScriptCommand<?> command : batch.commands()) {
				command.unanswered(true);
				this.backlog.add(command);
			}
		}
		this.sent.clear();
		this.shared.replicas().withdraw(this).forEach(this.backlog::add);
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
		int more = Math.max(0, Math.max(this.backlog.batches(), isUnasked() ? 1 : 0) - this.due);
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

	/**
	 * Give a batch what it is to send, up to what is heavy enough. Commands that are over
	 * are left out.
	 */
	void fill(CommandBatch batch) {
		long now = this.platform.nanoTime();
		synchronized (this.line.monitor()) {
			this.due--;
			if (!this.line.isIn(this) || this.held) {
				return;
			}
			// All that memory is needed for comes before the first command is taken.
			List<ScriptCommand<?>> taken = this.backlog.room();
			this.sent.add(batch);
			batch.take(taken, this.lacksScript, now);
			this.lacksScript = false;
			this.backlog.takeCall(taken, this, now);
			if (isDoubtful(taken, now)) {
				batch.ask(this.line.succession().isFromAnother(runId()));
			}
			if (taken.isEmpty() && !batch.asks()) {
				this.sent.remove(batch);
			}
		}
	}

	private boolean isDoubtful(List<ScriptCommand<?>> commands, long now) {
		return isUnasked() || (this.askedAt != null && now - this.askedAt >= TRUST
				&& commands.stream().anyMatch(ScriptCommand::needsPrimary));
	}

	private boolean isUnasked() {
		return this.askedAt == null && asks();
	}

	/**
	 * Return whether calls ask the server, the first one always. One that does not say
	 * who it is does not know who was before it, either.
	 */
	boolean asks() {
		return runId() != null;
	}

	boolean hasServed() {
		return this.served;
	}

	/**
	 * Note that the server executes calls.
	 * @return whether that is news
	 */
	boolean serves() {
		boolean first = !this.served;
		this.served = true;
		return first;
	}

	private void askAgain() {
		int batches;
		synchronized (this.line.monitor()) {
			this.askedLater = false;
			batches = this.line.isIn(this) ? due() : 0;
		}
		send(batches);
	}

	/**
	 * The script replied a number or a text for each command.
	 */
	void answered(CommandBatch batch, List<Object> replies) {
		this.shared.replied();
		this.line.serves(this);
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
				this.line.succession().followed(runId());
			}
			if (!refused.isEmpty()) {
				over = sendLater(error, refused);
			}
			if (this.held) {
				overtaken = this.backlog
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
		if (this.ended.get()) {
			// Nobody else takes it out.
			this.line.takeLate(this.shared.replicas().withdraw(this));
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
			this.line.serves(this);
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
	}

	/**
	 * The server refused commands, which another one may take, or this one later.
	 */
	@Override
	public void refused(String error, List<ScriptCommand<?>> commands) {
		boolean current;
		List<ScriptCommand<?>> over = List.of();
		synchronized (this.line.monitor()) {
			current = this.line.isIn(this);
			if (current) {
				over = sendLater(error, commands);
			}
		}
		if (current) {
			refuse(over, error);
			goOn();
		}
		else {
			this.line.takeLate(commands);
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
			long now = this.platform.nanoTime();
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

	private void sendAgain(List<ScriptCommand<?>> commands) {
		this.held |= !commands.isEmpty();
		commands.forEach(this.backlog::add);
	}

	/**
	 * Do what was put off until all is answered that was sent: leave the server, or rest,
	 * or send again what waits. Or ask the server in a while if it was asked in vain: who
	 * waits for a command with that lets tokens leap late, perhaps on a server that was
	 * replaced by then.
	 */
	private void goOn() {
		String leaves = null;
		boolean rests = false;
		boolean asksLater = false;
		int batches = 0;
		synchronized (this.line.monitor()) {
			if (this.rest != null || !this.sent.isEmpty() || !this.line.isIn(this)) {
				return;
			}
			if (!this.held) {
				asksLater = isUnasked() && this.due == 0 && !this.askedLater;
				this.askedLater |= asksLater;
			}
			else if (this.refusal != null) {
				leaves = this.refusal;
			}
			else if (this.unsettled) {
				rests = true;
				this.unsettled = false;
				this.rest = Deadline.after(this.platform, LONGEST_REST);
			}
			else {
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
		else if (asksLater) {
			runLater(this::askAgain, ASKED_AGAIN);
		}
		else {
			send(batches);
		}
	}

	private void rest() {
		long pause = this.platform.random().nextLong(SHORTEST_PAUSE.toMillis(), LONGEST_PAUSE.toMillis());
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
		long now = this.platform.nanoTime();
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

	@Override
	public CompletionStage<?> close() {
		var unused = end();
		if (!this.left.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		this.shared.connection().removeListener(this);
		// One that is dead is so for everybody.
		return this.silent ? this.shared.close() : this.shared.leave();
	}

}
