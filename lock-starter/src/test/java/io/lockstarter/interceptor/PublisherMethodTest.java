// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LockException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods that return a publisher: when the lock begins and ends for each subscription,
 * and what the subscriber sees.
 */
class PublisherMethodTest {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final LockNotAcquiredException busy = new LockNotAcquiredException("k", Duration.ofSeconds(1), List.of());

	private final LockStoreException down = new LockStoreException("down", true, null);

	private final RecordingRegistry registry = new RecordingRegistry();

	private @Nullable LockFailureHandler handler;

	private @Nullable LockedContext context;

	@AfterEach
	void close() {
		if (this.context != null) {
			this.context.close();
		}
	}

	private Work work() {
		this.context = LockedContext.withHandler(this.registry, () -> this.handler, Work.class);
		return this.context.bean(Work.class);
	}

	@Test
	void nothingIsLockedUntilSomebodySubscribes() {
		Work work = work();
		Mono<String> result = work.mono(1);
		assertThat(this.registry.events).isEmpty();
		assertThat(work.calls()).hasValue(0);
		StepVerifier.create(result)
			.then(() -> assertThat(this.registry.events).containsExactly("acquired k:1"))
			.then(() -> work.source().emit("done"))
			.expectNext("done")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k:1", "released k:1");
	}

	@Test
	void eachSubscriptionIsACallOfItsOwn() {
		Work work = work();
		Mono<Integer> result = work.count();
		StepVerifier.create(result.repeat(2)).expectNext(1, 2, 3).expectComplete().verify(PATIENCE);
		StepVerifier.create(Mono.zip(result, result)).expectNextCount(1).expectComplete().verify(PATIENCE);
		assertThat(work.calls()).hasValue(5);
		assertThat(this.registry.events).hasSize(10).containsOnly("acquired k", "released k");
	}

