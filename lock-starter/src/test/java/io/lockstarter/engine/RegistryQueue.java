// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.engine.QueueOperations.FairLock;
import io.lockstarter.platform.Platform;

/**
 * One key of an engine that is alone at its store. Time stands still, except for the
 * thread that says that its wait is over. A grant counts from when it is decided; that
 * whoever waits is also told of it, outside the mutex, is asked for at the end.
 */
final class RegistryQueue implements FairLock {

	private static final int MAX_THREADS = 8;

	private static final String KEY = "key";

	private static final String REFUSED = "refused";

	private static final Duration WAIT = Duration.ofSeconds(1);

	/**
	 * So late that a wait is over, whether the store answered or not.
	 */
	private static final long LATE = Duration.ofHours(1).toNanos();

	private static final RegistrySettings SETTINGS = RegistrySettings.defaults()
		.withTtl(Duration.ofDays(1))
		.withWaitTime(WAIT)
		.withCommandTimeout(Duration.ofMillis(100))
		.withSlice(Duration.ofSeconds(5))
		.withShutdownGrace(Duration.ZERO);

	private static final LockOptions OPTIONS = LockOptions.defaults().withRenew(false);

	// Lincheck makes one of these for each interleaving.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<Boolean> late = ThreadLocal.withInitial(() -> false);

	private final AtomicLong lastToken = new AtomicLong();

	private final AtomicReferenceArray<@Nullable Request> requests = new AtomicReferenceArray<>(MAX_THREADS);

	private final Queue<Request> asked = new ConcurrentLinkedQueue<>();

	private final LonelyStore store;

	private final LockEngine engine;

	private RegistryQueue(boolean answersLater) {
		this.store = new LonelyStore(answersLater);
		Platform platform = new LatePlatform();
		this.engine = new LockEngine("app", new OwnerIdSequence(platform), this.store, SETTINGS, Timing.of(platform),
				List.of(), List.of(), Runnable::run);
		this.engine.open();
	}

	@Override
	public boolean request(int thread) {
		return !isInUse(thread) && ask(thread, OPTIONS) && !this.store.answersLater;
	}

	@Override
	public boolean tryOnce(int thread) {
		return !isInUse(thread) && ask(thread, OPTIONS.withWaitTime(Duration.ZERO));
	}

	@Override
	public boolean cancel(int thread) {
		Request request = this.requests.get(thread);
		if (request == null || !request.queue().giveUp(request.waiter)) {
			return false;
		}
		request.givenUp = true;
		this.requests.set(thread, null);
		return true;
	}

	@Override
	public boolean expire(int thread) {
		Request request = this.requests.get(thread);
		if (request == null || request.waiter.isDecided()) {
			return false;
		}
		this.late.set(true);
		request.queue().expire(request.waiter);
		this.late.set(false);
		if (request.waiter.lease() != null || isRefused(request.waiter)) {
			return false;
		}
		this.requests.set(thread, null);
		return true;
	}

	@Override
	public boolean release(int thread) {
		Request request = this.requests.get(thread);
		DefaultLease lease = (request != null) ? request.waiter.lease() : null;
		if (lease == null) {
			return false;
		}
		this.requests.set(thread, null);
		if (this.lastToken.getAndSet(lease.fencingToken()) >= lease.fencingToken()) {
			throw new AssertionError("tokens do not grow");
		}
		return lease.releaseAsync().join();
	}

	@Override
	public boolean answer(boolean granted) {
		return this.store.answer(granted);
	}

	@Override
	public void checkTold() {
		for (Request request : this.asked) {
			int expected = (request.waiter.isDecided() && !request.givenUp) ? 1 : 0;
			if (request.told.get() != expected) {
				throw new AssertionError("told %d times in place of %d".formatted(request.told.get(), expected));
			}
		}
	}

	private static boolean isRefused(Waiter waiter) {
		RuntimeException failure = waiter.failure();
		return failure != null && String.valueOf(failure.getMessage()).contains(REFUSED);
	}

