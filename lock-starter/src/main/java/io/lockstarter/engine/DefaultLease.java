// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LossCause;
import io.lockstarter.ReleaseMode;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * A lease granted from an {@link Ownership}. Its end is decided under the mutex of its
 * {@link LocalQueue}, once.
 */
final class DefaultLease implements Lease {

	private final Lessor lessor;

	private final Ownership ownership;

	private final Terms terms;

	private final long token;

	// under the mutex
	private long minHoldUntil;

	private final long since;

	private final long number;

	// plain, as whoever describes a holder may see it late
	private @Nullable Thread thread;

	private boolean bound;

	private volatile boolean active = true;

	private volatile @Nullable LossCause lossCause;

	private @Nullable List<Consumer<LossCause>> lossActions;

	private boolean released;

	DefaultLease(Lessor lessor, Ownership ownership, Terms terms, @Nullable Thread thread, long now, long number) {
		this.lessor = lessor;
		this.ownership = ownership;
		this.terms = terms;
		this.token = ownership.takeToken();
		this.since = now;
		this.number = number;
		this.thread = thread;
		this.minHoldUntil = Ticker.plus(now, terms.minHoldNanos());
	}

	@Override
	public String key() {
		return this.lessor.key();
	}

	@Override
	public String name() {
		return this.terms.name();
	}

