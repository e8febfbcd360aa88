// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.LockException;
import io.lockstarter.LockInterruptedException;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Methods that return a future: when the lock begins and ends, and what the caller's
 * future completes with.
 */
@ExtendWith(OutputCaptureExtension.class)
class FutureMethodTest {

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
	void lockIsHeldUntilTheFutureOfTheMethodIsComplete() {
		Work work = work();
		CompletableFuture<String> result = work.run(1);
		assertThat(this.registry.events).containsExactly("acquired k:1");
		assertThat(result).isNotDone();
		work.inner().complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.registry.events).containsExactly("acquired k:1", "released k:1");
	}

	@Test
	void callerSeesTheResultOnlyAfterTheReleaseWasConfirmed() {
		Work work = work();
		this.registry.confirmation = new CompletableFuture<>();
		CompletableFuture<String> result = work.run(1);
		work.inner().complete("done");
		assertThat(this.registry.events).containsExactly("acquired k:1", "released k:1");
		assertThat(result).isNotDone();
		this.registry.confirmation.complete(true);
		assertThat(result.join()).isEqualTo("done");
	}

	@Test
	void releaseThatIsNotConfirmedDoesNotFailTheCall() {
		Work work = work();
		this.registry.confirmation = CompletableFuture.failedFuture(this.down);
		CompletableFuture<String> result = work.run(1);
		work.inner().complete("done");
		assertThat(result.join()).isEqualTo("done");
	}

	@Test
	void failureOfTheFuturePassesUnchangedAndTheLockIsReleased() {
		IOException failure = new IOException("disk");
		Work work = work();
		CompletableFuture<String> result = work.run(1);
		work.inner().completeExceptionally(failure);
		assertThat(failureOf(result)).isSameAs(failure);
		assertThat(this.registry.events).endsWith("released k:1");
	}

	@Test
	void exceptionThatTheMethodThrowsIsTheFailureOfTheFuture() throws IOException {
		CompletionStage<String> result = work().fail();
		assertThat(failureOf(result)).isInstanceOf(IOException.class).hasMessage("thrown");
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void lossInterruptsTheMethodBeforeItReturnsItsFuture() {
		AtomicBoolean interrupted = new AtomicBoolean();
		CompletableFuture<String> result = work().interruptBlocking(() -> {
			lose();
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
		assertThat(interrupted).isTrue();
		assertThat(Thread.interrupted()).as("nor is the interrupt left").isFalse();
	}

	@Test
	void methodThatReturnsNullFailsAndNothingStaysLocked() {
		CompletionStage<String> result = work().nothing();
		assertThat(failureOf(result)).isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("Work.nothing() returned null");
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void nothingIsThrownAtTheCallerNotEvenForAKeyThatCannotBeUsed() {
		CompletableFuture<String> result = work().key(null);
		assertThat(failureOf(result)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("is null");
		assertThat(this.registry.events).isEmpty();
	}

	@Test
	void methodRunsWhenTheLockIsAcquiredAndNotBefore() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		CompletableFuture<String> result = work.run(1);
		assertThat(work.calls()).hasValue(0);
		this.registry.grants.complete(null);
		assertThat(work.calls()).hasValue(1);
		work.inner().complete("done");
		assertThat(result.join()).isEqualTo("done");
	}

	@Test
	void asyncMethodWaitsAndRunsOnTheThreadThatIsThereForIt() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		AtomicReference<CompletableFuture<String>> result = new AtomicReference<>();
		Thread executor = new Thread(() -> result.set(work.async()), "executor");
		executor.start();
		await().until(() -> executor.getState() == Thread.State.WAITING);
		this.registry.grants.complete(null);
		await().until(() -> result.get() != null);
		assertThat(result.get()).isCompletedWithValue("on executor");
	}

	@Test
	void asyncMethodThatIsInterruptedWhileItWaitsFails() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		Thread.currentThread().interrupt();
		CompletableFuture<String> result = work.async();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(failureOf(result)).isInstanceOf(LockInterruptedException.class);
		assertThat(this.registry.attempts).singleElement()
			.satisfies((attempt) -> assertThat(attempt).isCompletedExceptionally());
	}

	@Test
	void invocationIsExposedToWhatRunsInsideTheLockOnAnotherThread() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		CompletableFuture<String> result = work.exposed();
		CompletableFuture.runAsync(() -> this.registry.grants.complete(null)).join();
		assertThat(result.join()).isEqualTo("exposed");
	}

	@Test
	void skippedFutureOfAnOptionalIsCompletedWithAnEmptyOne() {
		this.registry.refusal = this.busy;
		assertThat(work().skipOptional()).isCompletedWithValue(Optional.empty());
	}

	@Test
	void busyLockIsTheFailureOfTheFutureItself() {
		this.registry.refusal = this.busy;
		Work work = work();
		AtomicReference<Throwable> seen = new AtomicReference<>();
		CompletableFuture<String> result = work.run(1);
		var unused = result.whenComplete((value, failure) -> seen.set(failure));
		assertThat(seen.get()).isSameAs(this.busy);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join).withCause(this.busy);
		assertThat(work.calls()).hasValue(0);
	}

	@Test
	void skipCompletesWithNull() {
		this.registry.refusal = this.busy;
		assertThat(work().skip()).isCompletedWithValue(null);
	}

	@Test
	void fallbackAnswersWithItsFuture() {
		this.registry.refusal = this.busy;
		Work work = work();
		CompletableFuture<String> result = work.withFallback("x");
		assertThat(result).isNotDone();
		work.inner().complete("from fallback");
		assertThat(result).isCompletedWithValue("from fallback");
	}

	@Test
	void cancellationIsPassedOnToTheFutureOfTheFallback() {
		this.registry.refusal = this.busy;
		Work work = work();
		work.withFallback("x").cancel(true);
		assertThat(work.inner()).isCancelled();
	}

	@Test
	void handlerAnswersWithAFutureOrWithTheValue() {
		this.registry.refusal = this.busy;
		Work work = work();
		CompletableFuture<String> future = CompletableFuture.completedFuture("from a future");
		this.handler = new LockFailureHandler() {

			@Override
			@SuppressWarnings("FutureReturnValueIgnored")
			public Object handle(FailedCall call, LockException failure) {
				return future;
			}

		};
		assertThat(work.run(1)).isCompletedWithValue("from a future");
		this.handler = (call, failure) -> call.arguments() + " " + failure.getMessage();
		assertThat(work.run(1)).isCompletedWithValue("[1] " + this.busy.getMessage());
		this.handler = (call, failure) -> {
			throw new IOException("handled");
		};
		assertThat(failureOf(work.run(1))).isInstanceOf(IOException.class).hasMessage("handled");
	}

	@Test
	void storeThatIsDownFailsTheFutureUnlessTheMethodIsToProceed() {
		this.registry.refusal = this.down;
		Work work = work();
		assertThat(failureOf(work.run(1))).isSameAs(this.down);
		work.inner().complete("without");
		assertThat(work.proceed()).isCompletedWithValue("without, scope: false");
	}

	@Test
	void thousandCallsThatGoOnWithoutTheirLockAreOneLine(CapturedOutput output) {
		this.registry.refusal = this.down;
		Work work = work();
		work.inner().complete("without");
		for (int i = 0; i < 1_000; i++) {
			assertThat(work.proceed()).isCompletedWithValue("without, scope: false");
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("runs WITHOUT ITS LOCK"))).hasSize(1);
	}

	@Test
	void cancellationWhileWaitingGivesUpTheWait() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		CompletableFuture<String> result = work.run(1);
		assertThat(result.cancel(true)).isTrue();
		assertThat(this.registry.attempts).singleElement().satisfies((attempt) -> assertThat(attempt).isCancelled());
		assertThat(work.calls()).hasValue(0);
	}

	@Test
	void leaseThatComesAlthoughTheCallerHasGivenUpIsReleased() {
		Work work = work();
		this.registry.grants = new CompletableFuture<>();
		this.registry.ignoresCancel = true;
		CompletableFuture<String> result = work.run(1);
		result.cancel(true);
		this.registry.grants.complete(null);
		assertThat(this.registry.events).containsExactly("acquired k:1", "released k:1");
		assertThat(work.calls()).hasValue(0);
	}

	@Test
	void cancellationOfTheResultCancelsTheFutureOfTheMethodAndReleases() {
		Work work = work();
		CompletableFuture<String> result = work.run(1);
		result.cancel(true);
		assertThat(work.inner()).isCancelled();
		assertThat(this.registry.events).containsExactly("acquired k:1", "released k:1");
	}

	@Test
	void workThatCannotBeCancelledKeepsItsLockToItsEnd() {
		Work work = work();
		CompletableFuture<String> result = work.minimal().toCompletableFuture();
		result.cancel(true);
		assertThat(this.registry.events).containsExactly("acquired k");
		work.inner().complete("done");
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void scopeIsThatOfTheCallWhileTheMethodRuns() {
		Work work = work();
		work.inner().complete("");
		assertThat(work.scope().join()).isEqualTo("LockScope current, token 1");
		assertThat(LockScope.find()).isEmpty();
	}

	@Test
	void lossIsReportedOnlyUnlessTheAnnotationSaysOtherwise() {
		Work work = work();
		CompletableFuture<String> result = work.run(1);
		lose();
		work.inner().complete("done");
		assertThat(result.join()).isEqualTo("done");
	}

	@Test
	void lossFailsTheCallWhenItsFutureIsComplete() {
		Work work = work();
		CompletableFuture<String> result = work.failOnLoss();
		lose();
		assertThat(result).isNotDone();
		work.inner().complete("done");
		assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
	}

	@Test
	void lossThatShowsAtTheReleaseFailsTheCallToo() {
		Work work = work();
		this.registry.confirmation = new CompletableFuture<>();
		CompletableFuture<String> result = work.failOnLoss();
		work.inner().complete("done");
		lose();
		this.registry.confirmation.complete(false);
		assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
	}

	@Test
	void failureOfTheMethodCarriesTheLossAlong() {
		Work work = work();
		CompletableFuture<String> result = work.failOnLoss();
		lose();
		IOException failure = new IOException("disk");
		work.inner().completeExceptionally(failure);
		assertThat(failureOf(result)).isSameAs(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void lossCancelsTheFutureOfTheMethodAndFailsTheCallAtOnce() {
		Work work = work();
		CompletableFuture<String> result = work.interruptOnLoss();
		lose();
		await().untilAsserted(() -> assertThat(work.inner()).isCancelled());
		assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
		assertThat(this.registry.events).containsExactly("acquired k", "released k");
	}

	@Test
	void lossFailsTheCallAtOnceEvenIfTheWorkCannotBeCancelled() {
		Work work = work();
		CompletableFuture<String> result = work.interruptMinimal().toCompletableFuture();
		lose();
		await().until(result::isDone);
		assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
		assertThat(work.inner()).isNotDone();
	}

	@Test
	void handlerMayAnswerForALostLock() {
		Work work = work();
		this.handler = (call, failure) -> "instead";
		CompletableFuture<String> result = work.failOnLoss();
		lose();
		work.inner().complete("done");
		assertThat(result).isCompletedWithValue("instead");
	}

	@Test
	void severalKeysAreOneAcquisitionAndSeveralAnnotationsNest() {
		Work work = work();
		work.inner().complete("done");
		assertThat(work.nested().join()).isEqualTo("done");
		assertThat(this.registry.events).containsExactly("acquired outer", "acquired inner", "released inner",
				"released outer");
	}

	@Test
	void eachCallInvokesTheMethodOnceAlsoFromSeveralThreads() {
		Work work = work();
		work.inner().complete("done");
		List<CompletableFuture<String>> results = List.of(work.run(1), work.run(2), work.run(3));
		assertThat(results).allSatisfy((result) -> assertThat(result.join()).isEqualTo("done"));
		assertThat(work.calls()).hasValue(3);
	}

	@Test
	void cancelledFutureOfTheMethodIsACancelledResult() {
		Work work = work();
		CompletableFuture<String> result = work.run(1);
		work.inner().cancel(true);
		assertThat(catchThrowable(result::join)).isInstanceOf(CancellationException.class);
		assertThat(result).isCancelled();
	}

	private void lose() {
		assertThat(this.registry.granted).isNotNull();
		this.registry.granted.lose(LossCause.EXPIRED);
	}

	private static Throwable failureOf(CompletionStage<?> result) {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		CompletableFuture<?> future = result.toCompletableFuture();
		await().until(future::isDone);
		var unused = future.whenComplete((value, ex) -> failure.set(ex));
		return failure.get();
	}

	static class Work {

		private final CompletableFuture<String> inner = new CompletableFuture<>();

		private final AtomicInteger calls = new AtomicInteger();

		// The fields of a proxy are not those of its target.
		CompletableFuture<String> inner() {
			return this.inner;
		}

		AtomicInteger calls() {
			return this.calls;
		}

		@DistributedLock("k:#{#id}")
		public CompletableFuture<String> run(int id) {
			this.calls.incrementAndGet();
			return this.inner;
		}

		@Async
		@DistributedLock("k")
		public CompletableFuture<String> async() {
			return CompletableFuture.completedFuture("on " + Thread.currentThread().getName());
		}

		@DistributedLock("k")
		public CompletableFuture<String> exposed() {
			return CompletableFuture
				.completedFuture(ExposeInvocationInterceptor.currentInvocation().getMethod().getName());
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public CompletableFuture<Optional<String>> skipOptional() {
			return CompletableFuture.completedFuture(Optional.of("run"));
		}

		@DistributedLock("#{#key}")
		public CompletableFuture<String> key(@Nullable String key) {
			return this.inner;
		}

		@DistributedLock("k")
		public CompletionStage<String> fail() throws IOException {
			throw new IOException("thrown");
		}

		@DistributedLock("k")
		public @Nullable CompletionStage<String> nothing() {
			return null;
		}

		@DistributedLock("k")
		public CompletionStage<String> minimal() {
			return this.inner.minimalCompletionStage();
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public CompletionStage<String> interruptMinimal() {
			return this.inner.minimalCompletionStage();
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> interruptBlocking(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture("ran on");
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public CompletableFuture<String> skip() {
			return this.inner;
		}

		@DistributedLock(key = "k", fallback = "instead")
		public CompletableFuture<String> withFallback(String argument) {
			return CompletableFuture.completedFuture("not this");
		}

		CompletableFuture<String> instead(String argument, LockNotAcquiredException busy) {
			return this.inner;
		}

		@DistributedLock(key = "k", onUnavailable = OnUnavailable.PROCEED)
		public CompletableFuture<String> proceed() {
			boolean present = LockScope.find().isPresent();
			return this.inner.thenApply((value) -> value + ", scope: " + present);
		}

		@DistributedLock("current")
		public CompletableFuture<String> scope() {
			LockScope scope = LockScope.current();
			return this.inner
				.thenApply((value) -> "LockScope " + scope.leases().get(0).key() + ", token " + scope.fencingToken());
		}

		@DistributedLock(key = "k", onLost = OnLost.FAIL)
		public CompletableFuture<String> failOnLoss() {
			return this.inner;
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> interruptOnLoss() {
			return this.inner;
		}

		@DistributedLock("outer")
		@DistributedLock("inner")
		public CompletableFuture<String> nested() {
			return this.inner;
		}

	}

}
