// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockedTask;
import io.lockstarter.text.PrintableText;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
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

	/**
	 * After how long at most this goes on when an event that was to tell it so failed, as
	 * the JVM had no thread or no memory left.
	 */
	static final Duration LOOK = Duration.ofSeconds(5);

	// so that its key is a name as well, such as metrics have
	private static final int MAX_ROLE = 255 - KEY_PREFIX.length();

	private static final int SHOWN = 40;

	private static final Log logger = LogFactory.getLog(LeaderElection.class);

	private final LimitedLog failed = LimitedLog.warnings(logger, "more attempts to become leader failed");

	private final Queue<CompletableFuture<Void>> released = new ConcurrentLinkedQueue<>();

	private final String role;

	private final LeadershipNews news;

	private final Supplier<? extends LockRegistry> registry;

	private final LockOptions options;

	private final Timer timer;

	private final Platform platform;

	private CompletableFuture<@Nullable Void> changed = new CompletableFuture<>();

	private volatile boolean running;

	private @Nullable Runnable looks;

	private boolean lookAgain;

	private long standAt;

	private @Nullable CompletableFuture<Lease> attempt;

	private volatile @Nullable Term term;

	private @Nullable Term ending;

	/**
	 * Create an election.
	 * @param timer has the thread that calls the listeners, and does all that nobody else
	 * does
	 * @param platform lets threads wait
	 */
	LeaderElection(Supplier<? extends LockRegistry> registry, String role, LockOptions options, Timer timer,
			Platform platform) {
		this.role = role;
		this.news = new LeadershipNews(role, logger);
		this.registry = registry;
		this.options = optionsOf(role, options);
		this.timer = timer;
		this.platform = platform;
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
	 * @throws IllegalArgumentException if the role is blank, too long or cannot be
	 * printed, or if the lease is not to be renewed
	 */
	public static LeaderElection of(LockRegistry registry, String role, LockOptions options) {
		return of(() -> registry, role, options, Platform.system());
	}

	static LeaderElection of(Supplier<? extends LockRegistry> registry, String role, LockOptions options,
			Platform platform) {
		return new LeaderElection(registry, role, options, platform.timer("leader-" + role), platform);
	}

	static void checkRole(@Nullable String role) {
		if (role == null || role.isBlank()) {
			throw new IllegalArgumentException("The role must not be blank: say what the leader does, as in 'reports'");
		}
		if (role.length() > MAX_ROLE) {
			throw new IllegalArgumentException("The role '%s' is too long: %d characters, at most %d"
				.formatted(PrintableText.beginningOf(role, SHOWN), role.length(), MAX_ROLE));
		}
		if (!PrintableText.isPrintable(role)) {
			throw new IllegalArgumentException("""
					The role '%s' must be text without control characters, line separators, unpaired surrogates and \
					characters that change the direction of text""".formatted(PrintableText.of(role)));
		}
	}

	private static LockOptions optionsOf(String role, LockOptions options) {
		checkRole(role);
		if (!options.renew()) {
			throw new IllegalArgumentException(
					"Leadership of '%s' is renewed while its leader lives: leave renew at true".formatted(role));
		}
		boolean named = !options.name().equals(LockOptions.DEFAULT_NAME);
		return options.withName(named ? options.name() : KEY_PREFIX + role)
			.withWaitTime(LockOptions.UNLIMITED)
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
	 * Wait until this instance leads. That may be over when this returns: what the leader
	 * does belongs into {@link #runIfLeader} or {@link #tryEnter}.
	 * @param limit how long to wait at most; zero or less asks once
	 * @return whether this instance leads; {@code false} if it does not when the time is
	 * over, if the election is not started, or is stopped meanwhile
	 * @throws InterruptedException if interrupted on entry or while waiting; the election
	 * goes on
	 */
	public boolean awaitLeadership(Duration limit) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException("Interrupted before the leadership of '" + this.role + "' was awaited");
		}
		long begun = this.platform.nanoTime();
		long most = TimeUnit.NANOSECONDS.convert(limit);
		while (true) {
			// before the look, so that no change is missed
			CompletableFuture<?> change = changeIfRunning();
			long left = most - (this.platform.nanoTime() - begun);
			if (isLeader() || change == null || left <= 0 || !this.platform.await(change, left)) {
				return isLeader();
			}
		}
	}

	/**
	 * Return what completes when this instance leads next, or the election stops.
	 */
	private synchronized @Nullable CompletableFuture<?> changeIfRunning() {
		return this.running ? this.changed : null;
	}

	/**
	 * Wake those who wait for leadership. Called with the monitor, after what changed.
	 */
	private void wakeUp() {
		this.changed.complete(null);
		this.changed = new CompletableFuture<>();
	}

	/**
	 * Add a listener. It is notified of what happens from now on, and at first that this
	 * instance leads, if it does.
	 * @param listener the listener
	 */
	public void addListener(LeadershipListener listener) {
		synchronized (this) {
			if (this.looks == null && this.news.isDelivered()) {
				this.news.add(listener);
				return;
			}
			Term current = this.term;
			this.news.addNext(listener, (current != null) ? current.lease() : null);
		}
		runSoon();
	}

	/**
	 * Remove a listener.
	 * @param listener a listener that was added
	 */
	public void removeListener(LeadershipListener listener) {
		this.news.remove(listener);
		runSoon();
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
			if (this.looks == null) {
				this.looks = startTimer();
			}
			this.running = true;
			this.standAt = this.timer.nanoTime();
		}
		look();
	}

	private Runnable startTimer() {
		try {
			this.timer.start();
			return this.timer.repeat(this::runAndLook, LOOK.toNanos());
		}
		catch (RuntimeException | Error ex) {
			this.timer.endWhenIdle();
			throw ex;
		}
	}

	/**
	 * Stop being a candidate, and release the leadership. Returns at once;
	 * {@link #stop(Runnable)} tells when it is released.
	 */
	@Override
	public void stop() {
		var unused = end(false);
	}

	/**
	 * Stop being a candidate, and release the leadership. A critical section of the
	 * leader that calls this, as it closes the application, is not waited for: it would
	 * wait for itself.
	 * @param callback called when it is released
	 */
	@Override
	public void stop(Runnable callback) {
		var unused = end(true).whenComplete((none, failure) -> callback.run());
	}

	/**
	 * Stop, and return what completes when leadership is released.
	 * @param awaited whether the calling thread waits for that
	 */
	CompletableFuture<?> end(boolean awaited) {
		CompletableFuture<Lease> given;
		Term last;
		synchronized (this) {
			this.running = false;
			wakeUp();
			given = this.attempt;
			last = (this.term != null) ? this.term : this.ending;
			if (awaited && last != null) {
				last.excuseOwnSections();
			}
		}
		if (given != null) {
			given.cancel(false);
		}
		look();
		return (last != null) ? last.released() : CompletableFuture.completedFuture(null);
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
	 * Do what is due. What that is follows from the state alone, so an event that goes
	 * missing only delays it: whatever happens, this is called again in a while.
	 */
	private void look() {
		if (Thread.holdsLock(this)) {
			this.lookAgain = true;
			return;
		}
		try {
			synchronized (this) {
				do {
					this.lookAgain = false;
					settle();
					revoke();
					release();
					stand();
					rest();
				}
				while (this.lookAgain);
			}
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
		}
		for (var next = this.released.poll(); next != null; next = this.released.poll()) {
			next.complete(null);
		}
	}

	/**
	 * Act on the answer to an attempt.
	 */
	private void settle() {
		CompletableFuture<Lease> answered = this.attempt;
		if (answered == null || !answered.isDone()) {
			return;
		}
		Lease lease = null;
		Throwable failure = null;
		try {
			lease = answered.join();
		}
		catch (CancellationException ex) {
			failure = ex;
		}
		catch (CompletionException ex) {
			failure = ex.getCause();
		}
		if (lease != null && this.running) {
			lead(lease);
			return;
		}
		if (lease != null) {
			var unused = lease.closeAsync();
		}
		this.attempt = null;
		if (this.running) {
			pause();
			failed(failure);
		}
	}

	private void lead(Lease lease) {
		Term begun = new Term(lease, this::look);
		this.news.granted(lease);
		this.term = begun;
		this.attempt = null;
		wakeUp();
		runSoon();
		logger.info("This instance leads '%s' (fencing token %d)".formatted(this.role, lease.fencingToken()));
		lease.onLost((cause) -> end(begun, RevocationCause.of(cause)));
	}

	/**
	 * End a leadership that is lost, or not wanted any more.
	 */
	private void revoke() {
		Term current = this.term;
		if (current != null && !current.lease().isValid()) {
			end(current, lossOf(current.lease()));
		}
		else if (!this.running) {
			end(current, RevocationCause.STOPPED);
		}
	}

	private static RevocationCause lossOf(Lease lease) {
		try {
			lease.checkValid();
		}
		catch (LockLostException ex) {
			return RevocationCause.of(ex.lossCause());
		}
		catch (IllegalStateException ex) {
			// somebody closed it
		}
		return RevocationCause.EXPIRED;
	}

	private void end(@Nullable Term over, RevocationCause wanted) {
		if (over == null) {
			return;
		}
		// Whoever gives up what is lost, as after a pause, does not end it in order.
		RevocationCause cause = (wanted.isLoss() || over.lease().isValid()) ? wanted : lossOf(over.lease());
		synchronized (this) {
			if (this.term != over) {
				return;
			}
			this.news.revoked(over.lease(), cause, over::notified);
			over.end(cause);
			this.term = null;
			this.ending = over;
		}
		runSoon();
		logger.info("This instance leads '%s' no more (%s)".formatted(this.role, cause));
		look();
	}

	/**
	 * Release a leadership that has ended, when that may be.
	 */
	private void release() {
		Term over = this.ending;
		if (over != null && over.release()) {
			this.released.add(over.released());
			this.ending = null;
			pause();
		}
	}

	/**
	 * Stand as a candidate, unless this instance does, leads, or still has to release
	 * what it led before.
	 */
	private void stand() {
		if (!this.running || this.attempt != null || this.term != null || this.ending != null
				|| this.timer.nanoTime() - this.standAt < 0) {
			return;
		}
		CompletableFuture<Lease> begun;
		try {
			begun = Objects.requireNonNull(this.registry.get().acquireAsync(KEY_PREFIX + this.role, this.options),
					"the registry returned null, as a mock does");
		}
		catch (RuntimeException | Error ex) {
			begun = CompletableFuture.failedFuture(ex);
		}
		this.attempt = begun;
		var unused = begun.whenComplete((lease, failure) -> look());
	}

	private void pause() {
		this.standAt = this.timer.nanoTime() + PAUSE.toNanos();
		runAfter(PAUSE);
	}

	/**
	 * Keep no thread when nothing is left to do.
	 */
	private void rest() {
		Runnable end = this.looks;
		if (end != null && !this.running && this.attempt == null && this.term == null && this.ending == null
				&& this.news.isDelivered()) {
			end.run();
			this.timer.endWhenIdle();
			this.looks = null;
		}
	}

	private void runSoon() {
		runAfter(Duration.ZERO);
	}

	private void runAfter(Duration delay) {
		try {
			this.timer.schedule(this::runAndLook, delay.toNanos());
		}
		catch (RuntimeException | Error ex) {
			// such as no memory for it: done at one of the looks that come in any case
		}
	}

	private void runAndLook() {
		this.news.deliver();
		look();
	}

	private void failed(@Nullable Throwable failure) {
		write(this.failed, this.role, () -> "Leadership of '%s' cannot be acquired, and is tried again: %s"
			.formatted(this.role, (failure != null) ? failure.getMessage() : null), null);
	}

	static void write(LimitedLog log, String role, Supplier<String> message, @Nullable Throwable cause) {
		try {
			log.write(role, message, cause);
		}
		catch (RuntimeException | Error ex) {
			// such as no memory for the message
		}
	}

	@Override
	public String toString() {
		return "LeaderElection[role=%s, leader=%s]".formatted(this.role, isLeader());
	}

}
