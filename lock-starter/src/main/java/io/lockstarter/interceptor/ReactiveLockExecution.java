// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.interceptor.async.Leases;
import io.lockstarter.interceptor.async.PublisherMethod;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.interceptor.transaction.ReactiveTransactions;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * {@link LockExecution} of methods whose result is a publisher. Each subscription is a
 * call of its own: it acquires the leases, invokes the method, and holds the leases until
 * the publisher that the method returned has completed, failed or was cancelled. Loaded
 * only if Reactor is there.
 */
final class ReactiveLockExecution extends AsyncLockExecution {

	private final ReactiveTransactions transactions = ReactiveTransactions.ofClassPath();

	private final PublisherMethod method;

	ReactiveLockExecution(Support support, AnnotatedMethod subject) {
		super(support);
		this.method = PublisherMethod.of(subject);
	}

	@Override
	public Object run(LockSpec spec, LockCall call) {
		return this.method.restore(Flux.defer(() -> new Subscription(spec, call).run()));
	}

	/**
	 * One subscription to the result of a method that returns a publisher.
	 * <p>
	 * The call itself is the resource that the subscription uses and cleans up, rather
	 * than its leases: a resource that arrives at the moment of a cancellation would be
	 * dropped. Here it ends up in {@link #acquired}, which either is cancelled before, or
	 * has the leases that are to be released.
	 */
	private final class Subscription {

		private final CompletableFuture<List<Lease>> acquired = new CompletableFuture<>();

		// Whether it is settled who releases the leases: the end of this call, or that of
		// the
		// transaction around it.
		private final AtomicBoolean settled = new AtomicBoolean();

		private final LockSpec spec;

		private final LockCall call;

		private volatile Supplier<CompletableFuture<?>> over = () -> CompletableFuture.completedFuture(null);

		private volatile @Nullable LockLostException lost;

		private volatile boolean gone;

		Subscription(LockSpec spec, LockCall call) {
			this.spec = spec;
			this.call = call;
		}

		Flux<Object> run() {
			return Flux
				.usingWhen(Mono.just(this), Subscription::begin, Subscription::completed, (self, failure) -> self.end(),
						Subscription::cancelled)
				.onErrorResume(this::isLoss, this::afterLoss);
		}

		private Flux<Object> begin() {
			return ReactiveLockExecution.this.transactions.find(this.spec.releasePhase())
				.map(Optional::of)
				.defaultIfEmpty(Optional.empty())
				.flatMapMany((transaction) -> Mono.fromFuture(this::acquireUnlessGone, true)
					.<Supplier<Flux<Object>>>map((leases) -> () -> runLocked(LockScope.of(leases), transaction))
					.onErrorResume((failure) -> Mono
						.just(() -> answer(() -> failures().notAcquired(this.spec, this.call, failure))))
					.flatMapMany(Supplier::get));
		}

		private CompletableFuture<List<Lease>> acquireUnlessGone() {
			if (!this.acquired.isDone()) {
				CompletableFuture<List<Lease>> attempt = acquire(this.spec, this.call);
				proceed(attempt, () -> this.acquired.isDone() || !ReactiveLockExecution.this.method.needsThread(),
						this::acquired, this.acquired::completeExceptionally);
				on(this.acquired, (leases, failure) -> attempt.cancel(false));
			}
			return this.acquired;
		}

		private void acquired(@Nullable List<Lease> leases, @Nullable Throwable failure) {
			if (leases == null) {
				this.acquired
					.completeExceptionally((failure != null) ? LockFailures.cause(failure) : new AssertionError());
			}
			else if (!this.acquired.complete(leases)) {
				Leases.releaseAndForget(leases);
			}
		}

		private Flux<Object> runLocked(LockScope scope, Optional<Consumer<LockScope>> transaction) {
			transaction.ifPresent((found) -> leaveTo(found, scope));
			if (this.gone) {
				return Flux.empty();
			}
			Flux<Object> work = invokeObserved(scope).contextWrite((context) -> context.put(LockScope.class, scope));
			if (this.spec.onLost() == OnLost.INTERRUPT) {
				work = work.takeUntilOther(Mono.fromFuture(whenLost(scope), true));
			}
			return (this.spec.onLost() == OnLost.REPORT) ? work : work.concatWith(Mono.defer(() -> failIfLost(scope)))
				.onErrorMap((failure) -> lossOrFailure(scope, failure));
		}

