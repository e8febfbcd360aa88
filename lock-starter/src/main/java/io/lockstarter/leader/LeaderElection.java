// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockedTask;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Election of the leader of a role. While it runs, this instance is a candidate: it waits
 * for the lease of the key {@code leader:} and the role, and leads for as long as that is
 * held. When it leads no more, it is a candidate again a second later.
 * <p>
 * A bean of this type starts and stops with its context. Leadership that ends in order,
 * by {@link #stop} or {@link #yieldLeadership}, is released when listeners were notified
 * and the critical sections of the leader have ended, so that no two of them overlap.
 * Leadership that is lost is over at the deadline of the lease: what the leader still
 * does then, only a resource that checks fencing tokens refuses. Thread-safe.
 *
 * @since 0.1
 */
public final class LeaderElection implements SmartLifecycle {

	/**
	 * What the key of each role begins with.
	 */
	public static final String KEY_PREFIX = "leader:";

	/**
	 * The phase of elections: they start after web servers and schedulers, and stop
	 * before them, which leaves other instances the longest time.
	 */
	static final int PHASE = Integer.MAX_VALUE - 512;

	static final Duration PAUSE = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(LeaderElection.class);

	private final LimitedLog failed = new LimitedLog(logger::warn, "more attempts to become leader failed");

	private final LimitedLog failedListeners = new LimitedLog(logger::error, "more times a leadership listener failed");

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	private final String role;

	private final Supplier<? extends LockRegistry> registry;

	private final LockOptions options;

	private final Executor callbacks;

	private final Executor pause;

	private volatile boolean running;

	private @Nullable CompletableFuture<Lease> attempt;

	private volatile @Nullable Term term;

	private CompletableFuture<?> released = CompletableFuture.completedFuture(null);

	/**
	 * Create an election.
	 * @param callbacks runs callbacks, one after the other
	 * @param pause runs a task after the pause before the next attempt
	 */
	LeaderElection(Supplier<? extends LockRegistry> registry, String role, LockOptions options, Executor callbacks,
			Executor pause) {
		this.role = role;
		this.registry = registry;
		this.options = optionsOf(role, options);
		this.callbacks = callbacks;
		this.pause = pause;
	}

	/**
	 * Create the election of a role with the default options.
	 * @param registry the registry that has the lease
	 * @param role what the leader does, the same in all instances
	 * @return the election, to be started
	 */
	public static LeaderElection of(LockRegistry registry, String role) {
		return of(registry, role, LockOptions.defaults());
	}

	/**
	 * Create the election of a role.
	 * @param registry the registry that has the lease
	 * @param role what the leader does, the same in all instances
	 * @param options the ttl, which is how long nobody leads after the leader died, and
	 * what else the lease is to have. It is waited for without a limit and, unless the
	 * options have a maximum hold, renewed without one
	 * @return the election, to be started
	 * @throws IllegalArgumentException if the role is blank or cannot be printed, or if
	 * the lease is not to be renewed
	 */
	public static LeaderElection of(LockRegistry registry, String role, LockOptions options) {
		return of(() -> registry, role, options);
	}

	static LeaderElection of(Supplier<? extends LockRegistry> registry, String role, LockOptions options) {
		// On the thread of the timer: to stand blocks nobody, and needs no other thread.
		return new LeaderElection(registry, role, options, CallbackThread.named("leader-" + role),
				CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));
	}

	private static LockOptions optionsOf(String role, LockOptions options) {
		if (role == null || role.isBlank()) {
			throw new IllegalArgumentException("The role must not be blank: say what the leader does, as in 'reports'");
		}
		if (!options.renew()) {
			throw new IllegalArgumentException(
					"Leadership of '%s' is renewed while its leader lives: leave renew at true".formatted(role));
		}
		boolean named = !options.name().equals(LockOptions.DEFAULT_NAME);
		return options.withName(named ? options.name() : KEY_PREFIX + role)
			.withWaitTime(LockOptions.UNLIMITED)
			.withRetention(Duration.ZERO)
			.withMaxHold((options.maxHold() != null) ? options.maxHold() : LockOptions.UNLIMITED);
	}

	/**
	 * Return what the leader does.
	 * @return the role
	 */
	public String role() {
		return this.role;
	}

	/**
	 * Return whether this instance leads. Does no I/O.
	 * @return whether it does, up to the deadline of its lease
	 */
	public boolean isLeader() {
		return lease().isPresent();
	}

	/**
	 * Return the lease by which this instance leads, with its fencing token. Does no I/O.
	 * @return the lease; empty if this instance does not lead
	 */
	public Optional<LeaseInfo> lease() {
		Term current = this.term;
		return (current != null) ? Optional.<LeaseInfo>of(current.lease()).filter(LeaseInfo::isValid)
				: Optional.empty();
	}

	/**
	 * Add a listener. It is notified of what happens from now on.
	 * @param listener the listener
	 */
	public void addListener(LeadershipListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Run a task if this instance leads. Before the task has ended, the role is not
	 * released.
	 * @param task what to run; it may check its lease and see its fencing token
	 * @param <X> what the task may throw
	 * @return whether it ran
	 * @throws X if the task does
	 */
	public <X extends Throwable> boolean runIfLeader(LockedTask<X> task) throws X {
		Lease section = tryEnter().orElse(null);
		if (section == null) {
			return false;
		}
		try (section) {
			var unused = LockScope.of(List.of(section)).<Boolean, X>call((scope) -> {
				task.run(scope);
				return true;
			});
		}
		return true;
	}

	/**
	 * Begin a critical section of the leader, for what does not end where it begins.
	 * @return the lease of the leader, which any thread closes to end the section, and
	 * which the section must close; empty if this instance does not lead
	 */
	public Optional<Lease> tryEnter() {
		Term current = this.term;
		return Optional.ofNullable((current != null) ? current.enter() : null);
	}

	/**
	 * Give the leadership up, if this instance leads, so that another one gets it, if
	 * there is one. Returns at once.
	 */
	public void yieldLeadership() {
		end(this.term, RevocationCause.YIELDED);
	}

	@Override
	public void start() {
		synchronized (this) {
			this.running = true;
		}
		stand();
	}

	/**
	 * Stop being a candidate, and release the leadership. Returns at once;
	 * {@link #stop(Runnable)} tells when it is released.
	 */
	@Override
	public void stop() {
		var unused = end();
	}

	@Override
	public void stop(Runnable callback) {
		var unused = end().whenComplete((none, failure) -> callback.run());
	}

	/**
	 * Stop, and return what completes when leadership is released.
	 */
	CompletableFuture<?> end() {
		CompletableFuture<Lease> given;
		Term current;
		synchronized (this) {
			this.running = false;
			given = this.attempt;
			this.attempt = null;
			current = this.term;
		}
		if (given != null) {
			given.cancel(false);
		}
		end(current, RevocationCause.STOPPED);
		synchronized (this) {
			return this.released;
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Stand as a candidate, unless this instance does, leads, or still has to release
	 * what it led before.
	 */
	private synchronized void stand() {
		if (!this.running || this.attempt != null || this.term != null || !this.released.isDone()) {
			return;
		}
		CompletableFuture<Lease> begun;
		try {
			begun = this.registry.get().acquireAsync(KEY_PREFIX + this.role, this.options);
		}
		catch (RuntimeException ex) {
			begun = CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Lease> current = begun;
		this.attempt = current;
		var unused = current.whenComplete((lease, failure) -> answered(current, lease, failure));
	}

	private void answered(CompletableFuture<Lease> answered, @Nullable Lease lease, @Nullable Throwable failure) {
		synchronized (this) {
			if (this.attempt == answered) {
				this.attempt = null;
				if (lease != null) {
					lead(lease);
					return;
				}
				this.failed.write(this.role, () -> "Leadership of '%s' cannot be acquired, and is tried again: %s"
					.formatted(this.role, (failure != null) ? failure.getMessage() : null));
				this.pause.execute(this::stand);
				return;
			}
		}
		if (lease != null) {
			var unused = lease.closeAsync();
		}
	}

	private void lead(Lease lease) {
		Term begun = new Term(lease);
		this.term = begun;
		logger.info("This instance leads '%s' (fencing token %d)".formatted(this.role, lease.fencingToken()));
		var unused = tell((listener) -> listener.onGranted(this.role, lease));
		lease.onLost((cause) -> end(begun, RevocationCause.of(cause)));
	}

	private void end(@Nullable Term over, RevocationCause cause) {
		if (over == null) {
			return;
		}
		CompletableFuture<Void> end = new CompletableFuture<>();
		CompletableFuture<Void> told;
		synchronized (this) {
			if (this.term != over) {
				return;
			}
			this.term = null;
			this.released = end;
			told = tell((listener) -> listener.onRevoked(this.role, over.lease(), cause));
		}
		logger.info("This instance leads '%s' no more (%s)".formatted(this.role, cause));
		CompletableFuture<Void> idle = over.end();
		var unused = told.thenCompose((none) -> cause.isLoss() ? CompletableFuture.completedFuture(null) : idle)
			.thenCompose((none) -> over.lease().closeAsync())
			.whenComplete((none, failure) -> {
				end.complete(null);
				this.pause.execute(this::stand);
			});
	}

	/**
	 * Notify the listeners, in the order of the calls of this method.
	 * @return completes normally when they were called, or cannot be
	 */
	private CompletableFuture<Void> tell(Consumer<LeadershipListener> event) {
		try {
			return CompletableFuture.runAsync(() -> this.listeners.forEach((listener) -> tell(listener, event)),
					this.callbacks);
		}
		catch (RuntimeException | Error ex) {
			// such as no thread for it: leadership ends all the same
			failed(ex);
			return CompletableFuture.completedFuture(null);
		}
	}

	private void tell(LeadershipListener listener, Consumer<LeadershipListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private void failed(Throwable failure) {
		this.failedListeners.write(this.role, () -> "A leadership listener of '%s' failed".formatted(this.role),
				failure);
	}

	@Override
	public String toString() {
		return "LeaderElection[role=%s, leader=%s]".formatted(this.role, isLeader());
	}

}
