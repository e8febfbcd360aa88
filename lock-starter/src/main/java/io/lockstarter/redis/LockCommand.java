// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.Objects;

import io.lettuce.core.RedisCommandExecutionException;
import io.lockstarter.text.PrintableText;
import io.lockstarter.redis.LockRequest.Brief;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.Line;
import io.lockstarter.redis.connection.RequiredReplicas;
import io.lockstarter.redis.connection.ScriptCommand;
import org.jspecify.annotations.Nullable;

/**
 * One command for one or several locks, and the future of its result. Thread-safe.
 *
 * @param <T> the type of result
 */
final class LockCommand<T> extends ScriptCommand<T> {

	/**
	 * What a reply begins with that names the tokens of several locks.
	 */
	static final String ACQUIRED = "=";

	private final String verb;

	private final String subject;

	// what it sends next; changes while it is answered
	private volatile LockRequest request;

	private @Nullable Line line;

	private final ReplyReader<T> reader;

	private final @Nullable ReplicaAcknowledgement acknowledgement;

	private final boolean handsOutTokens;

	/**
	 * Create a command.
	 * @param verb what it does, for messages
	 * @param subject the key or keys, for messages
	 * @param request what it sends
	 */
	LockCommand(String verb, String subject, LockRequest request, ReplyReader<T> reader) {
		this(verb, subject, request, reader, false, null);
	}

	/**
	 * Create a command.
	 * @param handsOutTokens whether somebody gets tokens by it
	 * @param acknowledgement who has to know of what it acquires; {@code null} if nobody
	 */
	LockCommand(String verb, String subject, LockRequest request, ReplyReader<T> reader, boolean handsOutTokens,
			@Nullable ReplicaAcknowledgement acknowledgement) {
		this.verb = verb;
		this.subject = subject;
		this.request = request;
		this.reader = reader;
		this.handsOutTokens = handsOutTokens;
		this.acknowledgement = acknowledgement;
	}

	/**
	 * Send the command, and once more if it needs keys that it does not name.
	 */
	void sendOver(Line way) {
		this.line = way;
		way.send(this);
	}

	@Override
	protected BulkStrings keys() {
		return this.request.keys();
	}

	@Override
	protected BulkStrings arguments() {
		return this.request.arguments();
	}

	@Override
	protected boolean needsPrimary() {
		return this.handsOutTokens;
	}

	@Override
	protected void failUnsent(Throwable cause) {
		completeExceptionally(StoreFailures.unsent(this.verb, this.subject, maybeExecuted(), cause));
	}

	@Override
	protected void refused(RedisCommandExecutionException error) {
		completeExceptionally(StoreFailures.refused(this.verb, this.subject, maybeExecuted(), error));
	}

	/**
	 * Nobody is told of what was acquired before replicas know of it.
	 */
	@Override
	protected @Nullable RequiredReplicas requiredReplicas() {
		return (this.acknowledgement != null) ? this.acknowledgement.replicas() : null;
	}

	@Override
	protected boolean needsReplicas(Object reply) {
		return reply instanceof Long || ((String) reply).startsWith(ACQUIRED);
	}

	@Override
	protected void notAcknowledged(long acknowledged) {
		ReplicaAcknowledgement required = Objects.requireNonNull(this.acknowledgement);
		giveBack(
				required, "Redis acquired %s, but %d of the required %d replicas acknowledged it within %d ms"
					.formatted(this.subject, acknowledged, required.replicas().count(), required.replicas().millis()),
				null);
	}

	@Override
	protected void notAcknowledged(String error) {
		giveBack(Objects.requireNonNull(this.acknowledgement),
				"Redis acquired %s, but refused to wait for replicas that acknowledge it: %s".formatted(this.subject,
						PrintableText.of(error)),
				error);
	}

	// Whoever gave the command up releases what it acquired.
	private void giveBack(ReplicaAcknowledgement required, String problem, @Nullable String error) {
		if (isDone()) {
			return;
		}
		required.log()
			.write(this.subject,
					() -> problem + ", so it is given back, and tried again as long as somebody waits for it. Look at "
							+ "the replicas, or lower 'distributed-lock.replicas-acknowledged'");
		var unused = required.giveBack()
			.get()
			.whenComplete((done, failure) -> completeExceptionally(
					StoreFailures.notAcknowledged(problem, maybeExecuted(), error, failure)));
	}

	/**
	 * A command that needs more keys had no effect so far. It is sent behind those that
	 * were issued meanwhile: all that such commands do is to ask for a lock, or to give
	 * back or renew what an owner id has, and whoever waits for the answer sends nothing
	 * else for that owner id. One that was withdrawn is not sent any more.
	 */
	@Override
	protected void answered(Object reply) {
		if (LockRequest.ALL_KEYS.equals(reply) && this.request instanceof Brief brief) {
			this.request = brief.inFull();
			Objects.requireNonNull(this.line).sendAgain(this);
			return;
		}
		try {
			T value = this.reader.read(reply, maybeExecuted());
			if (value != null) {
				complete(value);
			}
			else {
				completeExceptionally(StoreFailures.inconclusive(this.verb, this.subject));
			}
		}
		catch (RuntimeException ex) {
			completeExceptionally(StoreFailures.unreadable(this.verb, this.subject, ex));
		}
	}

	@FunctionalInterface
	interface ReplyReader<T> {

		/**
		 * Read a reply, a number or a string.
		 * @param repeated whether the command may have been executed before with another
		 * reply, which was lost
		 * @return the result, or {@code null} if it cannot be known after a repetition
		 */
		@Nullable T read(Object reply, boolean repeated);

	}

}
