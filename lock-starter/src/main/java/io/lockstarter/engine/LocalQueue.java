// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which all acquirers of one key in this JVM meet, first in, first out, so
 * that the JVM is a single {@link Contender} at the store. When a lease is released its
 * ownership is passed to the next waiter without a round trip, or the key is released at
 * the store. The queue lives from the first acquirer to the last release and is then
 * retired. How it works is explained in {@code package-info.java}.
 */
final class LocalQueue implements Lessor {

	private static final Log logger = LogFactory.getLog(LocalQueue.class);

	private static final CompletableFuture<Boolean> HELD = CompletableFuture.completedFuture(true);

	private final ReentrantLock mutex = new ReentrantLock();

	private final String key;

	private final Services services;

	private final QueueHost host;

	private final WaiterList waiters = new WaiterList();

	private final Contender contender;

	private final CurrentLeases current;

	/**
	 * What the store has for this instance and nobody here uses, up to the end of the
	 * transition: then settle decides what becomes of it.
	 */
	private @Nullable Ownership spare;

	/**
	 * Whether it was acquired just now, and not used before.
	 */
	private boolean fresh;

	/**
	 * Whether the lease that ended last was held up to now.
	 */
	private CompletableFuture<Boolean> outcome = HELD;

	private boolean retired;

	private boolean closed;

	/**
	 * Whether there may be waiters whose wait time is over, but not their wait limit.
	 */
	private boolean overdue;

