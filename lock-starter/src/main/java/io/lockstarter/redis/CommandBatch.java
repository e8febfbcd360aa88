package io.lockstarter.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One call of the script, for as many commands as are there when it is written. What
 * comes while the connection is busy with others so shares one write, one call and one
 * reply, and nothing ever waits for company. Lettuce calls this on the thread of the
 * connection, except for failures.
 */
final class CommandBatch extends Command<String, String, List<Object>> {

	private static final BulkStrings BY_DIGEST = new BulkStrings().add("EVALSHA").add(LuaScript.SHA1);

	private final CommandConnection connection;

	private final boolean inFull;

	private @Nullable List<LockCommand<?>> commands;

	private int drops;

	private boolean ended;

	/**
	 * Create a batch of what will be waiting when it is written.
	 * @param connection over which it is sent
	 */
	CommandBatch(CommandConnection connection) {
		this(connection, false, null, 0);
	}

	private CommandBatch(CommandConnection connection, boolean inFull, @Nullable List<LockCommand<?>> commands,
			int drops) {
		super(inFull ? CommandType.EVAL : CommandType.EVALSHA, new Replies(),
				new CommandArgs<>(StringCodec.UTF8).add(LuaScript.SHA1));
		this.connection = connection;
		this.inFull = inFull;
		this.commands = commands;
		this.drops = drops;
	}

	/**
	 * Write the call; once more after a reconnect. Commands that are over are left out.
	 */
	@Override
	public void encode(ByteBuf out) {
		List<LockCommand<?>> sent = withoutEnded();
		setOutput(new Replies());
		BulkStrings head = this.inFull ? new BulkStrings().add("EVAL").add(LuaScript.SOURCE) : BY_DIGEST;
		BulkStrings shared = this.connection.sharedArguments();
		int keys = 0;
		int arguments = shared.count();
		for (LockCommand<?> command : sent) {
			keys += command.keys().count();
			arguments += command.arguments().count();
		}
		out.writeByte('*');
		out.writeCharSequence(Integer.toString(head.count() + 1 + keys + arguments), StandardCharsets.US_ASCII);
		out.writeCharSequence("\r\n", StandardCharsets.US_ASCII);
		head.writeTo(out);
		new BulkStrings().add(keys).writeTo(out);
		sent.forEach((command) -> command.keys().writeTo(out));
		shared.writeTo(out);
		sent.forEach((command) -> command.arguments().writeTo(out));
	}

	@Override
	public void complete() {
		super.complete();
		if (end()) {
			this.connection.replied();
			String error = getOutput().getError();
			if (error == null) {
				answer(getOutput().get());
			}
			else {
				refused(error);
			}
		}
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		boolean first = super.completeExceptionally(failure);
		if (end()) {
			commands().forEach((command) -> command.fail(failure, true));
		}
		return first;
	}

	@Override
	public void cancel() {
		super.cancel();
		if (end()) {
			Throwable failure = new CancellationException(getOutput().getError());
			commands().forEach((command) -> command.fail(failure, true));
		}
	}

	private void answer(List<Object> replies) {
		List<LockCommand<?>> sent = commands();
		boolean repeated = isRepeated();
		for (int i = 0; i < sent.size(); i++) {
			sent.get(i).answered(replies.get(i), repeated);
		}
	}

	// Nothing was executed. What is wrong with one command is no concern of the others.
	private void refused(String error) {
		List<LockCommand<?>> sent = commands();
		if (error.startsWith("NOSCRIPT") && !this.inFull) {
			this.connection.dispatch(new CommandBatch(this.connection, true, sent, this.drops));
		}
		else if (sent.size() > 1) {
			for (LockCommand<?> command : sent) {
				this.connection.dispatch(
						new CommandBatch(this.connection, this.inFull, new ArrayList<>(List.of(command)), this.drops));
			}
		}
		else {
			boolean repeated = isRepeated();
			sent.forEach((command) -> command.fail(new RedisCommandExecutionException(error), repeated));
		}
	}

	private boolean isRepeated() {
		return this.connection.drops() != this.drops;
	}

	private synchronized List<LockCommand<?>> commands() {
		List<LockCommand<?>> taken = this.commands;
		if (taken == null) {
			this.drops = this.connection.drops();
			taken = this.connection.takeWaiting();
			this.commands = taken;
		}
		return taken;
	}

	// Replaced, not changed: another thread may be failing them.
	private synchronized List<LockCommand<?>> withoutEnded() {
		List<LockCommand<?>> left = new ArrayList<>(commands());
		left.removeIf(LockCommand::isDone);
		this.commands = left;
		return left;
	}

	private synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

	/**
	 * One number or string for each command.
	 */
	private static final class Replies extends CommandOutput<String, String, List<Object>> {

		Replies() {
			super(StringCodec.UTF8, new ArrayList<>());
		}

		@Override
		public void set(long number) {
			this.output.add(number);
		}

		@Override
		public void set(ByteBuffer text) {
			this.output.add(decodeString(text));
		}

	}

}
