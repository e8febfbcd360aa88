// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.lockstarter.platform.Ticker;

/**
 * Decides which keys an instance may retain: those that it acquires again within their
 * retention. So a key that is used once costs nothing, and one that keeps coming to its
 * instance is retained from its second use on. Each reuse is a credit, and each recall
 * takes one: it costs about one more command and two signals, and a reuse spares two
 * commands. A key without credit that is recalled is not retained for a pause, which
 * doubles if that happens again soon after. Thread-safe.
 * <p>
 * A pause after a revocation, and a least time between two, are what caches of locks use
 * against thrashing: etcd's leasing client waits 2 s, too.
 */
final class RetentionPolicy {

	/**
	 * How many keys are retained at once. Others are released as ever. As many that are
	 * not retained are remembered, and as many that were reused or recalled.
	 */
	static final int MOST = 10_000;

	static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(2);

	static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(64);

	/**
	 * So that recalls which come early by chance change nothing, but a key that goes
	 * elsewhere from now on is noticed soon.
	 */
	static final int MOST_CREDIT = 8;

	private static final long SWEEP = TimeUnit.MILLISECONDS.toNanos(100);

	private final AtomicInteger retained = new AtomicInteger();

	// up to when the next use of a key shows that it keeps coming
	private final Map<String, Long> uses = new ConcurrentHashMap<>();

	private final AtomicLong sweptAt = new AtomicLong(Ticker.NEVER);

	private final Map<String, Recalls> recalls = new ConcurrentHashMap<>();

	/**
	 * Return whether to retain a key that is released, which counts from now on if so. If
	 * not, the next acquisition shows whether that would have saved it a round trip.
	 * @param until up to when it would be retained
	 */
	boolean begin(String key, Ownership released, long until, long now) {
		Recalls known = this.recalls.get(key);
		if ((known == null || now >= known.pausedUntil) && isUsedAgain(key, released)) {
			if (this.retained.incrementAndGet() <= MOST) {
				this.uses.remove(key);
				return true;
			}
			this.retained.decrementAndGet();
		}
		used(key, until, now);
		return false;
	}

	private boolean isUsedAgain(String key, Ownership released) {
		return released.isUsedAgain() || released.askedAt() < this.uses.getOrDefault(key, Long.MIN_VALUE);
	}

	private void used(String key, long until, long now) {
		if (this.uses.size() >= MOST && isTimeToSweep(now)) {
			this.uses.values().removeIf((over) -> now >= over);
		}
		if (this.uses.size() < MOST || this.uses.containsKey(key)) {
			this.uses.put(key, until);
		}
	}

	private boolean isTimeToSweep(long now) {
		long last = this.sweptAt.get();
		return (last == Ticker.NEVER || now - last >= SWEEP) && this.sweptAt.compareAndSet(last, now);
	}

	/**
	 * A key is not retained any more.
	 */
	void end() {
		this.retained.decrementAndGet();
	}

	/**
	 * Return how many keys are retained.
	 */
	int count() {
		return this.retained.get();
	}

	/**
	 * A key is released at once, as another instance waits for it already.
	 * @param reuses how many acquisitions needed no command
	 * @param until up to when it would be retained
	 */
	void notRetained(String key, int reuses, long until, long now) {
		ended(key, reuses, now);
		used(key, until, now);
	}

	/**
	 * A key is given back that nobody else is known to want.
	 * @param reuses how many acquisitions needed no command
	 */
	void ended(String key, int reuses, long now) {
		if (reuses > 0) {
			change(key, now, (known) -> known.paidFor(reuses, now));
		}
	}

	/**
	 * A key is given back as another instance wants it.
	 * @param reuses how many acquisitions needed no command
	 * @param until up to when it would be retained
	 */
	void recalled(String key, int reuses, long until, long now) {
		change(key, now, (known) -> known.paidFor(reuses, now).recalled(now));
		used(key, until, now);
	}

	private void change(String key, long now, UnaryOperator<Recalls> change) {
		if (this.recalls.size() >= MOST) {
			this.recalls.values().removeIf((known) -> known.isForgotten(now));
			if (this.recalls.size() > MOST / 2) {
				this.recalls.clear();
			}
		}
		this.recalls.compute(key,
				(same, known) -> change.apply((known == null || known.isForgotten(now)) ? Recalls.none(now) : known));
	}

	/**
	 * What is remembered of a key that was reused or recalled.
	 *
	 * @param credit how many more recalls are paid for
	 * @param pause how long the last pause was
	 * @param pausedUntil when that was over
	 * @param changedAt when it was given back last
	 */
	private record Recalls(int credit, long pause, long pausedUntil, long changedAt) {

		static Recalls none(long now) {
			return new Recalls(0, 0, now, now);
		}

		Recalls paidFor(int reuses, long now) {
			return new Recalls(Math.min(this.credit + reuses, MOST_CREDIT), this.pause, this.pausedUntil, now);
		}

		Recalls recalled(long now) {
			if (this.credit > 0) {
				return new Recalls(this.credit - 1, this.pause, this.pausedUntil, now);
			}
			boolean soon = now < this.pausedUntil + this.pause;
			long next = soon ? Math.min(2 * this.pause, LONGEST_PAUSE) : FIRST_PAUSE;
			return new Recalls(0, next, now + next, now);
		}

		boolean isForgotten(long now) {
			return now >= this.pausedUntil + this.pause && now >= this.changedAt + LONGEST_PAUSE;
		}

	}

}
