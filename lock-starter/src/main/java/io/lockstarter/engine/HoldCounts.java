// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.lockstarter.LockLostException;
import io.lockstarter.LockMode;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the current thread, or of another holder, and how often it holds them. A
 * nested acquisition is counted here and nowhere else.
 */
final class HoldCounts {

	private final Holder holder;

	private HoldCounts(Holder holder) {
		this.holder = holder;
	}

	static HoldCounts ofCurrentThread() {
		return new HoldCounts(new CurrentThread());
	}

	/**
	 * Create the counts of a holder that is not bound to a thread.
	 * @param holds what all such holders of the registry hold
	 * @param id identifies the holder
	 */
	static HoldCounts of(Map<NamedHold, Entry> holds, Object id) {
		return new HoldCounts(new NamedHolder(holds, id));
	}

	/**
	 * Count one more hold if the holder has the key already.
	 * @return whether it has
	 * @throws LockLostException if it had, but lost the lease
	 * @throws IllegalStateException if it shares the key, and wants it alone now
	 */
	boolean reenter(String key, LockMode mode) {
		Entry hold = this.holder.find(key);
		if (hold == null) {
			return false;
		}
		if (isUpgrade(key, mode)) {
			throw new IllegalStateException("""
					Lock '%s' is shared by %s, which cannot have it alone before it releases it: two that wait for \
					this would wait for each other. Acquire the lock exclusively from the beginning, or release the \
					shared one first""".formatted(key, this.holder));
		}
		hold.add(mode, 1);
		return true;
	}

	/**
	 * Return whether the holder shares the key, and wants it alone: it cannot have it
	 * however long it waits.
	 * @throws LockLostException if it had the key, but lost the lease
	 */
	boolean isUpgrade(String key, LockMode mode) {
		Entry hold = this.holder.find(key);
		if (hold != null) {
			requireNotLost(key, hold);
		}
		return hold != null && mode == LockMode.EXCLUSIVE && hold.exclusive == 0;
	}

	private void requireNotLost(String key, Entry hold) {
		try {
			hold.lease.checkValid();
		}
		catch (LockLostException ex) {
			throw new LockLostException(key, ex.fencingToken(), ex.lossCause(),
					"%s had it then, and can lock it again when it has unlocked it as often as it locked it"
						.formatted(this.holder));
		}
	}

	void enter(String key, DefaultLease lease, LockMode mode) {
		Entry other = this.holder.add(key, new Entry(lease, mode));
		if (other != null) {
			lease.close();
			other.lease.checkValid();
			throw new IllegalStateException(
					"Lock '%s' was acquired by %s twice at the same time".formatted(key, this.holder));
		}
	}

	/**
	 * Count one hold less. If only shared ones are left of a lease, the key is shared
	 * from now on.
	 * @return the lease to release; {@code null} while holds are left
	 * @throws IllegalMonitorStateException if the holder does not hold the key so
	 */
	@Nullable DefaultLease exit(String key, LockMode mode) {
		Entry hold = require(key, mode);
		hold.add(mode, -1);
		if (hold.exclusive + hold.shared == 0) {
			this.holder.remove(key);
			return hold.lease;
		}
		if (mode == LockMode.EXCLUSIVE && hold.exclusive == 0) {
			hold.lease.share();
		}
		return null;
	}

	/**
	 * Note that several keys, each of which is counted already, are held together: who
	 * releases them so may find that one of them was released alone.
	 */
	void enterTogether(List<String> keys) {
		entries(keys).forEach((hold) -> hold.enterWith(keys));
	}

	void exitTogether(List<String> keys) {
		entries(keys).filter((hold) -> !hold.together.isEmpty()).forEach((hold) -> hold.together.remove(keys));
	}

	boolean areHeldTogether(List<String> keys) {
		return entries(keys).anyMatch((hold) -> hold.together.contains(keys));
	}

	private Stream<Entry> entries(List<String> keys) {
		return keys.stream().map(this.holder::find).filter(Objects::nonNull);
	}

	DefaultLease lease(String key, LockMode mode) {
		return require(key, mode).lease;
	}

