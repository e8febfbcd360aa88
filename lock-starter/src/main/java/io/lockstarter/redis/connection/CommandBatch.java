// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One call of the script with all commands that are waiting at the moment when it is
 * written. Thread-safe.
 */
final class CommandBatch extends Command<String, String, List<Object>> {

	private static final BulkStrings NO_QUESTION = new BulkStrings(8).add("");

	private static final BulkStrings ASK = new BulkStrings(16).add("ask");

	private static final BulkStrings MOVED = new BulkStrings(16).add("moved");

	private static final CommandArgs<String, String> UNUSED = new CommandArgs<>(StringCodec.UTF8);

	private final Link link;

	// What follows is guarded by the link, but for what its thread writes.

	private List<ScriptCommand<?>> commands = List.of();

	private boolean inFull;

	private long writtenAt;

	private BulkStrings question = NO_QUESTION;

	private boolean ended;

	/**
	 * Create a batch of what will be waiting when it is written.
	 */
	CommandBatch(Link link) {
		super(CommandType.EVALSHA, new Replies(), UNUSED);
		this.link = link;
	}

	/**
	 * Take what it is to send.
	 * @param taken the commands, in their order
	 * @param whole whether the script is to be sent along
	 */
	void take(List<ScriptCommand<?>> taken, boolean whole, long now) {
		this.commands = taken;
		this.inFull = whole;
		this.writtenAt = now;
	}

	/**
	 * Ask the server to follow the one before.
	 * @param moved whether that is another process
	 */
	void ask(boolean moved) {
		this.question = moved ? MOVED : ASK;
	}

	List<ScriptCommand<?>> commands() {
		return this.commands;
	}

	/**
	 * Return whether it asks the server to follow.
	 */
	boolean asks() {
		return this.question != NO_QUESTION;
	}

	long writtenAt() {
		return this.writtenAt;
	}

	boolean isInFull() {
		return this.inFull;
	}

	/**
	 * Write the call.
	 */
	@Override
	public void encode(ByteBuf out) {
		this.link.fill(this);
		BatchScript script = this.link.script();
		BulkStrings head = script.head(this.inFull);
		BulkStrings firstKeys = script.firstKeys(asks());
		int keys = firstKeys.count();
		int arguments = this.question.count();
		for (ScriptCommand<?> command : this.commands) {
			keys += command.keys().count();
			arguments += command.arguments().count();
		}
		out.writeByte('*');
		out.writeCharSequence(Integer.toString(head.count() + 1 + keys + arguments), StandardCharsets.US_ASCII);
		out.writeCharSequence("\r\n", StandardCharsets.US_ASCII);
		head.writeTo(out);
		new BulkStrings(32).add(keys).writeTo(out);
		firstKeys.writeTo(out);
		for (ScriptCommand<?> command : this.commands) {
			command.keys().writeTo(out);
		}
		this.question.writeTo(out);
		for (ScriptCommand<?> command : this.commands) {
			command.arguments().writeTo(out);
		}
	}

	@Override
	public void complete() {
		super.complete();
		if (end()) {
			try {
				String error = getOutput().getError();
				if (error != null) {
					this.link.refused(this, error);
				}
				else {
					this.link.answered(this, getOutput().get());
				}
			}
			catch (RuntimeException | Error ex) {
				// Lettuce would go on with one command less than there are replies.
				this.link.failed(this.commands, ex);
			}
		}
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		boolean first = super.completeExceptionally(failure);
		unanswered(failure);
		return first;
	}

	@Override
	public void cancel() {
		super.cancel();
		unanswered(null);
	}

	private void unanswered(@Nullable Throwable failure) {
		if (end()) {
			this.link.unanswered(failure);
		}
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
