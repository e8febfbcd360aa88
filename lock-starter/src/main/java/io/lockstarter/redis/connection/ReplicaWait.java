// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas know what commands did over a connection, before anybody is told.
 * {@code WAIT} stops the connection, and speaks for all that was written before it. One
 * at a time is under way: a command that does something has it written right behind, or
 * shares the next. Thread-safe.
 */
final class ReplicaWait {

	private final StatefulRedisConnection<String, String> connection;

	private final Runnable replied;

	// Replies come in the order of what was written, so when that of a WAIT comes these
	// are of what was written before it.
	private final Queue<Kept> kept = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean underWay = new AtomicBoolean();

	/**
	 * Create the wait of a connection.
	 * @param replied told of replies
	 */
	ReplicaWait(StatefulRedisConnection<String, String> connection, Runnable replied) {
		this.connection = connection;
		this.replied = replied;
	}

	/**
	 * Ask right behind what was written, unless the answer to an earlier question is to
	 * come.
	 * @param required what was written needs; {@code null} if it needs none
	 */
	void askBehind(@Nullable RequiredReplicas required) {
		if (required != null && this.underWay.compareAndSet(false, true)) {
			WaitCommand command;
			try {
				command = new WaitCommand(required);
			}
			catch (RuntimeException | Error ex) {
				this.underWay.set(false);
				throw ex;
			}
			try {
				this.connection.dispatch(command);
			}
			catch (RuntimeException | Error ex) {
				command.completeExceptionally(ex);
			}
		}
	}

	/**
	 * Keep the reply to a command until replicas know of it.
	 */
	void keep(User user, ScriptCommand<?> command, RequiredReplicas required, Object reply) {
		this.kept.add(new Kept(user, command, required, reply));
	}

	/**
	 * Ask for what is kept.
	 */
	void ask() {
		Kept first = this.kept.peek();
		if (first != null) {
			askBehind(first.required());
		}
	}

	/**
	 * Take out the commands of a user, which are to be sent again.
	 */
	List<ScriptCommand<?>> withdraw(User user) {
		List<ScriptCommand<?>> withdrawn = new ArrayList<>();
		for (Kept each : this.kept.stream().filter((reply) -> reply.user() == user).toList()) {
			if (this.kept.remove(each)) {
				withdrawn.add(each.unanswered());
			}
		}
		return withdrawn;
	}

	/**
	 * Who sends commands over the connection, and takes those back that are to be sent
	 * again.
	 */
	interface User {

		/**
		 * The server refused commands, which another one may take.
		 */
		void refused(String error, List<ScriptCommand<?>> commands);

		/**
		 * Commands cannot be told of their answers, which ends the connection.
		 */
		void failed(List<ScriptCommand<?>> commands, Throwable failure);

		/**
		 * The connection is over. What is kept is to be withdrawn.
		 */
		void unanswered(@Nullable Throwable failure);

	}

	/**
	 * A command, and the reply that nobody is told of yet.
	 */
	private record Kept(User user, ScriptCommand<?> command, RequiredReplicas required, Object reply) {

		/**
		 * Note that nobody is told of the reply: the command is to be sent again.
		 */
		ScriptCommand<?> unanswered() {
			this.command.unanswered(true);
			return this.command;
		}

	}

	private final class WaitCommand extends Command<String, String, Long> {

		private final AtomicBoolean ended = new AtomicBoolean();

		WaitCommand(RequiredReplicas required) {
			super(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8),
					new CommandArgs<>(StringCodec.UTF8).add(required.count()).add(required.millis()));
		}

		@Override
		public void complete() {
			super.complete();
			if (this.ended.compareAndSet(false, true)) {
				ReplicaWait.this.replied.run();
				for (Kept each = ReplicaWait.this.kept.poll(); each != null; each = ReplicaWait.this.kept.poll()) {
					tell(each);
				}
				// After what was undone.
				ReplicaWait.this.underWay.set(false);
			}
		}

		private void tell(Kept each) {
			try {
				String error = getOutput().getError();
				if (error == null) {
					answered(each, getOutput().get());
				}
				else if (ErrorReply.of(error) == ErrorReply.DEMOTED) {
					each.user().refused(error, List.of(each.unanswered()));
				}
				else {
					each.command().notAcknowledged(error);
				}
			}
			catch (RuntimeException | Error ex) {
				// Lettuce would go on with one command less than there are replies.
				each.user().failed(List.of(each.command()), ex);
			}
		}

		private void answered(Kept each, long acknowledged) {
			if (acknowledged >= each.required().count()) {
				each.command().answer(each.reply());
			}
			else {
				each.command().notAcknowledged(acknowledged);
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
			if (this.ended.compareAndSet(false, true)) {
				ReplicaWait.this.underWay.set(false);
				ReplicaWait.this.kept.stream()
					.map(Kept::user)
					.distinct()
					.toList()
					.forEach((user) -> user.unanswered(failure));
			}
		}

	}

}