	int count(String key, LockMode mode) {
		Entry hold = this.holder.find(key);
		return (hold != null) ? hold.count(mode) : 0;
	}

	IllegalMonitorStateException notHeld(String key) {
		return new IllegalMonitorStateException(
				"""
						Lock '%s' is not held by %s. Only whoever locked it can unlock it, as often as that was; a Lease, which \
						LockRegistry.acquire returns, can be closed by any thread"""
					.formatted(key, this.holder));
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof HoldCounts counts && this.holder.equals(counts.holder);
	}

	@Override
	public int hashCode() {
		return this.holder.hashCode();
	}

	private Entry require(String key, LockMode mode) {
		Entry hold = this.holder.find(key);
		if (hold == null || hold.count(mode) == 0) {
			throw notHeld(key);
		}
		return hold;
	}

	/**
	 * A hold of one key.
	 */
	static final class Entry {

		private final DefaultLease lease;

		private int exclusive;

		private int shared;

		// along with which keys, for each such hold
		private List<List<String>> together = List.of();

		private Entry(DefaultLease lease, LockMode mode) {
			this.lease = lease;
			add(mode, 1);
		}

		private void add(LockMode mode, int holds) {
			if (mode == LockMode.SHARED) {
				this.shared += holds;
			}
			else {
				this.exclusive += holds;
			}
		}

		private void enterWith(List<String> keys) {
			if (this.together.isEmpty()) {
				this.together = new ArrayList<>(1);
			}
			this.together.add(keys);
		}

		private int count(LockMode mode) {
			return (mode == LockMode.SHARED) ? this.shared : this.exclusive;
		}

	}

	/**
	 * Whose locks are counted.
	 */
	private interface Holder {

		@Nullable Entry find(String key);

		/**
		 * Add a hold, unless there is one of the key.
		 * @return the one that there is
		 */
		@Nullable Entry add(String key, Entry hold);

		void remove(String key);

	}

	private static final class CurrentThread implements Holder {

		// one per registry, as two registries do not share their locks
		@SuppressWarnings("ThreadLocalUsage")
		private final ThreadLocal<@Nullable Map<String, Entry>> holds = new ThreadLocal<>();

		@Override
		public @Nullable Entry find(String key) {
			Map<String, Entry> held = this.holds.get();
			return (held != null) ? held.get(key) : null;
		}

		@Override
		public @Nullable Entry add(String key, Entry hold) {
			Map<String, Entry> held = this.holds.get();
			if (held == null) {
				held = new HashMap<>();
				this.holds.set(held);
			}
			hold.lease.bind();
			return held.putIfAbsent(key, hold);
		}

		@Override
		public void remove(String key) {
			Map<String, Entry> held = this.holds.get();
			if (held != null) {
				held.remove(key);
				if (held.isEmpty()) {
					this.holds.remove();
				}
			}
		}

		@Override
		public String toString() {
			return "thread '%s'".formatted(PrintableText.of(Thread.currentThread().getName()));
		}

	}

	/**
	 * A holder that is known by its id, on whatever thread.
	 *
	 * @param holds what all holders of the registry hold
	 * @param id identifies the holder
	 */
	private record NamedHolder(Map<NamedHold, Entry> holds, Object id) implements Holder {

		@Override
		public @Nullable Entry find(String key) {
			return this.holds.get(new NamedHold(this.id, key));
		}

		@Override
		public @Nullable Entry add(String key, Entry hold) {
			return this.holds.putIfAbsent(new NamedHold(this.id, key), hold);
		}

		@Override
		public void remove(String key) {
			this.holds.remove(new NamedHold(this.id, key));
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof NamedHolder holder && this.holds == holder.holds && this.id.equals(holder.id);
		}

		@Override
		public int hashCode() {
			return this.id.hashCode();
		}

		@Override
		public String toString() {
			return "holder '%s'".formatted(PrintableText.of(this.id.toString()));
		}

	}

	/**
	 * What a holder holds.
	 *
	 * @param holder identifies the holder
	 * @param key the key
	 */
	record NamedHold(Object holder, String key) {
	}

}