	@Test
	void retryLocksAndInvokesAnew() {
		Work work = work();
		StepVerifier.create(work.failTwice().retry(2)).expectNext("third").expectComplete().verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k", "acquired k", "released k",
				"acquired k", "released k");
	}

	@Test
	void elementsOfAFluxPassWhileTheLockIsHeld() {
		Work work = work();
		StepVerifier.create(work.flux(), 1)
			.then(() -> work.source().next("a"))
			.expectNext("a")
			.then(() -> assertThat(this.registry.events).containsExactly("acquired k"))
			.thenRequest(1)
			.then(() -> work.source().next("b"))
			.expectNext("b")
			.then(() -> assertThat(this.registry.events).containsExactly("acquired k"))
			.then(() -> work.source().complete())
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void subscriberSeesTheEndOnlyAfterTheReleaseWasConfirmed() {
		Work work = work();
		this.registry.confirmation = new CompletableFuture<>();
		StepVerifier.create(work.count())
			.expectSubscription()
			.then(() -> assertThat(this.registry.events).containsExactly("acquired k", "released k"))
			.expectNoEvent(Duration.ofMillis(50))
			.then(() -> this.registry.confirmation.complete(true))
			.expectNext(1)
			.expectComplete()
			.verify(PATIENCE);
	}

	@Test
	void releaseThatIsNotConfirmedDoesNotFailTheCall() {
		Work work = work();
		this.registry.confirmation = CompletableFuture.failedFuture(this.down);
		StepVerifier.create(work.count()).expectNext(1).expectComplete().verify(PATIENCE);
	}

	@Test
	void failureOfThePublisherPassesUnchangedAndTheLockIsReleased() {
		Work work = work();
		IOException failure = new IOException("disk");
		StepVerifier.create(work.flux())
			.then(() -> work.source().next("a"))
			.expectNext("a")
			.then(() -> work.source().error(failure))
			.expectErrorSatisfies((seen) -> assertThat(seen).isSameAs(failure))
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void exceptionThatTheMethodThrowsIsTheFailureOfThePublisher() throws IOException {
		StepVerifier.create(work().fail()).expectErrorMessage("thrown").verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void methodThatReturnsNullFailsAndNothingStaysLocked() {
		StepVerifier.create(work().nothing())
			.expectErrorSatisfies((seen) -> assertThat(seen).isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("Work.nothing() returned null"))
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void keyThatCannotBeUsedFailsTheSubscription() {
		StepVerifier.create(work().key(null)).expectError(IllegalArgumentException.class).verify(PATIENCE);
		assertThat(this.registry.events).isEmpty();
	}

	@Test
	void busyLockFailsTheSubscription() {
		this.registry.refusal = this.busy;
		Work work = work();
		StepVerifier.create(work.mono(1))
			.expectErrorSatisfies((seen) -> assertThat(seen).isSameAs(this.busy))
			.verify(PATIENCE);
		assertThat(work.calls()).hasValue(0);
	}

	@Test
	void skippedCallIsEmpty() {
		this.registry.refusal = this.busy;
		Work work = work();
		StepVerifier.create(work.skipMono()).expectComplete().verify(PATIENCE);
		StepVerifier.create(work.skipFlux()).expectComplete().verify(PATIENCE);
		assertThat(work.skipMaybe().blockingGet()).isNull();
	}

	@Test
	void fallbackAnswersWithItsPublisher() {
		this.registry.refusal = this.busy;
		StepVerifier.create(work().withFallback(3)).expectNext(3, 4).expectComplete().verify(PATIENCE);
	}

	@Test
	void handlerAnswersWithAPublisherAFutureOrTheValue() {
		this.registry.refusal = this.busy;
		Work work = work();
		this.handler = (call, failure) -> Mono.just("publisher for " + call.arguments());
		StepVerifier.create(work.mono(1)).expectNext("publisher for [1]").expectComplete().verify(PATIENCE);
		CompletableFuture<String> future = CompletableFuture.completedFuture("future");
		this.handler = new LockFailureHandler() {

			@Override
			@SuppressWarnings("FutureReturnValueIgnored")
			public Object handle(FailedCall call, LockException failure) {
				return future;
			}

		};
		StepVerifier.create(work.mono(1)).expectNext("future").expectComplete().verify(PATIENCE);
		this.handler = (call, failure) -> "value";
		StepVerifier.create(work.mono(1)).expectNext("value").expectComplete().verify(PATIENCE);
		this.handler = (call, failure) -> null;
		StepVerifier.create(work.mono(1)).expectComplete().verify(PATIENCE);
	}

	@Test
	void storeThatIsDownFailsTheSubscriptionUnlessTheMethodIsToProceed() {
		this.registry.refusal = this.down;
		Work work = work();
		StepVerifier.create(work.mono(1))
			.expectErrorSatisfies((seen) -> assertThat(seen).isSameAs(this.down))
			.verify(PATIENCE);
		StepVerifier.create(work.proceed()).expectNext("scope: false").expectComplete().verify(PATIENCE);
	}

	@Test
	void cancellationWhileWaitingGivesUpTheWait() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		Disposable subscription = work.mono(1).subscribe();
		subscription.dispose();
		assertThat(this.registry.attempts).singleElement().satisfies((attempt) -> assertThat(attempt).isCancelled());
		assertThat(work.calls()).hasValue(0);
	}

	@Test
	void leaseThatComesAlthoughTheSubscriberHasGoneIsReleased() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		this.registry.ignoresCancel = true;
		Disposable subscription = work.mono(1).subscribe();
		subscription.dispose();
		this.registry.grants.complete(null);
		assertThat(this.registry.events).containsExactly("acquired k:1", "released k:1");
		assertThat(work.calls()).hasValue(0);
	}

	@Test
	void cancellationWhileTheMethodRunsCancelsItAndReleases() {
		Work work = work();
		Disposable subscription = work.flux().subscribe();
		assertThat(this.registry.events).containsExactly("acquired k");
		subscription.dispose();
		work.source().assertWasCancelled();
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void takingOnlyTheFirstElementReleases() {
		Work work = work();
		StepVerifier.create(work.flux().next())
			.then(() -> work.source().next("a"))
			.expectNext("a")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void scopeIsCurrentInTheMethodAndInItsContextButNotOutside() {
		Work work = work();
		StepVerifier.create(work.scopes().flatMap((seen) -> Mono.deferContextual((outside) -> {
			assertThat(outside.hasKey(LockScope.class)).isFalse();
			return Mono.just(seen);
		}))).expectNext("scope, scope").expectComplete().verify(PATIENCE);
		assertThat(LockScope.find()).isEmpty();
	}

	@Test
	void lossIsReportedOnlyUnlessTheAnnotationSaysOtherwise() {
		Work work = work();
		StepVerifier.create(work.flux())
			.then(this::lose)
			.then(() -> work.source().emit("a"))
			.expectNext("a")
			.expectComplete()
			.verify(PATIENCE);
	}

	@Test
	void lossFailsTheCallWhenItIsComplete() {
		Work work = work();
		StepVerifier.create(work.failOnLoss())
			.then(this::lose)
			.then(() -> work.source().emit("a"))
			.expectNext("a")
			.expectError(LockLostException.class)
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void lossThatShowsAtTheReleaseFailsTheCallToo() {
		Work work = work();
		this.registry.confirmation = new CompletableFuture<>();
		StepVerifier.create(work.failOnLoss())
			.then(() -> work.source().complete())
			.then(this::lose)
			.then(() -> this.registry.confirmation.complete(false))
			.expectError(LockLostException.class)
			.verify(PATIENCE);
	}

	@Test
	void failureOfTheMethodCarriesTheLossAlong() {
		Work work = work();
		IOException failure = new IOException("disk");
		StepVerifier.create(work.failOnLoss())
			.then(this::lose)
			.then(() -> work.source().error(failure))
			.expectErrorSatisfies((seen) -> assertThat(seen).isSameAs(failure))
			.verify(PATIENCE);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void lossCancelsThePublisherAndFailsTheCallAtOnce() {
		Work work = work();
		StepVerifier.create(work.interruptOnLoss())
			.then(() -> work.source().next("a"))
			.expectNext("a")
			.then(this::lose)
			.expectError(LockLostException.class)
			.verify(PATIENCE);
		work.source().assertWasCancelled();
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void lossInterruptsTheMethodBeforeItReturnsItsPublisher() {
		AtomicBoolean interrupted = new AtomicBoolean();
		Mono<String> result = work().interruptBlocking(() -> {
			lose();
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(result::block);
		assertThat(interrupted).isTrue();
		assertThat(Thread.interrupted()).as("nor is the interrupt left").isFalse();
	}

	@Test
	void lossThatTheMethodItselfNoticedIsNotOursToHandle() {
		Work work = work();
		this.handler = (call, failure) -> "handled";
		StepVerifier.create(work.flux())
			.then(() -> work.source().error(new LockLostException("other", 1, LossCause.EXPIRED)))
			.expectError(LockLostException.class)
			.verify(PATIENCE);
	}

	@Test
	void handlerMayGoOnForALostLock() {
		Work work = work();
		this.handler = (call, failure) -> Flux.just("b", "c");
		StepVerifier.create(work.interruptOnLoss())
			.then(() -> work.source().next("a"))
			.expectNext("a")
			.then(this::lose)
			.expectNext("b", "c")
			.expectComplete()
			.verify(PATIENCE);
	}

	@Test
	void severalAnnotationsNest() {
		StepVerifier.create(work().nested()).expectNext("LockScope inner").expectComplete().verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired outer", "acquired inner", "released inner",
				"released outer");
	}

	@Test
	void otherReactiveTypesAreFollowedAndGivenBackAsDeclared() {
		Work work = work();
		assertThat(work.single().blockingGet()).isEqualTo("single");
		assertThat(work.flowable().toList().blockingGet()).containsExactly("a", "b");
		work.completable().blockingAwait();
		StepVerifier.create(work.publisher()).expectNext("published").expectComplete().verify(PATIENCE);
		StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(work.jdkFlow()))
			.expectNext("flow")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).hasSize(10).startsWith("acquired single", "released single");
	}

	@Test
	void lockThatIsToOutliveItsMethodNeedsATransaction() {
		StepVerifier.create(work().afterTransaction())
			.expectErrorSatisfies((seen) -> assertThat(seen).isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("not made in a reactive transaction"))
			.verify(PATIENCE);
		assertThat(this.registry.events).isEmpty();
	}

	private void lose() {
		assertThat(this.registry.granted).isNotNull();
		this.registry.granted.lose(LossCause.EXPIRED);
	}

	static class Work {

		private final TestPublisher<String> source = TestPublisher.create();

		private final AtomicInteger calls = new AtomicInteger();

		// The fields of a proxy are not those of its target.
		TestPublisher<String> source() {
			return this.source;
		}

		AtomicInteger calls() {
			return this.calls;
		}

		@DistributedLock("k:#{#id}")
		public Mono<String> mono(int id) {
			this.calls.incrementAndGet();
			return this.source.mono();
		}

		@DistributedLock("k")
		public Mono<Integer> count() {
			return Mono.just(this.calls.incrementAndGet());
		}

		@DistributedLock("k")
		public Mono<String> failTwice() {
			return (this.calls.incrementAndGet() == 3) ? Mono.just("third") : Mono.error(new IOException());
		}

		@DistributedLock("k")
		public Flux<String> flux() {
			return this.source.flux();
		}

		@DistributedLock("#{#key}")
		public Mono<String> key(@Nullable String key) {
			return this.source.mono();
		}

		@DistributedLock("k")
		public Mono<String> fail() throws IOException {
			throw new IOException("thrown");
		}

		@DistributedLock("k")
		public @Nullable Mono<String> nothing() {
			return null;
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public Mono<String> skipMono() {
			return Mono.just("run");
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public Flux<String> skipFlux() {
			return Flux.just("run");
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public Maybe<String> skipMaybe() {
			return Maybe.just("run");
		}

		@DistributedLock(key = "k", fallback = "instead")
		public Flux<Integer> withFallback(int number) {
			return Flux.empty();
		}

		Flux<Integer> instead(int number) {
			return Flux.just(number, number + 1);
		}

		@DistributedLock(key = "k", onUnavailable = OnUnavailable.PROCEED)
		public Mono<String> proceed() {
			return Mono.just("scope: " + LockScope.find().isPresent());
		}

		@DistributedLock("scope")
		public Mono<String> scopes() {
			String current = LockScope.current().leases().get(0).key();
			return Mono.deferContextual(
					(context) -> Mono.just(current + ", " + context.get(LockScope.class).leases().get(0).key()));
		}

		@DistributedLock(key = "k", onLost = OnLost.FAIL)
		public Flux<String> failOnLoss() {
			return this.source.flux();
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public Mono<String> interruptBlocking(Runnable work) {
			work.run();
			return Mono.just("ran on");
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public Flux<String> interruptOnLoss() {
			return this.source.flux();
		}

		@DistributedLock("outer")
		@DistributedLock("inner")
		public Mono<String> nested() {
			return Mono.just("LockScope " + LockScope.current().leases().get(0).key());
		}

		@DistributedLock("single")
		public Single<String> single() {
			return Single.just("single");
		}

		@DistributedLock("k")
		public Flowable<String> flowable() {
			return Flowable.just("a", "b");
		}

		@DistributedLock("k")
		public Completable completable() {
			return Completable.complete();
		}

		@DistributedLock("k")
		public Publisher<String> publisher() {
			return Mono.just("published");
		}

		@DistributedLock("k")
		public Flow.Publisher<String> jdkFlow() {
			return JdkFlowAdapter.publisherToFlowPublisher(Mono.just("flow"));
		}

		@DistributedLock(key = "k", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		public Mono<String> afterTransaction() {
			return Mono.just("run");
		}

	}

}
