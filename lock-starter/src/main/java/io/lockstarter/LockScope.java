// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Access to the leases under which a protected section runs: those of the innermost
 * annotated method or {@link LockRegistry#call call} on the current thread.
 *
 * <pre>{@code
 * LockScope scope = LockScope.current();
 * store.write(stock, scope.fencingToken());
 * scope.checkValid();
 * }</pre>
 *
 * A scope is bound to a thread only while a section runs on it; the object itself may be
 * handed to other threads, and used there as long as the section lasts.
 *
 * @since 0.1
 */
public final class LockScope {

	private static final ThreadLocal<@Nullable Entry> CURRENT = new ThreadLocal<>();

	private final List<Lease> leases;

	private LockScope(List<Lease> leases) {
		this.leases = leases;
	}

	/**
	 * Return a scope of leases that the caller holds, to {@link #call run} something
	 * under it.
	 * @param leases the leases, one at least
	 * @return the scope
	 */
	public static LockScope of(List<? extends Lease> leases) {
		if (leases.isEmpty()) {
			throw new IllegalArgumentException("A lock scope needs a lease");
		}
		return new LockScope(List.copyOf(leases));
	}

	/**
	 * Return the innermost scope that the current thread runs under.
	 * @return the scope
	 * @throws IllegalStateException if it runs under none
	 */
	public static LockScope current() {
		return find().orElseThrow(() -> new IllegalStateException("Thread '" + Thread.currentThread().getName()
				+ "' does not run under a lock: LockScope.current() is for annotated methods and LockRegistry.call"));
	}

	/**
	 * Return the innermost scope that the current thread runs under, if any.
	 * @return the scope, or empty
	 */
	public static Optional<LockScope> find() {
		Entry entry = CURRENT.get();
		return (entry != null) ? Optional.of(entry.scope) : Optional.empty();
	}

	/**
	 * Check every lease that the current thread runs under, also those of outer scopes.
	 * Does no I/O, and nothing if there is none.
	 * @throws LockLostException if one of them was lost
	 */
	public static void checkAll() {
		for (Entry entry = CURRENT.get(); entry != null; entry = entry.outer) {
			entry.scope.checkValid();
		}
	}

	/**
	 * Return whether the current thread runs under a lease, perhaps that of an outer
	 * scope.
	 * @param lease the lease
	 * @return whether one of its scopes has the lease
	 */
	public static boolean covers(Lease lease) {
		for (Entry entry = CURRENT.get(); entry != null; entry = entry.outer) {
			if (entry.scope.leases.stream().anyMatch((held) -> held == lease)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return the leases, one for each key.
	 * @return the leases, in the order of their keys
	 */
	public List<Lease> leases() {
		return this.leases;
	}

	/**
	 * Return the lease of a key.
	 * @param key the key
	 * @return the lease
	 * @throws IllegalArgumentException if this scope has no such key
	 */
	public Lease lease(String key) {
		return this.leases.stream()
			.filter((lease) -> lease.key().equals(key))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"No lock '%s' here, but %s".formatted(key, this.leases.stream().map(Lease::key).toList())));
	}

	/**
	 * Return the fencing token of the only lease.
	 * @return the token
	 * @throws IllegalStateException if there are several leases, each with its own token
	 */
	public long fencingToken() {
		if (this.leases.size() > 1) {
			throw new IllegalStateException("Several keys are locked here, each with its own fencing token: "
					+ "use lease(key).fencingToken()");
		}
		return this.leases.get(0).fencingToken();
	}

	/**
	 * Return whether all leases are held. Does no I/O.
	 * @return whether none was lost or closed
	 */
	public boolean isValid() {
		return this.leases.stream().allMatch(Lease::isValid);
	}

	/**
	 * Return how long all leases are held at least, if they are not renewed any more.
	 * Does no I/O.
	 * @return the time up to the earliest deadline; zero once a lease is closed or lost
	 */
	public Duration remaining() {
		return this.leases.stream().map(Lease::remaining).reduce((a, b) -> (a.compareTo(b) <= 0) ? a : b).orElseThrow();
	}

	/**
	 * Check that all leases are held, for example right before a side effect. Does no
	 * I/O.
	 * @throws LockLostException if a lease was lost
	 * @throws IllegalStateException if a lease was closed
	 */
	public void checkValid() {
		this.leases.forEach(Lease::checkValid);
	}

	/**
	 * Run an action with this as the current scope, on whatever thread calls. The leases
	 * are neither acquired nor released by this.
	 * @param action what to run
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action
	 * @throws X if the action does
	 */
	public <T extends @Nullable Object, X extends Throwable> T call(LockedAction<T, X> action) throws X {
		Entry outer = CURRENT.get();
		CURRENT.set(new Entry(this, outer));
		try {
			return action.run(this);
		}
		finally {
			restore(outer);
		}
	}

	/**
	 * Make this the current scope of the calling thread. For what goes on in pieces, such
	 * as a coroutine that is resumed on another thread; {@link #call} is simpler where it
	 * does.
	 * @return ends it; to be closed on the same thread
	 */
	public Binding bind() {
		Entry outer = CURRENT.get();
		CURRENT.set(new Entry(this, outer));
		return () -> restore(outer);
	}

	private static void restore(@Nullable Entry outer) {
		if (outer != null) {
			CURRENT.set(outer);
		}
		else {
			CURRENT.remove();
		}
	}

	@Override
	public String toString() {
		return "LockScope" + this.leases;
	}

	/**
	 * The time during which a scope is that of a thread.
	 */
	@FunctionalInterface
	public interface Binding extends AutoCloseable {

		/**
		 * Make the scope current again that was before.
		 */
		@Override
		void close();

	}

	private record Entry(LockScope scope, @Nullable Entry outer) {

	}

}
