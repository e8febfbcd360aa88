// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.nio.ByteBuffer;
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
 * One call of the script, for all commands that wait when it is written. Commands that
 * come while the connection is busy share one write, one call and one reply, and none
 * waits for others to come. That is why a batch takes its commands while it is encoded:
 * Lettuce has no other hook on the thread of the connection. Lettuce calls this on that
 * thread, except for failures.
 */
final class CommandBatch extends Command<String, String, List<Object>> {

	private static final CommandArgs<String, String> UNUSED = new CommandArgs<>(StringCodec.UTF8);

	private final CommandConnection connection;

	// whether it sends the script along
	private boolean inFull;

	private @Nullable List<ScriptCommand<?>> commands;

	private boolean written;

	private long writtenAt;

	// whether it asks for how long the server has been the primary
	private boolean asks;

	private boolean ended;

	/**
	 * Create a batch of what will be waiting when it is written.
	 */
	CommandBatch(CommandConnection connection) {
		super(CommandType.EVALSHA, new Replies(), UNUSED);
		this.connection = connection;
	}

	/**
	 * Write the call. Commands that are over are left out.
	 */
	@Override
	public void encode(ByteBuf out) {
		List<ScriptCommand<?>> sent = begin();
		this.inFull = this.connection.lacksScript();
		ScriptCall call = this.connection.call(this.inFull);
		BulkStrings question = question(sent);
		int keys = call.keys();
		int arguments = question.count();
		for (ScriptCommand<?> command : sent) {
			keys += command.keys().count();
			arguments += command.arguments().count();
		}
		call.writeTo(out, keys, arguments);
		for (ScriptCommand<?> command : sent) {
			command.keys().writeTo(out);
		}
		question.writeTo(out);
		for (ScriptCommand<?> command : sent) {
			command.arguments().writeTo(out);
		}
	}

	private BulkStrings question(List<ScriptCommand<?>> sent) {
		Reign reign = this.connection.reign();
		this.writtenAt = this.connection.nanoTime();
		this.asks = reign.isInDoubt(this.writtenAt) && sent.stream().anyMatch(ScriptCommand::needsPrimary);
		return reign.argument(this.asks);
	}

	@Override
	public void complete() {
		super.complete();
		if (end()) {
			try {
				this.connection.replied();
				String error = getOutput().getError();
				if (error == null) {
					answer(getOutput().get());
				}
				else {
					refused(error);
				}
				this.connection.answered(this);
			}
			catch (RuntimeException | Error ex) {
				// Lettuce would go on with one command less than there are replies.
				this.connection.failed(commands(), ex);
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
			List<ScriptCommand<?>> lost = commands();
			lost.forEach((command) -> command.unanswered(this.written));
			this.connection.unanswered(lost, failure);
		}
	}

	private void answer(List<Object> replies) {
		this.connection.executed();
		if (this.asks) {
			this.connection.reign().confirmed(this.writtenAt);
		}
		List<ScriptCommand<?>> sent = commands();
		for (int i = 0; i < sent.size(); i++) {
			answer(sent.get(i), replies.get(i));
		}
	}

	private void answer(ScriptCommand<?> command, Object reply) {
		if (reply instanceof String text && text.startsWith(ScriptCommand.REFUSED)) {
			String error = text.substring(ScriptCommand.REFUSED.length());
			ErrorReply kind = ErrorReply.of(error);
			if (kind.isForAnotherTry()) {
				this.connection.refused(kind, error, List.of(command));
				return;
			}
		}
		this.connection.executed(command);
		this.connection.answered(command, reply);
	}

	// What is wrong with one command is no concern of the others.
	private void refused(String error) {
		List<ScriptCommand<?>> sent = commands();
		ErrorReply kind = ErrorReply.of(error);
		sent.forEach((command) -> command.unanswered(!kind.precedesExecution()));
		if (error.startsWith("NOSCRIPT") && !this.inFull) {
			this.connection.sendInFull(sent);
		}
		else if (kind.isForAnotherTry()) {
			this.connection.refused(kind, error, sent);
		}
		else if (sent.size() > 1) {
			sent.forEach(ScriptCommand::separate);
			this.connection.sendAgain(sent);
		}
		else {
			sent.forEach((command) -> answer(command, ScriptCommand.REFUSED + error));
		}
	}

	private synchronized List<ScriptCommand<?>> commands() {
		List<ScriptCommand<?>> taken = this.commands;
		if (taken == null) {
			taken = this.connection.takeWaiting(this);
			this.commands = taken;
		}
		return taken;
	}

	// Replaced, not changed: another thread may be failing them.
	private synchronized List<ScriptCommand<?>> begin() {
		this.written = true;
		List<ScriptCommand<?>> left = commands();
		for (ScriptCommand<?> command : left) {
			if (command.isDone()) {
				left = left.stream().filter((other) -> !other.isDone()).toList();
				break;
			}
		}
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