	@Override
	public String ownerId() {
		return this.ownership.ownerId();
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public Duration ttl() {
		return this.ownership.ttl();
	}

	@Override
	public boolean isValid() {
		return remainingNanos() > 0;
	}

	@Override
	public Duration remaining() {
		return Duration.ofNanos(remainingNanos());
	}

	/**
	 * The last renewal of a lease that was lost is less than half of its ttl before the
	 * end of renewals, if that end is why there was no other.
	 */
	@Override
	public boolean isRenewed() {
		long at = (this.lossCause != null) ? this.ownership.deadline() - this.ownership.ttl().toNanos() / 2
				: this.lessor.now();
		return isRenewed(at);
	}

	@Override
	public void checkValid() {
		if (isValid()) {
			return;
		}
		LockLostException lost = loss();
		throw (lost != null) ? lost : new IllegalStateException("The lease of lock '" + key() + "' is closed already");
	}

	@Override
	public Registration onLost(Consumer<LossCause> action) {
		LossAction registered = new LossAction(action);
		this.lessor.onLost(this, registered);
		return registered;
	}

	@Override
	public boolean extend(Duration ttl) {
		return extendAll(List.of(this), ttl);
	}

	@Override
	public CompletableFuture<Boolean> extendAsync(Duration ttl) {
		return onCallbacks(this.lessor.extend(this, Terms.checkTtl(ttl, this.lessor.maxTtl())));
	}

	/**
	 * Extend leases of several keys and wait for all answers. That one is lost says more
	 * than that the store failed for another.
	 */
	static boolean extendAll(List<DefaultLease> leases, Duration ttl) {
		Duration checked = Terms.checkTtl(ttl, leases.get(0).lessor.maxTtl());
		List<CompletableFuture<Boolean>> answers = leases.stream()
			.map((lease) -> lease.lessor.extend(lease, checked))
			.toList();
		boolean held = true;
		Throwable failure = null;
		for (CompletableFuture<Boolean> answer : answers) {
			try {
				held &= Completions.join(answer);
			}
			catch (CompletionException ex) {
				failure = ex.getCause();
			}
		}
		if (held && failure != null) {
			throw Completions.withStackOfCaller(failure);
		}
		return held;
	}

	@Override
	public void holdAtLeast(Duration minHold) {
		long nanos = Terms.checkMinHold(minHold, this.lessor.maxTtl()).toNanos();
		this.lessor.locked(() -> {
			if (nanos > 0 && this.active && (this.ownership.isShared() || this.ownership.isToBeShared())) {
				throw new IllegalArgumentException(
						"Lock '%s' is shared: a minimum hold keeps others away, but they are let in".formatted(key()));
			}
			this.minHoldUntil = Ticker.plus(this.lessor.now(), nanos);
		});
	}

	@Override
	public CompletableFuture<Boolean> releaseAsync() {
		return onCallbacks(this.lessor.release(this, true));
	}

	/**
	 * Let dependent actions run where they may block.
	 */
	private CompletableFuture<Boolean> onCallbacks(CompletableFuture<Boolean> answer) {
		return answer.whenCompleteAsync((held, failure) -> {
		}, this.lessor.callbacks());
	}

	@Override
	public void close() {
		awaitRelease(this.lessor.release(this, true));
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		if (this.terms.releaseMode() == ReleaseMode.CONFIRMED) {
			return Lease.super.closeAsync();
		}
		var unused = this.lessor.release(this, true);
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Release leases of several keys, and wait for all answers.
	 */
	static void closeAll(List<DefaultLease> leases, Failures failures) {
		// Nearly all locks have one key, and need no lists.
		if (leases.size() == 1) {
			failures.run(leases.get(0)::close);
			return;
		}
		List<Runnable> answers = new ArrayList<>(leases.size());
		failures.collect(leases, (lease) -> {
			CompletableFuture<Boolean> released = lease.lessor.release(lease, true);
			answers.add(() -> lease.awaitRelease(released));
		});
		failures.collect(answers, Runnable::run);
	}

	/**
	 * Release the lease, which nobody was given, without regard to its minimum hold.
	 */
	CompletableFuture<Boolean> releaseUnused() {
		return this.lessor.release(this, false);
	}

	/**
	 * Release leases of several keys, which nobody was given, without waiting for it: the
	 * next command for a key comes after it in any case.
	 */
	static void releaseAllUnused(List<DefaultLease> leases) {
		Failures failures = new Failures();
		releaseAllUnused(leases, failures);
		failures.throwFirst();
	}

	static void releaseAllUnused(Collection<DefaultLease> leases, Failures failures) {
		failures.collect(leases, (lease) -> {
			var unused = lease.releaseUnused();
		});
	}

	private void awaitRelease(CompletableFuture<Boolean> released) {
		if (this.terms.releaseMode() != ReleaseMode.CONFIRMED) {
			return;
		}
		try {
			var unused = Completions.join(released);
		}
		catch (CompletionException ex) {
			// told to the listeners
		}
	}

	@Override
	public String toString() {
		return "Lease[key=%s, fencingToken=%d, %s]".formatted(key(), this.token,
				isValid() ? "held" : (this.lossCause != null) ? "lost" : "closed");
	}

	/**
	 * End the lease for good at its deadline before anyone is told, as a late reply to a
	 * renewal could move the deadline again.
	 */
	private long remainingNanos() {
		if (!this.active) {
			return 0;
		}
		long left = this.ownership.deadline() - this.lessor.now();
		if (left > 0) {
			return left;
		}
		this.lessor.checkDeadline();
		return this.active ? Math.max(0, this.ownership.deadline() - this.lessor.now()) : 0;
	}

	long since() {
		return this.since;
	}

	/**
	 * Return the number of the lease among those that its queue granted.
	 */
	long number() {
		return this.number;
	}

	void endMinHold(long now) {
		this.minHoldUntil = now;
	}

	/**
	 * Hold the key together with others from now on, in one step.
	 */
	void share() {
		awaitRelease(this.lessor.share(this));
	}

	/**
	 * Return the thread that acquired the lease and waited for it, and so most likely
	 * holds it; none if it was acquired asynchronously, or released.
	 */
	@Nullable Thread thread() {
		return this.thread;
	}

	/**
	 * Note the thread that acquired the lease along with those of other keys.
	 */
	void thread(Thread acquirer) {
		this.thread = acquirer;
	}

	/**
	 * Note that the thread that acquired the lease holds it as a lock, which no other
	 * thread can unlock.
	 */
	void bind() {
		this.bound = true;
	}

	/**
	 * Return whether the lease is the lock of its thread.
	 */
	boolean isBound() {
		return this.bound;
	}

	Ownership ownership() {
		return this.ownership;
	}

	boolean isActive() {
		return this.active;
	}

	/**
	 * Act on the answer to a renewal.
	 * @return how much of the ttl counts, in nanoseconds
	 */
	long renewed(long sentAt, Duration ttl, boolean held) {
		return this.lessor.renewed(this.ownership, sentAt, ttl, held);
	}

	@Nullable LockLostException loss() {
		LossCause cause = this.lossCause;
		return (cause != null) ? new LockLostException(key(), this.token, cause) : null;
	}

	@Nullable LossCause lossCause() {
		return this.lossCause;
	}

	boolean isRenewed(long now) {
		return this.terms.renew() && now - this.since < this.terms.maxHoldNanos();
	}

	long minHoldUntil() {
		return this.minHoldUntil;
	}

	/**
	 * End the lease, under the mutex, and return whether for the first time.
	 */
	boolean end() {
		boolean first = !this.released;
		this.released = true;
		this.active = false;
		// A lease that is kept keeps no thread.
		this.thread = null;
		return first;
	}

	/**
	 * Lose the lease, under the mutex.
	 * @return what to run on the thread of the listeners
	 */
	List<Consumer<LossCause>> lose(LossCause cause) {
		this.lossCause = cause;
		this.active = false;
		List<Consumer<LossCause>> actions = this.lossActions;
		this.lossActions = null;
		return (actions != null) ? actions : List.of();
	}

	void forgetLossActions() {
		this.lossActions = null;
	}

	void addLossAction(Consumer<LossCause> action) {
		if (this.lossActions == null) {
			this.lossActions = new ArrayList<>(1);
		}
		this.lossActions.add(action);
	}

	private void removeLossAction(LossAction action) {
		if (this.lossActions != null) {
			this.lossActions.remove(action);
		}
	}

	/**
	 * One registration of an action, which may be registered several times.
	 */
	private final class LossAction implements Consumer<LossCause>, Registration {

		private final Consumer<LossCause> action;

		LossAction(Consumer<LossCause> action) {
			this.action = action;
		}

		@Override
		public void accept(LossCause cause) {
			this.action.accept(cause);
		}

		@Override
		public void close() {
			DefaultLease.this.lessor.locked(() -> removeLossAction(this));
		}

	}

}
