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
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas know what commands did over a connection, before anybody is told.
 * {@code WAIT} stops the connection, and speaks for all that was done over it before; so
 * one at a time is under way, and what is done meanwhile shares the next. Thread-safe.
 */
final class ReplicaWait {

	private final StatefulRedisConnection<String, String> connection;

	private final Runnable replied;

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
	 * Keep the reply to a command until {@link #begin()}.
	 */
	void add(User user, ScriptCommand<?> command, RequiredReplicas required, Object reply) {
		this.kept.add(new Kept(user, command, required, reply));
	}

	/**
	 * Ask for what was added, unless that is to follow.
	 */
	void begin() {
		Kept first = this.kept.peek();
		if (first != null && this.underWay.compareAndSet(false, true)) {
			WaitCommand command = new WaitCommand(first.required());
			try {
				this.connection.dispatch(command);
			}
			catch (RuntimeException ex) {
				command.completeExceptionally(ex);
			}
		}
	}

	/**
	 * Take out the commands of a user that were not asked for yet.
	 */
	List<ScriptCommand<?>> withdraw(User user) {
		if (this.kept.isEmpty()) {
			return List.of();
		}
		List<ScriptCommand<?>> withdrawn = new ArrayList<>();
		for (Kept each : this.kept.stream().filter((reply) -> reply.user() == user).toList()) {
			if (this.kept.remove(each)) {
				withdrawn.add(each.unanswered());
			}
		}
		return withdrawn;
	}

	private List<Kept> take() {
		List<Kept> taken = new ArrayList<>();
		for (Kept next = this.kept.poll(); next != null; next = this.kept.poll()) {
			taken.add(next);
		}
		return taken;
	}

	private void next() {
		this.underWay.set(false);
		begin();
	}

	/**
	 * Who sends commands over the connection, and takes those back that are to be sent
	 * again.
	 */
	interface User {

		/**
		 * The server refused commands, which another one may take, or this one later.
		 */
		void refused(ErrorReply reply, String error, List<ScriptCommand<?>> commands);

		/**
		 * Commands cannot be told of their answers, which ends the connection.
		 */
		void failed(List<ScriptCommand<?>> commands, Throwable failure);

		/**
		 * Commands end without an answer.
		 */
		void unanswered(List<ScriptCommand<?>> commands, @Nullable Throwable failure);

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

		private @Nullable List<Kept> asked;

		private boolean ended;

		WaitCommand(RequiredReplicas required) {
			super(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8),
					new CommandArgs<>(StringCodec.UTF8).add(required.count()).add(required.millis()));
		}

		@Override
		public void encode(ByteBuf out) {
			asked();
			super.encode(out);
		}

		@Override
		public void complete() {
			super.complete();
			if (end()) {
				try {
					ReplicaWait.this.replied.run();
					String error = getOutput().getError();
					if (error == null) {
						answered(getOutput().get());
					}
					else {
						refused(error);
					}
				}
				catch (RuntimeException | Error ex) {
					// Lettuce would go on with one command less than there are replies.
					asked().forEach((each) -> each.user().failed(List.of(each.command()), ex));
				}
				// After what was undone.
				next();
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

		private void answered(long acknowledged) {
			for (Kept each : asked()) {
				if (acknowledged >= each.required().count()) {
					each.command().answer(each.reply());
				}
				else {
					each.command().notAcknowledged(acknowledged);
				}
			}
		}

		private void refused(String error) {
			ErrorReply kind = ErrorReply.of(error);
			for (Kept each : asked()) {
				if (kind == ErrorReply.DEMOTED) {
					each.user().refused(kind, error, List.of(each.unanswered()));
				}
				else {
					each.command().notAcknowledged(error);
				}
			}
		}

		private void unanswered(@Nullable Throwable failure) {
			if (end()) {
				asked().forEach((each) -> each.user().unanswered(List.of(each.unanswered()), failure));
			}
		}

		private synchronized List<Kept> asked() {
			List<Kept> taken = this.asked;
			if (taken == null) {
				taken = take();
				this.asked = taken;
			}
			return taken;
		}

		private synchronized boolean end() {
			boolean first = !this.ended;
			this.ended = true;
			return first;
		}

	}

}
