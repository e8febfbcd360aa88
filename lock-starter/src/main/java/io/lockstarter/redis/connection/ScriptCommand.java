// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One command of a script, and the future of its result. It is sent, and sent again after
 * a connection was lost, until it is answered, refused, given up, or has had no
 * connection for a while: so the script must allow for a command that was executed
 * before. A future that is completed early, for example by cancelling it, withdraws a
 * command that was not sent yet. What replies mean is up to subclasses. Thread-safe.
 *
 * @param <T> the type of result
 */
public abstract class ScriptCommand<T> extends CompletableFuture<T> implements Comparable<ScriptCommand<?>> {

	/**
	 * What a reply begins with that is an error. The error follows.
	 */
	static final String REFUSED = "!";

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

	private long number;

	private boolean alone;

	private volatile @Nullable Carrier carrier;

	private volatile boolean maybeExecuted;

	private long firstSentAt;

	private long sentAt;

	// What follows is guarded by the monitor of its line.

	private @Nullable Long refusedSince;

	private boolean queued;

	/**
	 * Note the place of the command among all that go to its server.
	 * @param number is larger than those of all that were issued before
	 */
	void issued(long number) {
		this.number = number;
	}

	long number() {
		return this.number;
	}

	/**
	 * Compare with another command for the same server: the one that was issued first
	 * comes first.
	 */
	@Override
	public int compareTo(ScriptCommand<?> other) {
		return Long.compare(this.number, other.number);
	}

	/**
	 * Return whether another command was issued later, and is about one of the same keys.
	 */
	boolean isBefore(ScriptCommand<?> other) {
		return this.number < other.number && keys().intersects(other.keys());
	}

	/**
	 * Note that a call with several commands failed: from now on it is sent alone.
	 */
	void separate() {
		this.alone = true;
	}

	boolean isAlone() {
		return this.alone;
	}

	/**
	 * Note whether the command is in the queue of its line.
	 * @return whether that is a change
	 */
	boolean queued(boolean now) {
		boolean changed = this.queued != now;
		this.queued = now;
		return changed;
	}

	/**
	 * Return whether to send the command again, which the cluster cannot serve at the
	 * moment: for a second.
	 */
	boolean isWorthAnotherTry(long now) {
		if (this.refusedSince == null) {
			this.refusedSince = now;
		}
		return !isDone() && now - this.refusedSince < PATIENCE;
	}

	/**
	 * The command is about to be written.
	 */
	void writtenOver(Carrier connection, long now) {
		if (this.carrier == null) {
			this.firstSentAt = now;
		}
		this.sentAt = now;
		this.carrier = connection;
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
			used.givenUp(this.firstSentAt, this.sentAt);
		}
		return withdrawn;
	}

	/**
	 * End the command, which was refused and had no effect.
	 */
	void refuse(String error) {
		refused(new RedisCommandExecutionException(ErrorReply.plain(error)));
	}

	/**
	 * End the command by its reply, a number or a string.
	 */
	void answer(Object reply) {
		if (reply instanceof String text && text.startsWith(REFUSED)) {
			refuse(text.substring(REFUSED.length()));
		}
		else {
			answered(reply);
		}
	}

	/**
	 * Return whether the command may have been executed before, with another reply, which
	 * was lost.
	 * @return true if so
	 */
	protected final boolean maybeExecuted() {
		return this.maybeExecuted;
	}

	/**
	 * Return what it is about; a batch takes fewer commands of many keys. Others may be
	 * named when the command is answered, before it is {@linkplain Line#sendAgain sent
	 * again}.
	 * @return all keys that it touches
	 */
	protected abstract BulkStrings keys();

	/**
	 * Return its arguments.
	 * @return the arguments, which begin with the name that the script knows
	 */
	protected abstract BulkStrings arguments();

	/**
	 * Return whether only a server may execute it that is sure to be the primary: what a
	 * former primary replies does harm.
	 * @return true if so
	 */
	protected abstract boolean needsPrimary();

	/**
	 * End the command, for which there is no connection.
	 * @param cause why there is none
	 */
	protected abstract void failUnsent(Throwable cause);

	/**
	 * End the command by an error reply.
	 * @param error the reply
	 */
	protected abstract void refused(RedisCommandExecutionException error);

	/**
	 * End the command by its reply.
	 * @param reply a number or a string
	 */
	protected abstract void answered(Object reply);

	/**
	 * Return how many replicas have to know of what the command does, if it does
	 * something, before it is answered.
	 * @return how many; {@code null} if none
	 */
	protected abstract @Nullable RequiredReplicas requiredReplicas();

	/**
	 * Return whether the reply says that something was done of which replicas have to
	 * know.
	 * @param reply a number or a string
	 * @return true if so
	 */
	protected abstract boolean needsReplicas(Object reply);

	/**
	 * End the command, of which too few replicas know in time.
	 * @param acknowledged how many of them do
	 */
	protected abstract void notAcknowledged(long acknowledged);

	/**
	 * End the command, whose server refused to wait for replicas.
	 * @param error the error reply
	 */
	protected abstract void notAcknowledged(String error);

	/**
	 * The connection that a command was written to.
	 */
	interface Carrier {

		/**
		 * A command was given up.
		 * @param firstSentAt when it was written first, perhaps over another connection
		 * @param sentAt when it was written over this one
		 */
		void givenUp(long firstSentAt, long sentAt);

	}

}