		/**
		 * From now on the transaction releases the leases. One that was cancelled before
		 * it knew of them does not; but then this call is cancelled as well.
		 */
		private void leaveTo(Consumer<LockScope> transaction, LockScope scope) {
			if (this.settled.compareAndSet(false, true)) {
				try {
					transaction.accept(scope);
				}
				catch (RuntimeException ex) {
					this.settled.set(false);
					if (this.gone) {
						Leases.releaseAndForget(scope.leases());
					}
					throw ex;
				}
				if (this.gone) {
					Leases.releaseAndForget(scope.leases());
				}
			}
		}

		private Flux<Object> invokeObserved(LockScope scope) {
			SectionObserver sections = sections();
			return (sections == SectionObserver.NONE) ? invoke(scope) : Flux.deferContextual((context) -> {
				SectionObserver.Section section = sections.begin(scope, (key) -> context.getOrDefault(key, null));
				return (section != null) ? observed(section, scope) : invoke(scope);
			});
		}

		private Flux<Object> observed(SectionObserver.Section section, LockScope scope) {
			Runnable close = section.open();
			try {
				return invoke(scope).doOnError(section::end)
					.doOnComplete(() -> section.end(null))
					.doOnCancel(() -> section.end(null))
					.contextWrite((context) -> context.putAllMap(section.context()));
			}
			finally {
				close.run();
			}
		}

		private Flux<Object> invoke(LockScope scope) {
			try {
				PublisherMethod.Work work = ReactiveLockExecution.this.method.invoke(this.call.proceeding(),
						this.call.parameters(), scope);
				this.over = work.over();
				return Flux.from(work.publisher());
			}
			catch (Throwable ex) {
				return Flux.error(ex);
			}
		}

		/**
		 * Return what completes when a lease is lost. Normally, as an error would not
		 * cancel what it ends.
		 */
		private CompletableFuture<?> whenLost(LockScope scope) {
			CompletableFuture<?> loss = new CompletableFuture<>();
			for (Lease lease : scope.leases()) {
				onLost(lease, () -> loss.complete(null));
			}
			return loss;
		}

		private Mono<Object> failIfLost(LockScope scope) {
			LockLostException lost = Leases.lossOf(scope);
			return (lost != null) ? Mono.error(lost) : Mono.empty();
		}

		private Throwable lossOrFailure(LockScope scope, Throwable failure) {
			LockLostException lost = (failure instanceof LockLostException loss) ? loss : Leases.lossOf(scope);
			if (lost != null && LockFailures.prevails(lost, LockFailures.cause(failure), this.spec.onLost())) {
				this.lost = lost;
				return lost;
			}
			return failure;
		}

		private Mono<Object> completed() {
			LockScope scope = hasNothing() ? null : LockScope.of(this.acquired.join());
			if (scope == null || this.spec.onLost() == OnLost.REPORT) {
				return end();
			}
			return end()
				.then(Mono.defer(() -> failIfLost(scope).onErrorMap((failure) -> lossOrFailure(scope, failure))));
		}

		private Mono<Object> cancelled() {
			this.gone = true;
			if (hasNothing()) {
				return Mono.empty();
			}
			return Mono.fromFuture(this.over.get(), true).onErrorComplete().then(Mono.defer(this::end));
		}

		private Mono<Object> end() {
			if (hasNothing() || !this.settled.compareAndSet(false, true)) {
				return Mono.empty();
			}
			return Mono.fromFuture(() -> Leases.release(this.acquired.join()), true).then(Mono.empty());
		}

		/**
		 * Return whether there are no leases, nor will there be any from now on.
		 */
		private boolean hasNothing() {
			return this.acquired.cancel(false) || this.acquired.isCompletedExceptionally();
		}

		/**
		 * A failed clean-up comes wrapped.
		 */
		private boolean isLoss(Throwable failure) {
			return this.lost != null && (failure == this.lost || failure.getCause() == this.lost);
		}

		private Flux<Object> afterLoss(Throwable failure) {
			LockLostException lost = this.lost;
			return (lost != null) ? answer(() -> failures().handle(this.call, lost)) : Flux.error(failure);
		}

		private Flux<Object> answer(Substitute substitute) {
			try {
				return PublisherMethod.publisherOf(substitute.get());
			}
			catch (Throwable ex) {
				return Flux.error(ex);
			}
		}

	}

}
