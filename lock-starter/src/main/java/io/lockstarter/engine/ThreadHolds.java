package io.lockstarter.engine;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Which locks the current thread holds, and how often. A nested acquisition is counted
 * here and nowhere else.
 */
final class ThreadHolds {

	// one per registry, as two registries do not share their locks
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, ThreadHold>> holds = new ThreadLocal<>();

	/**
	 * Count one more hold if the current thread has the key already.
	 * @return whether it has
	 * @throws io.lockstarter.LockLostException if it had, but lost the lease
	 */
	boolean reenter(String key) {
		ThreadHold hold = find(key);
		if (hold == null) {
			return false;
		}
		hold.lease.checkValid();
		hold.count++;
		return true;
	}

	void enter(String key, DefaultLease lease) {
		Map<String, ThreadHold> held = this.holds.get();
		if (held == null) {
			held = new HashMap<>();
			this.holds.set(held);
		}
		held.put(key, new ThreadHold(lease));
	}

	/**
	 * Count one hold less.
	 * @return the lease to release; {@code null} while holds are left
	 * @throws IllegalMonitorStateException if the current thread does not hold the key
	 */
	@Nullable DefaultLease exit(String key) {
		ThreadHold hold = require(key);
		if (--hold.count > 0) {
			return null;
		}
		Map<String, ThreadHold> held = this.holds.get();
		if (held != null) {
			held.remove(key);
			if (held.isEmpty()) {
				this.holds.remove();
			}
		}
		return hold.lease;
	}

	DefaultLease lease(String key) {
		return require(key).lease;
	}

	int count(String key) {
		ThreadHold hold = find(key);
		return (hold != null) ? hold.count : 0;
	}

	private ThreadHold require(String key) {
		ThreadHold hold = find(key);
		if (hold == null) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by thread '%s'".formatted(key, Thread.currentThread().getName()));
		}
		return hold;
	}

	private @Nullable ThreadHold find(String key) {
		Map<String, ThreadHold> held = this.holds.get();
		return (held != null) ? held.get(key) : null;
	}

	private static final class ThreadHold {

		private final DefaultLease lease;

		private int count = 1;

		ThreadHold(DefaultLease lease) {
			this.lease = lease;
		}

	}

}