	LocalQueue(String key, Services services, QueueHost host) {
		this.key = key;
		this.services = services;
		this.host = host;
		this.contender = new Contender(key, services, host);
		this.current = new CurrentLeases(this, services, host);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public long now() {
		return this.services.now();
	}

	/**
	 * Return the leases that are out, those of one ownership after each other. May be
	 * called without the mutex.
	 */
	Collection<DefaultLease> leases() {
		return this.current.leases();
	}

	@Override
	public void locked(Runnable transition) {
		this.mutex.lock();
		try {
			transition.run();
		}
		finally {
			unlock();
		}
	}

	private <T extends @Nullable Object> T transition(Supplier<T> transition) {
		this.mutex.lock();
		try {
			return transition.get();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Unlock. The outermost transition is completed first, and whoever was decided is
	 * told last: what they do then must not delay others, nor take a second mutex.
	 * Whatever fails, all of them are told.
	 */
	private void unlock() {
		Throwable failure = null;
		Waiter told = null;
		try {
			if (this.mutex.getHoldCount() == 1) {
				settle();
			}
		}
		catch (RuntimeException | Error ex) {
			failure = ex;
		}
		finally {
			told = (this.mutex.getHoldCount() == 1) ? this.waiters.takeDecided() : null;
			this.mutex.unlock();
		}
		while (told != null) {
			Waiter next = told.next;
			told.next = null;
			try {
				told.tell();
			}
			catch (RuntimeException | Error ex) {
				failure = Failures.of(failure, ex);
			}
			told = next;
		}
		Failures.throwIfAny(failure);
	}

	/**
	 * Do what follows from the state. If that cannot be done, as the JVM has no memory
	 * for it, nobody waits for it any more: the next one who comes tries again.
	 */
	private void settle() {
		try {
			next();
		}
		catch (RuntimeException | Error ex) {
			failAll(this.services.store().failure(this.key, ex));
			next();
		}
	}

	/**
	 * A store that answers at once changes the state meanwhile.
	 */
	private void next() {
		while (!this.retired && !isLeasedAlone() && !this.contender.isAsking()) {
			Waiter head = this.waiters.first();
			Ownership ownership = this.spare;
			if (ownership != null) {
				this.spare = null;
				use(ownership, head);
			}
			else if (head == null) {
				boolean used = !this.current.isEmpty();
				try {
					this.contender.leave();
				}
				finally {
					if (!used) {
						this.retired = true;
						this.host.retired(this);
					}
				}
				if (used) {
					return;
				}
			}
			else if (this.contender.isWaitingFor(head.terms())) {
				return;
			}
			else {
				ask(head, null, false);
			}
		}
	}

	/**
	 * Decide what becomes of what nobody here uses. The head is granted a lease of it. If
	 * that needs more than is left, it is acquired again first, by the same owner id. It
	 * is released if nobody waits, or if others come first; and if the head asks for
	 * another ttl, or a lease was extended, as a renewal under way could set the old ttl
	 * again: then the head is asked for right behind that.
	 */
	private void use(Ownership ownership, @Nullable Waiter head) {
		boolean yields = !this.fresh && this.current.mustYield();
		try {
			if (head == null || yields || !ownership.fits(head.terms())) {
				this.outcome = releaseKey(ownership, head != null && yields && !ownership.isToBeShared());
			}
			else if (this.fresh ? ownership.isGood(now()) : covers(ownership, head)) {
				ownership.handedOn();
				grantTo(head, ownership, !this.fresh);
				timeOutOverdueIfAny();
				if (!this.waiters.isEmpty()) {
					this.host.listen();
				}
			}
			else {
				ownership.handedOn();
				ask(head, ownership, false);
			}
		}
		catch (RuntimeException | Error ex) {
			giveBackUnused(ownership.ownerId(), ownership.longestTtl());
			throw ex;
		}
	}

	private void decided(Waiter waiter) {
		// First of all, or nobody is told if a monitor finds no memory.
		this.waiters.decided(waiter);
		this.services.news().decided(waiter);
	}

	/**
	 * Add an acquirer at the end.
	 * @return whether this queue took care of it; if not, it is retired or closed, and
	 * another must be asked for
	 */
	boolean join(Waiter waiter) {
		try {
			return transition(() -> {
				boolean open = !this.retired && !this.closed;
				if (open) {
					enter(waiter);
				}
				return open;
			});
		}
		catch (RuntimeException | Error ex) {
			var unused = giveUp(waiter);
			throw ex;
		}
	}

	/**
	 * Claim the key, if it is idle, for an acquirer that tries several at once.
	 * @return the command; {@code null} if the key is busy, or if nobody knows as the
	 * store fails, or has not answered one who gave up, which the waiter is told; or if
	 * this queue is retired or closed
	 */
	@Nullable AcquireAttempt claim(Waiter waiter) {
		return transition(() -> {
			if (this.retired || this.closed) {
				return null;
			}
			if (isIdle()) {
				AcquireAttempt attempt = this.contender.claim(waiter.terms());
				this.waiters.add(waiter);
				return attempt;
			}
			LockStoreException failure = this.contender.failure();
			if (failure != null) {
				waiter.fail(failure);
			}
			else if (this.current.isEmpty() && this.contender.isAsking() && this.waiters.isEmpty()) {
				waiter.fail(this.services.store().noAnswer(this.key, now() - waiter.since()));
			}
			else {
				waiter.busy(busyKey(waiter));
			}
			return null;
		});
	}

	/**
	 * Act on the answer to an attempt. If that fails, so does the attempt.
	 */
	void answered(AcquireAttempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		this.mutex.lock();
		try {
			act(attempt, this.contender.answered(attempt, reply, failure));
		}
		catch (RuntimeException | Error ex) {
			this.contender.cancel(attempt);
			try {
				giveBackUnused(attempt.command().ownerId(), attempt.command().ttl());
			}
			finally {
				failAll(this.services.store().failure(this.key, ex));
			}
			throw ex;
		}
		finally {
			unlock();
		}
	}

	private void act(AcquireAttempt attempt, Contender.@Nullable Answer answer) {
		Ownership passedOn = attempt.passedOn();
		if (answer instanceof Contender.Granted granted) {
			granted(granted);
		}
		else if (answer instanceof Contender.Late late) {
			late(late);
		}
		else if (answer instanceof Contender.Busy busy) {
			if (passedOn != null) {
				this.current.gone(passedOn, attempt.sentAt());
			}
			busy(busy);
		}
		else if (answer instanceof Contender.Failed failed) {
			if (passedOn != null) {
				var unused = this.current.unconfirmed(passedOn, failed.failure());
			}
			failed(failed);
		}
	}

	/**
	 * Release what an owner id may have at the store, after something failed half-way,
	 * unless it is used here all the same.
	 */
	private void giveBackUnused(String ownerId, Duration ttl) {
		boolean used = this.contender.isAskingBy(ownerId)
				|| leases().stream().anyMatch((lease) -> lease.ownerId().equals(ownerId));
		if (!used) {
			this.services.store().orphans().release(this.key, ownerId, ttl, true);
		}
	}

	/**
	 * Cancel a claim: the store was not asked, or did not look at this key. Others who
	 * have come meanwhile are asked for.
	 */
	void cancel(AcquireAttempt attempt, Waiter waiter) {
		locked(() -> {
			var unused = giveUp(waiter);
			this.contender.cancel(attempt);
		});
	}

	/**
	 * Forget a waiter, as its acquirer gives up.
	 * @return whether nothing was decided before
	 */
	boolean giveUp(Waiter waiter) {
		return transition(() -> {
			boolean undecided = this.waiters.remove(waiter);
			if (undecided) {
				waiter.gaveUp();
			}
			return undecided;
		});
	}

	/**
	 * Fail all who wait, and let nobody join any more.
	 */
	void close(RuntimeException failure) {
		locked(() -> {
			this.closed = true;
			failAll(failure);
		});
	}

	/**
	 * End the wait of an acquirer if its time is over.
	 * @return when to ask again; {@link Ticker#NEVER} if the waiter is completed
	 */
	long expire(Waiter waiter) {
		return transition(() -> {
			if (!waiter.linked) {
				return Ticker.NEVER;
			}
			long now = now();
			long until = until(waiter, now);
			if (now < until) {
				this.overdue |= now >= waiter.waitUntil();
				return until;
			}
			timeOut(waiter, now);
			return Ticker.NEVER;
		});
	}

	/**
	 * Release a lease: pass its ownership on, release the key at the store, or keep it
	 * there.
	 * @param used whether a holder had the lease, so that its minimum hold counts
	 * @return whether the lease was held up to now, as far as known when it completes
	 */
	@Override
	public CompletableFuture<Boolean> release(DefaultLease lease, boolean used) {
		this.mutex.lock();
		try {
			if (!this.current.release(lease)) {
				return CompletableFuture.completedFuture(false);
			}
			if (lease.ownership().isShared()) {
				return lease.ownership().isLeased() ? HELD : releaseShared(lease);
			}
			long rest = lease.ownership().isToBeShared() ? 0 : lease.restOfMinHold(now());
			if (used && rest > 0) {
				return keepForMinHold(lease, Duration.ofNanos(rest));
			}
			this.outcome = HELD;
			this.spare = lease.ownership();
			this.fresh = false;
			next();
			return this.outcome;
		}
		catch (RuntimeException | Error ex) {
			this.current.end(lease);
			if (!lease.ownership().isKeptForMinHold()) {
				giveBackUnused(lease.ownerId(), lease.ownership().longestTtl());
			}
			throw ex;
		}
		finally {
			unlock();
		}
	}

	/**
	 * Release a key at the store, where others may share it still. Whoever waits here is
	 * asked for right behind that, if nobody here shares it any more.
	 */
	private CompletableFuture<Boolean> releaseShared(DefaultLease lease) {
		CompletableFuture<Boolean> outcome = releaseKey(lease.ownership(), false);
		if (this.current.isEmpty()) {
			this.contender.wakeUp();
		}
		return outcome;
	}

	@Override
	public Duration maxTtl() {
		return this.services.store().maxTtl();
	}

	@Override
	public Executor callbacks() {
		return this.services.timing().callbacks();
	}

	/**
	 * Lose the leases that are out whose deadline has passed.
	 * @return the deadline to look at next
	 */
	@Override
	public long checkDeadline() {
		if (now() >= firstDeadline()) {
			locked(this::loseIfOverdue);
		}
		return firstDeadline();
	}

	/**
	 * Whoever waits for a key that was shared here was told for how long it stays, which
	 * may be less by now, and nobody else says that it has run out.
	 */
	private void loseIfOverdue() {
		boolean shared = this.current.isShared();
		this.current.loseIfOverdue();
		if (shared && this.current.isEmpty()) {
			this.contender.wakeUp();
		}
	}

	private long firstDeadline() {
		long first = Ticker.NEVER;
		for (DefaultLease lease : leases()) {
			first = Math.min(first, lease.ownership().deadline());
		}
		return first;
	}

	@Override
	public long renewed(Ownership ownership, long sentAt, Duration ttl, boolean held) {
		return transition(() -> {
			return this.current.renewed(ownership, sentAt, ttl, held);
		});
	}

	@Override
	public CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl) {
		boolean held = transition(() -> this.current.extend(lease, ttl));
		return held ? this.host.extend(lease, ttl) : CompletableFuture.completedFuture(false);
	}

	/**
	 * Share the key from now on. As long as that is not confirmed nobody joins the lease,
	 * which is as good as before: whatever comes of it, the store has the owner id.
	 */
	@Override
	public CompletableFuture<Boolean> share(DefaultLease lease) {
		return transition(() -> {
			if (!lease.isActive() || lease.ownership().isShared()) {
				return CompletableFuture.completedFuture(lease.isActive());
			}
			lease.endMinHold(now());
			lease.ownership().shareSoon();
			// Nobody is to wait for longer than up to the end of one that is not renewed.
			Duration least = lease.isRenewed(now()) ? lease.ttl() : Duration.ofMillis(1);
			return this.services.store()
				.share(new Renew(this.key, lease.ownerId(), least))
				.handle((held, failure) -> shared(lease, held));
		});
	}

	private boolean shared(DefaultLease lease, @Nullable Boolean held) {
		locked(() -> {
			if (held != null) {
				this.current.shared(lease, held);
			}
		});
		return Boolean.TRUE.equals(held);
	}

	@Override
	public void onLost(DefaultLease lease, Consumer<LossCause> action) {
		locked(() -> this.current.onLost(lease, action));
	}

	/**
	 * Ask for the key, which is reserved for this instance.
	 * @return whether somebody here has a use for it
	 */
	boolean reserved() {
		return transition(() -> {
			this.contender.wakeUp();
			return !this.retired && (isLeasedAlone() || !this.waiters.isEmpty() || this.contender.isAsking());
		});
	}

	/**
	 * Use the key, which a release elsewhere granted to this instance.
	 * @param toldBefore whether that may have been told before, so that its owner id may
	 * have been released
	 * @return whether somebody here uses it, or is about to; if not, it is to be released
	 */
	boolean granted(String ownerId, Acquired grant, boolean toldBefore) {
		return transition(() -> {
			if (this.retired) {
				return false;
			}
			DefaultLease lease = this.current.first();
			if ((lease != null && lease.ownerId().equals(ownerId)) || this.contender.isAskingBy(ownerId)) {
				return true;
			}
			this.contender.told(grant.firstToken());
			boolean gone = this.contender.isOld(grant, toldBefore) || this.services.forcedOwners().contains(ownerId);
			Waiter head = this.waiters.first();
			if (gone || head == null || isLeasedAlone()) {
				this.contender.wakeUp();
				return false;
			}
			Ownership ownership = this.contender.granted(ownerId, grant, head.terms());
			if (ownership != null) {
				granted(new Contender.Granted(ownership, grant.contended()));
				this.host.confirm(this.key, ownership);
			}
			return true;
		});
	}

	void contended() {
		locked(() -> {
			if (!this.current.isEmpty() || this.contender.isAsking()) {
				this.current.yieldWithinSlice();
			}
		});
	}

	/**
	 * Lose the key, which was taken from an owner id by force, or ask for it if nobody
	 * here held it any more.
	 */
	void forced(String ownerId) {
		locked(() -> {
			if (!this.current.forced(ownerId)) {
				this.contender.wakeUp();
			}
		});
	}

	/**
	 * Call an action for each acquirer that waits here, and is not seen elsewhere.
	 */
	void forEachWaiter(Consumer<Waiter> action) {
		this.mutex.lock();
		try {
			for (Waiter waiter = this.waiters.first(); waiter != null; waiter = waiter.next) {
				if (waiter.kind() != Waiter.Kind.OTHER_PART) {
					action.accept(waiter);
				}
			}
		}
		finally {
			this.mutex.unlock();
		}
	}

	int waiterCount() {
		int[] count = { 0 };
		forEachWaiter((waiter) -> count[0]++);
		return count[0];
	}

	/**
	 * Ask now: signals are received from now on, a release was not confirmed, or the
	 * store was reached over a new connection, and the place in the queue of the store
	 * may be gone.
	 */
	void wakeUp() {
		locked(() -> {
			this.current.askNext();
			this.contender.wakeUp();
		});
	}

	/**
	 * Poll more often, as no signals are received any more.
	 */
	void signalsLost() {
		locked(() -> {
			if (this.contender.isWaiting() && this.contender.failure() == null) {
				poll(this.contender.awaitSignal(null));
			}
		});
	}

	// What came of an attempt

	private void granted(Contender.Granted granted) {
		Ownership ownership = granted.ownership();
		if (granted.contended()) {
			this.current.yieldWithinSlice();
		}
		if (!ownership.isShared()) {
			this.spare = ownership;
			this.fresh = true;
			return;
		}
		if (!granted.contended()) {
			this.current.uncontended(ownership.askedAt());
		}
		letIn(ownership);
		if (!ownership.isLeased()) {
			var unused = releaseKey(ownership, false);
		}
	}

	/**
	 * Grant a lease to all who wait to share the key, wherever they stand: those who want
	 * it alone come next.
	 */
	private void letIn(Ownership ownership) {
		Waiter next;
		for (Waiter waiter = this.waiters.first(); waiter != null; waiter = next) {
			next = waiter.next;
			if (ownership.fits(waiter.terms()) && ownership.isGood(now())
					&& (!ownership.isLeased() || ownership.admits(waiter.terms(), now()))) {
				grantShared(ownership, waiter);
			}
		}
		timeOutOverdueIfAny();
	}

	private void grantShared(Ownership ownership, Waiter waiter) {
		grantTo(waiter, ownership, ownership.isLeased());
	}

	/**
	 * Grant a lease to a waiter, which leaves the queue with that.
	 */
	private void grantTo(Waiter waiter, Ownership ownership, boolean handedOn) {
		this.waiters.remove(waiter);
		try {
			this.current.grant(ownership, waiter, handedOn);
		}
		catch (RuntimeException | Error ex) {
			// Who has a lease already is to release it.
			if (!waiter.isDecided()) {
				waiter.fail(this.services.store().failure(this.key, ex));
			}
			throw ex;
		}
		finally {
			decided(waiter);
		}
	}

	/**
	 * Ask again for what was granted, as the answer came after its deadline. Twice in a
	 * row would mean that the ttl is too short for this store.
	 */
	private void late(Contender.Late late) {
		Waiter head = this.waiters.first();
		if (head != null && !late.attempt().again() && hasTimeFor(head, late.ownership())) {
			ask(head, late.ownership(), true);
		}
		else {
			failed(this.contender.tooLate(late.attempt()));
		}
	}

	private boolean hasTimeFor(Waiter head, Ownership late) {
		long now = now();
		return late.fits(head.terms()) && now < this.services.waitLimit().until(head, Ticker.NEVER, now);
	}

	/**
	 * Answer those who cannot wait, and wait with the others, unless it is to be asked
	 * again at once: a signal came meanwhile, or could not be sent.
	 */
	private void busy(Contender.Busy busy) {
		this.current.forgetContention();
		if (!busyForHeads(this.contender.last().shared())) {
			return;
		}
		this.host.listen();
		if (!this.contender.mustAskAgain() && (busy.queued() || !this.host.isListening())) {
			poll(this.contender.awaitSignal(busy.remaining()));
		}
	}

	/**
	 * Answer those at the head who cannot wait.
	 * @param shared whether the key was asked for to be shared: if it was not, it may be
	 * busy only for those who want it alone
	 * @return whether somebody waits on
	 */
	private boolean busyForHeads(boolean shared) {
		long now = now();
		for (Waiter head = this.waiters.first(); head != null; head = this.waiters.first()) {
			if (head.terms().shared() && !shared) {
				return false;
			}
			head.answered(this.contender.last());
			if (now < head.waitUntil()) {
				timeOutOverdueIfAny();
				return !this.waiters.isEmpty();
			}
			head.busy(busyKey(head));
			take(head);
		}
		return false;
	}

	/**
	 * Answer those who can wait no longer, and wait with the others, unless a signal came
	 * meanwhile. A failure for good is told to all who wait, as each on its own would
	 * only wait for the same failure.
	 */
	private void failed(Contender.Failed failed) {
		this.current.forgetContention();
		if (!failed.failure().isTransient()) {
			failAll(failed.failure());
		}
		long once = timeOutOverdue();
		if (!this.contender.mustAskAgain() && !this.waiters.isEmpty()) {
			poll(this.contender.awaitRecovery(once));
		}
	}

	/**
	 * Act after a delay. Whoever waits can be woken, and whoever called goes on, even if
	 * that cannot be scheduled.
	 */
	private void poll(long delay) {
		try {
			this.contender.timer(this.services.timing().watchdog().schedule(() -> locked(this::polled), delay));
		}
		catch (RuntimeException | Error ex) {
			logger.error("The store cannot be polled for now: waiting for a lock is left to signals", ex);
		}
	}

	private void polled() {
		if (this.contender.isWaiting()) {
			if (this.contender.failure() != null) {
				timeOutOverdue();
			}
			this.contender.wakeUp();
		}
	}

	/**
	 * End the wait of all whose wait limit has passed.
	 * @return the earliest wait limit of those that try once; {@link Ticker#NEVER} if
	 * none does
	 */
	private long timeOutOverdue() {
		long now = now();
		long once = Ticker.NEVER;
		Waiter next;
		for (Waiter waiter = this.waiters.first(); waiter != null; waiter = next) {
			next = waiter.next;
			long until = until(waiter, now);
			if (until <= now) {
				timeOut(waiter, now);
			}
			else if (waiter.terms().triesOnce()) {
				once = Math.min(once, until);
			}
		}
		return once;
	}

	private boolean isIdle() {
		return this.current.isEmpty() && !this.contender.isAsking() && !this.contender.isWaiting();
	}

	/**
	 * Add a waiter. Whoever cannot wait is told at once that the key is busy if it is:
	 * somebody has it, here or elsewhere. While the store fails nobody knows, nor while
	 * it is asked: then he hears of that answer.
	 */
	private void enter(Waiter waiter) {
		Ownership shared = this.waiters.isEmpty() ? this.current.sharedWith(waiter.terms()) : null;
		if (shared != null) {
			grantShared(shared, waiter);
			return;
		}
		boolean failing = this.contender.failure() != null;
		if (isBusyFor(waiter) && !failing && now() >= waiter.waitUntil()) {
			waiter.busy(busyKey(waiter));
			decided(waiter);
			return;
		}
		this.overdue |= failing || now() >= waiter.waitUntil();
		this.waiters.add(waiter);
		this.host.waiting(waiter);
		if (!this.current.isEmpty()) {
			this.host.listen();
		}
		else if (this.contender.isWaiting() && !failing) {
			waiter.answered(this.contender.last());
		}
	}

	/**
	 * Return whether it is known that a key cannot be had: whoever shares it may have it
	 * beside others who do, here or elsewhere, unless one waits who wants it alone.
	 */
	private boolean isBusyFor(Waiter waiter) {
		if (!waiter.terms().shared()) {
			return !this.current.isEmpty() || this.contender.isWaiting();
		}
		return this.contender.isWaiting() || isLeasedAlone()
				|| (this.current.isShared() && this.waiters.hasExclusive());
	}

	private boolean isLeasedAlone() {
		return !this.current.isEmpty() && !this.current.isShared();
	}

	private void ask(Waiter head, @Nullable Ownership prolonged, boolean again) {
		boolean mayWait = this.waiters.hasTime(now());
		if (this.current.takeBehind()) {
			this.contender.standBehind();
		}
		AcquireAttempt attempt = this.contender.ask(head.terms(), mayWait, prolonged, again);
		try {
			Completions.on(this.services.store().acquire(attempt.command()),
					(reply, failure) -> answered(attempt, reply, failure));
		}
		catch (RuntimeException | Error ex) {
			answered(attempt, null, ex);
		}
	}

	private boolean covers(Ownership ownership, Waiter waiter) {
		long now = now();
		return ownership.covers(waiter.terms(), now) && !this.current.isToBeAsked(ownership, now);
	}

	private long until(Waiter waiter, long now) {
		long waitUntil = waiter.waitUntil();
		return (now < waitUntil || isAnswered(waiter)) ? waitUntil
				: this.services.waitLimit().until(waiter, this.contender.askedAt(), now);
	}

	private boolean isAnswered(Waiter waiter) {
		LastAnswer last = this.contender.last();
		boolean failing = this.contender.failure() != null;
		if (waiter.terms().shared() && !isLeasedAlone()) {
			// What another one here was answered says nothing of him, unless it was the
			// same question.
			boolean asked = this.current.isEmpty() || this.waiters.hasExclusive() || last.shared();
			return waiter.isAnswered() || (this.contender.isWaiting() && !failing)
					|| (asked && last.wasBusy(waiter.since()));
		}
		return waiter.isAnswered() || !this.current.isEmpty() || last.wasBusy(waiter.since())
				|| (!this.contender.isAsking() && !failing);
	}

	/**
	 * End a wait. What the store said last counts, except that a key that it called busy
	 * counts as busy although it failed since: its holder may still be there, and a
	 * caller that goes on without its lock if the store fails must not run beside it.
	 */
	private void timeOut(Waiter waiter, long now) {
		LockStoreException failure = this.contender.failure();
		if (isAnswered(waiter)) {
			waiter.busy(busyKey(waiter));
		}
		else if (failure != null) {
			waiter.fail(failure);
		}
		else {
			waiter.fail(this.services.store().noAnswer(this.key, now - waiter.since()));
		}
		take(waiter);
	}

	private void failAll(RuntimeException failure) {
		for (Waiter waiter = this.waiters.poll(); waiter != null; waiter = this.waiters.poll()) {
			waiter.fail(failure);
			decided(waiter);
		}
	}

	private void timeOutOverdueIfAny() {
		if (this.overdue) {
			this.overdue = false;
			timeOutOverdue();
		}
	}

	private void take(Waiter waiter) {
		this.waiters.remove(waiter);
		decided(waiter);
	}

	/**
	 * Release the key at the store.
	 * @param requeue whether to let other instances have it first
	 * @return whether the lease that ended last was held up to now
	 */
	private CompletableFuture<Boolean> releaseKey(Ownership ownership, boolean requeue) {
		Waiter head = requeue ? this.waiters.first() : null;
		Queueing queueing = (head != null) ? this.contender.queueing(head.terms()) : Queueing.NONE;
		if (head != null) {
			poll(this.contender.awaitTurn(ownership));
		}
		long askedAt = now();
		return this.current.releaseKey(ownership, queueing, this.contender.tokens(queueing))
			.handle((held, failure) -> keyReleased(ownership, askedAt, held, failure));
	}

	private boolean keyReleased(Ownership ownership, long askedAt, @Nullable Boolean held,
			@Nullable Throwable failure) {
		if (Boolean.TRUE.equals(held)) {
			return true;
		}
		try {
			wakeUp();
		}
		finally {
			this.current.notReleased(ownership, askedAt, failure);
		}
		return false;
	}

	/**
	 * Nobody has the key for the rest of the minimum hold, and nobody signals its end:
	 * who waits elsewhere is told now to ask for it.
	 */
	private CompletableFuture<Boolean> keepForMinHold(DefaultLease lease, Duration rest) {
		CompletableFuture<Boolean> outcome = this.current.keepForMinHold(lease, rest);
		if (!this.waiters.isEmpty()) {
			poll(this.contender.awaitSignal(rest));
		}
		return outcome;
	}

	/**
	 * Say what is known of the key, without asking the store: of a holder elsewhere, for
	 * how long it was seen. Called under the mutex.
	 */
	BusyKey busyKey(Waiter waiter) {
		int others = this.waiters.size() - (waiter.linked ? 1 : 0);
		DefaultLease lease = this.current.first();
		if (lease != null) {
			return new BusyKey(lease.ownerId(), lease, lease.since(), false, others);
		}
		boolean kept = waiter.terms().minHoldNanos() > 0;
		LastAnswer last = this.contender.last();
		return new BusyKey(last.holder(), null, last.since(), kept, others);
	}

}
