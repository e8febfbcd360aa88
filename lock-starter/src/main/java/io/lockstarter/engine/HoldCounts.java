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
package io.lockstarter.engine;

import java.util.HashMap;
import java.util.Map;

import io.lockstarter.PrintableText;
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
	 * @throws io.lockstarter.LockLostException if it had, but lost the lease
	 */
	boolean reenter(String key) {
		Entry hold = this.holder.find(key);
		if (hold == null) {
			return false;
		}
		hold.lease.checkValid();
		hold.count++;
		return true;
	}

	void enter(String key, DefaultLease lease) {
		Entry other = this.holder.add(key, new Entry(lease));
		if (other != null) {
			lease.close();
			other.lease.checkValid();
			throw new IllegalStateException(
					"Lock '%s' was acquired by %s twice at the same time".formatted(key, this.holder));
		}
	}

	/**
	 * Count one hold less.
	 * @return the lease to release; {@code null} while holds are left
	 * @throws IllegalMonitorStateException if the holder does not hold the key
	 */
	@Nullable DefaultLease exit(String key) {
		Entry hold = require(key);
		if (--hold.count > 0) {
			return null;
		}
		this.holder.remove(key);
		return hold.lease;
	}

	DefaultLease lease(String key) {
		return require(key).lease;
	}

	int count(String key) {
		Entry hold = this.holder.find(key);
		return (hold != null) ? hold.count : 0;
	}

	IllegalMonitorStateException notHeld(String key) {
		return new IllegalMonitorStateException("Lock '%s' is not held by %s".formatted(key, this.holder));
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof HoldCounts counts && this.holder.equals(counts.holder);
	}

	@Override
	public int hashCode() {
		return this.holder.hashCode();
	}

	private Entry require(String key) {
		Entry hold = this.holder.find(key);
		if (hold == null) {
			throw notHeld(key);
		}
		return hold;
	}

	/**
	 * A hold of one key.
	 */
	static final class Entry {

		private final DefaultLease lease;

		private int count = 1;

		private Entry(DefaultLease lease) {
			this.lease = lease;
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
