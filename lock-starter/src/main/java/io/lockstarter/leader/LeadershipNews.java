// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.lockstarter.LeaseInfo;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * What the listeners of an election are told, in the order in which it happens, on the
 * thread that delivers it. Thread-safe.
 */
final class LeadershipNews {

	private final String role;

	private final LimitedLog failed;

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	private final Queue<Runnable> undelivered = new ConcurrentLinkedQueue<>();

	LeadershipNews(String role, Log logger) {
		this.role = role;
		this.failed = LimitedLog.errors(logger, "more times a leadership listener failed");
	}

	/**
	 * Add a listener at once, while nothing is told.
	 */
	void add(LeadershipListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Add a listener behind what the others are still to be told, of which it hears
	 * nothing.
	 * @param leading the lease of the leader, of which it is told first; {@code null} if
	 * this instance does not lead
	 */
	void addNext(LeadershipListener listener, @Nullable LeaseInfo leading) {
		this.undelivered.add(() -> {
			this.listeners.add(listener);
			if (leading != null) {
				tell(listener, (added) -> added.onGranted(this.role, leading));
			}
		});
	}

	void remove(LeadershipListener listener) {
		this.undelivered.add(() -> this.listeners.remove(listener));
		this.listeners.remove(listener);
	}

	void granted(LeaseInfo lease) {
		this.undelivered.add(() -> tell((listener) -> listener.onGranted(this.role, lease)));
	}

	/**
	 * Tell of the end of a leadership.
	 * @param told called when all were told
	 */
	void revoked(LeaseInfo lease, RevocationCause cause, Runnable told) {
		this.undelivered.add(() -> {
			try {
				tell((listener) -> listener.onRevoked(this.role, lease, cause));
			}
			finally {
				told.run();
			}
		});
	}

	boolean isDelivered() {
		return this.undelivered.isEmpty();
	}

	void deliver() {
		for (Runnable next = this.undelivered.poll(); next != null; next = this.undelivered.poll()) {
			next.run();
		}
	}

	private void tell(Consumer<LeadershipListener> event) {
		this.listeners.forEach((listener) -> tell(listener, event));
	}

	private void tell(LeadershipListener listener, Consumer<LeadershipListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			LeaderElection.write(this.failed, this.role,
					() -> "A leadership listener of '%s' failed".formatted(this.role), ex);
		}
	}

}
