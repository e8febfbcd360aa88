// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.Objects;
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

	private final boolean transactions;

	private final PublisherMethod method;

	ReactiveLockExecution(Support support, AnnotatedMethod subject) {
		super(support);
		this.transactions = support.transactions();
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
			return transaction().map(Optional::of)
				.defaultIfEmpty(Optional.empty())
				.flatMapMany((transaction) -> leases()
					.<Supplier<Flux<Object>>>map((leases) -> () -> runLocked(LockScope.of(leases), transaction))
					.onErrorResume((failure) -> Mono
						.just(() -> answer(() -> failures().notAcquired(this.spec, this.call, failure))))
					.flatMapMany(Supplier::get));
		}

		private Mono<Consumer<LockScope>> transaction() {
			return ReactiveLockExecution.this.transactions ? ReactiveTransactions.find(this.spec.releasePhase())
					: Mono.empty();
		}

		/**
		 * Listen before the acquisition begins: otherwise what comes of it would go on,
		 * perhaps, on the thread of the subscriber.
		 */
		private Mono<List<Lease>> leases() {
			return Mono.create((sink) -> {
				on(this.acquired, (leases, failure) -> {
					if (failure == null) {
						sink.success(leases);
					}
					else if (!this.gone) {
						sink.error(Leases.cause(failure));
					}
				});
				if (!this.acquired.isDone()) {
					acquire();
				}
			});
		}

		private void acquire() {
			try {
				ReactiveLockExecution.this.acquire(this.spec, this.call, this.acquired,
						ReactiveLockExecution.this.method.needsThread());
			}
			catch (RuntimeException | Error ex) {
				this.acquired.completeExceptionally(ex);
			}
		}

		private Flux<Object> runLocked(LockScope scope, Optional<Consumer<LockScope>> transaction) {
			transaction.ifPresent((found) -> leaveTo(found, scope));
			if (this.gone) {
				return Flux.empty();
			}
			Flux<Object> work = invoke(scope).contextWrite((context) -> context.put(LockScope.class, scope));
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
					throw ex;
				}
				finally {
					if (this.gone) {
						Leases.releaseAndForget(scope.leases());
					}
				}
			}
		}

		private Flux<Object> invoke(LockScope scope) {
			return Flux.deferContextual((context) -> {
				LockedSection section = section(scope, (key) -> context.getOrDefault(key, null));
				Flux<Object> work = work(scope, section);
				return !section.isObserved() ? work
						: work.doOnError(section::end)
							.doOnComplete(() -> section.end(null))
							.doOnCancel(() -> section.end(null))
							.contextWrite((inner) -> inner.putAllMap(section.context()));
			});
		}

		private Flux<Object> work(LockScope scope, LockedSection section) {
			boolean interrupted = ReactiveLockExecution.this.method.needsThread();
			LossWatch watch = LossWatch.start(interrupted ? this.spec.onLost() : OnLost.REPORT, scope);
			try {
				PublisherMethod.Work work = (PublisherMethod.Work) Objects
					.requireNonNull(section.run((current) -> ReactiveLockExecution.this.method
						.invoke(this.call.proceeding(), this.call.parameters(), current)));
				this.over = work.over();
				return Flux.from(work.publisher());
			}
			catch (Throwable ex) {
				return Flux.error(ex);
			}
			finally {
				var unused = watch.end();
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
			if (lost != null && LockFailures.prevails(lost, Leases.cause(failure), this.spec.onLost())) {
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