	private boolean isInUse(int thread) {
		Request request = this.requests.get(thread);
		return request != null && (!request.waiter.isDecided() || request.waiter.lease() != null);
	}

	private boolean ask(int thread, LockOptions options) {
		Request request = new Request(Terms.of(options, SETTINGS, LockOptions.MAX_DURATION));
		this.asked.add(request);
		request.queue = this.engine.join(KEY, request.waiter);
		this.requests.set(thread, request);
		return request.waiter.lease() != null;
	}

	private static final class Request {

		private final AtomicInteger told = new AtomicInteger();

		private final Waiter waiter;

		private @Nullable LocalQueue queue;

		private volatile boolean givenUp;

		Request(Terms terms) {
			this.waiter = Waiter.calling(Waiter.Kind.WHOLE, KEY, terms, 0, (waiter) -> this.told.incrementAndGet());
		}

		LocalQueue queue() {
			return Objects.requireNonNull(this.queue);
		}

	}

	/**
	 * Time that does not pass, but is late for those threads that say so.
	 */
	private final class LatePlatform extends StillPlatform {

		@Override
		public long nanoTime() {
			return RegistryQueue.this.late.get() ? LATE : 0;
		}

	}

	/**
	 * A store with one contender, which must not ask for what it holds.
	 */
	private static final class LonelyStore extends UneventfulStore {

		private final boolean answersLater;

		private final AtomicReference<@Nullable String> owner = new AtomicReference<>();

		private final AtomicReference<@Nullable Runnable> granting = new AtomicReference<>();

		private final AtomicReference<@Nullable Runnable> refusing = new AtomicReference<>();

		private final AtomicLong lastToken = new AtomicLong();

		LonelyStore(boolean answersLater) {
			this.answersLater = answersLater;
		}

		@Override
		public CompletableFuture<AcquireReply> acquire(Acquire command) {
			CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
			if (this.answersLater) {
				this.refusing.set(() -> reply.completeExceptionally(new LockStoreException(REFUSED, false, null)));
				this.granting.set(() -> grant(command, reply));
			}
			else {
				grant(command, reply);
			}
			return reply;
		}

		boolean answer(boolean granted) {
			Runnable grant = this.granting.getAndSet(null);
			Runnable refusal = this.refusing.get();
			if (grant == null || refusal == null) {
				return false;
			}
			(granted ? grant : refusal).run();
			return true;
		}

		private void grant(Acquire command, CompletableFuture<AcquireReply> reply) {
			if (!this.owner.compareAndSet(null, command.ownerId()) && !command.ownerId().equals(this.owner.get())) {
				throw new AssertionError("acquired while held");
			}
			// A store that answers at once can be asked for each token without being
			// noticed.
			int tokens = this.answersLater ? command.tokens() : 1;
			long last = this.lastToken.addAndGet(tokens);
			reply.complete(new Acquired(last - tokens + 1, last, false));
		}

		@Override
		public CompletableFuture<Boolean> release(Release command) {
			return CompletableFuture.completedFuture(this.owner.compareAndSet(command.ownerId(), null));
		}

	}

	/**
	 * Over a store that answers at once.
	 */
	public static class AnsweredAtOnce extends QueueOperations.AnsweredAtOnce {

		/**
		 * Create a free lock.
		 */
		public AnsweredAtOnce() {
			super(new RegistryQueue(false));
		}

	}

	/**
	 * Over a store that answers when the test does.
	 */
	public static class AnsweredLater extends QueueOperations.AnsweredLater {

		/**
		 * Create a free lock.
		 */
		public AnsweredLater() {
			super(new RegistryQueue(true));
		}

	}

	/**
	 * With one who holds it and two who wait.
	 */
	public static class Prepared extends QueueOperations.Prepared {

		/**
		 * Create a lock that is held.
		 */
		public Prepared() {
			super(new RegistryQueue(false));
		}

	}

}
