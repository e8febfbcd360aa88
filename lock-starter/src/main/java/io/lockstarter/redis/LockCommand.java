/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisCommandExecutionException;
import io.lockstarter.PrintableText;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * One command for one or several locks, and the future of its result. A future that is
 * completed early, for example by cancelling it, withdraws a command that was not sent
 * yet. Thread-safe.
 *
 * @param <T> the type of result
 */
final class LockCommand<T> extends CompletableFuture<T> {

	/**
	 * What a reply begins with that is an error. The error follows.
	 */
	static final String REFUSED = "!";

	/**
	 * What a reply begins with that names the tokens of several locks.
	 */
	static final String ACQUIRED = "=";

	/**
	 * For how long to wait for a slot that is being moved.
	 */
	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

	private final String verb;

	private final String subject;

	private final BulkStrings keys;

	private final BulkStrings arguments;

	private final ReplyReader<T> reader;

	private final @Nullable ReplicaAcknowledgement acknowledgement;

	private volatile @Nullable Carrier carrier;

	private volatile boolean maybeExecuted;

	private long sentAt;

	private volatile @Nullable Long refusedSince;

	/**
	 * Create a command.
	 * @param verb what it does, for messages
	 * @param subject the key or keys, for messages
	 * @param arguments its arguments, which begin with the name that the script knows
	 */
	LockCommand(String verb, String subject, BulkStrings keys, BulkStrings arguments, ReplyReader<T> reader) {
		this(verb, subject, keys, arguments, reader, null);
	}

	/**
	 * Create a command.
	 * @param acknowledgement who has to know of what it acquires; {@code null} if nobody
	 */
	LockCommand(String verb, String subject, BulkStrings keys, BulkStrings arguments, ReplyReader<T> reader,
			@Nullable ReplicaAcknowledgement acknowledgement) {
		this.verb = verb;
		this.subject = subject;
		this.keys = keys;
		this.arguments = arguments;
		this.reader = reader;
		this.acknowledgement = acknowledgement;
	}

	BulkStrings keys() {
		return this.keys;
	}

	BulkStrings arguments() {
		return this.arguments;
	}

	/**
	 * Return whether it is handed out tokens if it succeeds.
	 */
	boolean takesTokens() {
		return this.verb.equals("acquire");
	}

	void sendOver(Carrier carrier) {
		if (!isDone()) {
			this.sentAt = carrier.nanoTime();
			this.carrier = carrier;
			carrier.send(this);
		}
	}

	/**
	 * The connection was lost before there was a reply.
	 * @param written whether the command may have reached the server
	 */
	void unanswered(boolean written) {
		this.maybeExecuted |= written;
	}

	/**
	 * The command is given up; so perhaps is the connection.
	 */
	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		Carrier used = this.carrier;
		boolean withdrawn = super.cancel(mayInterruptIfRunning);
		if (withdrawn && used != null) {
			used.givenUp(this.sentAt);
		}
		return withdrawn;
	}

	/**
	 * Return whether to send the command again, which the cluster cannot serve at the
	 * moment: for a second. A renewal is repeated by whoever sent it, because another one
	 * may ask for more by then.
	 */
	boolean isWorthAnotherTry(long now) {
		Long since = this.refusedSince;
		if (since == null) {
			this.refusedSince = now;
		}
		return !isDone() && !this.verb.equals("renew") && (since == null || now - since < PATIENCE);
	}

	/**
	 * End the command, for which there is no connection.
	 */
	void failUnsent(Throwable cause) {
		completeExceptionally(StoreFailures.unsent(this.verb, this.subject, this.maybeExecuted, cause));
	}

	/**
	 * End the command, which was refused and had no effect.
	 */
	void refused(String error) {
		completeExceptionally(StoreFailures.refused(this.verb, this.subject, this.maybeExecuted,
				new RedisCommandExecutionException(ErrorReply.plain(error))));
	}

	/**
	 * Return who has to know of what was acquired before anybody is told; {@code null} if
	 * nobody, or if nothing was.
	 */
	@Nullable ReplicaAcknowledgement acknowledgement(Object reply) {
		ReplicaAcknowledgement required = this.acknowledgement;
		if (required == null) {
			return null;
		}
		return (reply instanceof Long || ((String) reply).startsWith(ACQUIRED)) ? required : null;
	}

	void notAcknowledged(ReplicaAcknowledgement required, long acknowledged) {
		giveBack(required, "Redis acquired %s, but %d of the required %d replicas acknowledged it within %d ms"
			.formatted(this.subject, acknowledged, required.replicas(), required.millis()), null);
	}

	void notAcknowledged(ReplicaAcknowledgement required, String error) {
		giveBack(required, "Redis acquired %s, but refused to wait for replicas that acknowledge it: %s"
			.formatted(this.subject, PrintableText.of(error)), error);
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
					StoreFailures.notAcknowledged(problem, this.maybeExecuted, error, failure)));
	}

	void answered(Object reply) {
		if (reply instanceof String text && text.startsWith(REFUSED)) {
			refused(text.substring(REFUSED.length()));
			return;
		}
		try {
			T value = this.reader.read(reply, this.maybeExecuted);
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

	/**
	 * Sends commands.
	 */
	interface Carrier extends Ticker {

		void send(LockCommand<?> command);

		/**
		 * A command was given up that was sent then.
		 */
		void givenUp(long sentAt);

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
