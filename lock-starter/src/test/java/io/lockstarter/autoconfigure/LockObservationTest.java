// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockListener;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LossCause;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.store.LockStore;
import io.lockstarter.interceptor.SectionObserver;
import io.lockstarter.observe.DefaultLockSectionObservationConvention;
import io.lockstarter.observe.DefaultLockWaitObservationConvention;
import io.lockstarter.observe.LockMetrics;
import io.lockstarter.observe.LockObservations;
import io.lockstarter.observe.LockSectionContext;
import io.lockstarter.observe.LockSectionObservationConvention;
import io.lockstarter.observe.LockWaitContext;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mock;

/**
 * Observations of waiting and of what is done under a lock.
 */
@Timeout(60)
class LockObservationTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO).withName("once");

	private static final String WAIT = "distributed.lock.wait";

	private static final String SECTION = "distributed.lock.section";

	private final TestObservationRegistry observations = TestObservationRegistry.create();

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockObservationAutoConfiguration.class,
				LockInterceptorAutoConfiguration.class, LockDisabledAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	private final ApplicationContextRunner observed = this.plain.withBean(Stock.class)
		.withBean(ObservationRegistry.class, () -> this.observations);

	@Test
	void waitingIsObservedForLocksOfCode() {
		run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			try (Lease lease = locks.acquire("stock:42", ONCE)) {
				assertObservations().hasObservationWithNameEqualTo(WAIT)
					.that()
					.hasBeenStarted()
					.hasBeenStopped()
					.hasContextualNameEqualTo("wait for lock once")
					.hasLowCardinalityKeyValue("lock", "once")
					.hasLowCardinalityKeyValue("outcome", "acquired")
					.doesNotHaveHighCardinalityKeyValueWithKey("lock.key")
					.hasHighCardinalityKeyValue("lock.token", Long.toString(lease.fencingToken()))
					.doesNotHaveError();
				this.observations.clear();
				assertThat(locks.tryAcquire("stock:42", ONCE)).isEmpty();
				assertObservations().hasSingleObservationThat()
					.hasLowCardinalityKeyValue("outcome", "busy")
					.doesNotHaveError();
				this.observations.clear();
				assertThat(locks.acquireAsync("stock:42", ONCE)).failsWithin(Duration.ofSeconds(30));
				// Whoever waits for the future may hear of it before the observation
				// does.
				await().untilAsserted(() -> assertObservations().hasSingleObservationThat()
					.hasLowCardinalityKeyValue("outcome", "busy"));
				this.observations.clear();
				CompletableFuture<Lease> given = locks.acquireAsync("stock:42", LockOptions.defaults());
				given.cancel(true);
				assertObservations().hasSingleObservationThat().hasLowCardinalityKeyValue("outcome", "interrupted");
			}
		});
	}

	@Test
	void storeThatFailsIsTheErrorOfTheWait() {
		LockStore store = mock(CALLS_REAL_METHODS);
		var unused = willReturn(CompletableFuture.failedFuture(new IllegalStateException("down"))).given(store)
			.acquire(any());
		this.observed.withBean(LockStore.class, () -> store).run((context) -> {
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("k", ONCE));
			assertObservations().hasSingleObservationThat()
				.hasLowCardinalityKeyValue("outcome", "unavailable")
				.hasError();
		});
	}

	@ParameterizedTest
	@EnumSource
	void observerThatFailsChangesNeitherAMethodNorTheReleaseOfItsLock(FailingObserver observer) {
		this.plain.withBean(Stock.class).withBean(SectionObserver.class, () -> observer).run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(stock.buy(42)).isEqualTo("nothing");
			assertThat(stock.buyLater()).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("nothing");
			assertThat(stock.countReactively().block(Duration.ofSeconds(30))).isEqualTo(1);
			for (String key : List.of("stock:42", "later", "count")) {
				assertThat(context.getBean(LockRegistry.class).tryAcquire(key, ONCE)).as(key)
					.hasValueSatisfying(Lease::close);
			}
		});
	}

	@Test
	void waitAndSectionOfABlockingMethodAreChildrenOfTheCallersObservation() {
		run((context) -> {
			Observation caller = Observation.start("caller", this.observations);
			try (Observation.Scope scope = caller.openScope()) {
				String inside = context.getBean(Stock.class).buy(42);
				assertThat(inside).isEqualTo(SECTION);
				assertThat(this.observations.getCurrentObservation()).isSameAs(caller);
				assertThat(scope.getCurrentObservation()).isSameAs(caller);
			}
			caller.stop();
			assertObservations().hasObservationWithNameEqualTo(WAIT)
				.that()
				.hasLowCardinalityKeyValue("lock", "Stock.buy")
				.hasParentObservationEqualTo(caller);
			assertObservations().hasObservationWithNameEqualTo(SECTION)
				.that()
				.hasBeenStarted()
				.hasBeenStopped()
				.hasContextualNameEqualTo("hold lock Stock.buy")
				.hasLowCardinalityKeyValue("lock", "Stock.buy")
				.doesNotHaveHighCardinalityKeyValueWithKey("lock.key")
				.hasHighCardinalityKeyValueWithKey("lock.token")
				.hasParentObservationEqualTo(caller)
				.doesNotHaveError();
		});
	}

	@Test
	void keysAreInTracesOnRequest() {
		this.observed.withPropertyValues("distributed-lock.observe-keys=true").run((context) -> {
			context.getBean(Stock.class).buy(42);
			for (String name : List.of(WAIT, SECTION)) {
				assertObservations().hasObservationWithNameEqualTo(name)
					.that()
					.hasHighCardinalityKeyValue("lock.key", "stock:42");
			}
		});
	}

	@Test
	void lossIsTheErrorOfItsSection() {
		this.observed.withBean(LossListener.class).run((context) -> {
			LossListener listener = context.getBean(LossListener.class);
			Stock stock = context.getBean(Stock.class);
			assertThat(stock.reportLoss(listener)).isEqualTo("done");
			assertThat(errorOfTheSection()).isInstanceOf(LockLostException.class).hasNoSuppressedExceptions();
			this.observations.clear();
			assertThatIllegalStateException().isThrownBy(() -> stock.failAtLoss(listener));
			assertThat(errorOfTheSection()).isInstanceOf(LockLostException.class)
				.satisfies((lost) -> assertThat(lost.getSuppressed()).extracting(Throwable::getMessage)
					.containsExactly("sold out"));
			this.observations.clear();
			assertThat(stock.loseLater(listener)).succeedsWithin(Duration.ofSeconds(30));
			assertThat(errorOfTheSection()).isInstanceOf(LockLostException.class);
		});
	}

	@Test
	void listenersHearOfALossInItsTrace() {
		this.observed.withBean(LossListener.class).run((context) -> {
			LossListener listener = context.getBean(LossListener.class);
			context.getBean(Stock.class).reportLoss(listener);
			assertThat(listener.told()).isEqualTo(SECTION);
			Observation caller = Observation.start("caller", this.observations);
			try (Observation.Scope scope = caller.openScope()) {
				assertThat(scope.getCurrentObservation()).isSameAs(caller);
				context.getBean(LockRegistry.class).acquire("k", ONCE.withTtl(Duration.ofMillis(20)).withRenew(false));
				assertThat(listener.told()).isEqualTo("caller");
			}
			caller.stop();
			context.getBean(LockRegistry.class).acquire("l", ONCE.withTtl(Duration.ofMillis(20)).withRenew(false));
			assertThat(listener.told()).as("nobody called").isEqualTo("nothing");
		});
	}

	@Test
	void listenersHearOfALossWhoseTraceCannotBeEntered() {
		Thread caller = Thread.currentThread();
		this.observations.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onScopeOpened(Observation.Context context) {
				if (Thread.currentThread() != caller) {
					throw new IllegalStateException("no scope here");
				}
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
		this.observed.withBean(LossListener.class).run((context) -> {
			LossListener listener = context.getBean(LossListener.class);
			context.getBean(Stock.class).reportLoss(listener);
			assertThat(listener.told()).isEqualTo("nothing");
		});
	}

	@Test
	void failureOfTheMethodIsTheErrorOfItsSection() {
		run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Stock.class).fail());
			assertObservations().hasObservationWithNameEqualTo(SECTION).that().hasBeenStopped().hasError();
		});
	}

	@Test
	void bodyOfAFutureMethodHasTheObservationOfItsSection() {
		run((context) -> {
			Observation caller = Observation.start("caller", this.observations);
			CompletableFuture<String> inside;
			try (Observation.Scope scope = caller.openScope()) {
				inside = context.getBean(Stock.class).buyLater();
				assertThat(scope.getCurrentObservation()).isSameAs(caller);
			}
			assertThat(inside.join()).isEqualTo(SECTION);
			caller.stop();
			assertObservations().hasObservationWithNameEqualTo(SECTION)
				.that()
				.hasBeenStopped()
				.hasParentObservationEqualTo(caller);
		});
	}

	@Test
	void failureOfAFutureIsTheErrorOfItsSection() {
		run((context) -> {
			CompletableFuture<String> failing = context.getBean(Stock.class).failLater();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(failing::join);
			assertObservations().hasObservationWithNameEqualTo(SECTION).that().hasBeenStopped().hasError();
		});
	}

	@Test
	void bodyOfAReactiveMethodHasTheObservationOfItsSection() {
		run((context) -> {
			Observation caller = Observation.start("caller", this.observations);
			String inside = context.getBean(Stock.class)
				.buyReactively()
				.contextWrite((values) -> values.put(ObservationThreadLocalAccessor.KEY, caller))
				.block();
			caller.stop();
			assertThat(inside).isEqualTo(SECTION + " and " + SECTION);
			assertObservations().hasObservationWithNameEqualTo(SECTION)
				.that()
				.hasBeenStopped()
				.hasParentObservationEqualTo(caller);
		});
	}

	@Test
	void callThatIsNotRunUnderItsLockHasNoSection() {
		run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			try (Lease lease = locks.acquire("stock:7", ONCE)) {
				assertThat(lease.isValid()).isTrue();
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> context.getBean(Stock.class).buyOnce(7));
			}
			assertObservations().hasNumberOfObservationsWithNameEqualTo(SECTION, 0);
		});
	}

	@Test
	void conventionBeansReplaceTheDefaults() {
		this.observed.withBean(LockSectionObservationConvention.class, OwnSection::new)
			.withBean(DefaultLockWaitObservationConvention.class, OwnWait::new)
			.run((context) -> {
				context.getBean(Stock.class).buy(42);
				assertObservations().hasObservationWithNameEqualTo("own.section")
					.that()
					.hasLowCardinalityKeyValue("own", "Stock.buy");
				assertObservations().hasObservationWithNameEqualTo("own.wait").that().hasBeenStopped();
			});
	}

	@Test
	void namesThatAreKeysByMistakeShareOneTagAfterAWhile() {
		LockObservations bounded = new LockObservations(this.observations, null, null, false);
		for (int i = 0; i < LockMetrics.MAX_NAMES + 50; i++) {
			Objects.requireNonNull(bounded.waiting("k", "stock:" + i)).ended(null, null);
		}
		assertObservations().hasNumberOfObservationsEqualTo(LockMetrics.MAX_NAMES + 50)
			.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("lock", "stock:0"))
			.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("lock", "others")
				.hasContextualNameEqualTo("wait for lock others"));
		LockScope scope = mock();
		Lease lease = mock();
		given(scope.leases()).willReturn(List.of(lease));
		given(lease.name()).willReturn("stock:section");
		given(lease.key()).willReturn("k");
		this.observations.clear();
		Objects.requireNonNull(bounded.begin(scope, (key) -> null)).end(null);
		assertObservations().hasSingleObservationThat().hasLowCardinalityKeyValue("lock", "others");
	}

	@Test
	void nothingIsObservedWithoutARegistryWithoutHandlersOrWithoutMicrometer() {
		this.plain.withBean(Stock.class).run((context) -> {
			assertThat(context).doesNotHaveBean(LockObservations.class);
			assertThat(context.getBean(Stock.class).buy(42)).isEqualTo("nothing");
		});
		this.plain.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.run((context) -> assertThat(context.getBean(LockObservations.class).waiting("k", "n")).isNull());
		this.plain.withBean(ObservationRegistry.class, () -> ObservationRegistry.NOOP)
			.run((context) -> assertThat(context.getBean(LockObservations.class).waiting("k", "n")).isNull());
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lockObservations"));
	}

	private @Nullable Throwable errorOfTheSection() {
		Throwable[] error = new Throwable[1];
		assertObservations().hasObservationWithNameEqualTo(SECTION)
			.that()
			.hasBeenStopped()
			.satisfies((section) -> error[0] = section.getError());
		return error[0];
	}

	private void run(Check check) {
		this.observed.run(check::on);
	}

	private TestObservationRegistryAssert assertObservations() {
		return TestObservationRegistryAssert.assertThat(this.observations);
	}

	private interface Check {

		void on(AssertableApplicationContext context) throws Throwable;

	}

	/**
	 * Tells in which observation it hears of a loss.
	 */
	static final class LossListener implements LockListener {

		private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

		private final ObservationRegistry observations;

		private final ObjectProvider<LockInspector> locks;

		LossListener(ObservationRegistry observations, ObjectProvider<LockInspector> locks) {
			this.observations = observations;
			this.locks = locks;
		}

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			Observation current = this.observations.getCurrentObservation();
			this.told.add((current != null) ? Objects.requireNonNull(current.getContext().getName()) : "nothing");
		}

		@Nullable String told() throws InterruptedException {
			return this.told.poll(30, TimeUnit.SECONDS);
		}

		void lose(String key) {
			int before = this.told.size();
			assertThat(this.locks.getObject().forceRelease(key, null).join()).isTrue();
			await().until(() -> this.told.size() > before);
		}

	}

	static class Stock {

		private final ObservationRegistry observations;

		Stock(ObjectProvider<ObservationRegistry> observations) {
			this.observations = observations.getIfAvailable(() -> ObservationRegistry.NOOP);
		}

		@DistributedLock("stock:#{#id}")
		public String buy(long id) {
			return current();
		}

		@DistributedLock(key = "stock:#{#id}", waitTime = "0s")
		public String buyOnce(long id) {
			return current();
		}

		@DistributedLock("fail")
		public void fail() {
			throw new IllegalStateException("sold out");
		}

		@DistributedLock(key = "reported", onLost = OnLost.REPORT)
		public String reportLoss(LossListener listener) {
			listener.lose("reported");
			return "done";
		}

		@DistributedLock("failing")
		public void failAtLoss(LossListener listener) {
			listener.lose("failing");
			throw new IllegalStateException("sold out");
		}

		@DistributedLock("async")
		public CompletableFuture<String> loseLater(LossListener listener) {
			listener.lose("async");
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("later")
		public CompletableFuture<String> buyLater() {
			return CompletableFuture.completedFuture(current());
		}

		@DistributedLock("later")
		public CompletableFuture<String> failLater() {
			return CompletableFuture.failedFuture(new IllegalStateException("sold out"));
		}

		@DistributedLock("reactive")
		public Mono<String> buyReactively() {
			String called = current();
			return Mono.deferContextual((context) -> {
				Observation observation = context.get(ObservationThreadLocalAccessor.KEY);
				return Mono.just(called + " and " + observation.getContext().getName());
			});
		}

		@DistributedLock("count")
		public Mono<Integer> countReactively() {
			return Mono.just(1);
		}

		private String current() {
			Observation current = this.observations.getCurrentObservation();
			return (current != null) ? Objects.requireNonNull(current.getContext().getName()) : "nothing";
		}

	}

	/**
	 * Fails in one of the calls.
	 */
	enum FailingObserver implements SectionObserver {

		BEGIN, OPEN, CLOSE, CONTEXT, END;

		@Override
		public Section begin(LockScope scope, Function<Object, @Nullable Object> context) {
			failIn(BEGIN);
			return new Section() {

				@Override
				public Runnable open() {
					failIn(OPEN);
					return () -> failIn(CLOSE);
				}

				@Override
				public Map<Object, Object> context() {
					failIn(CONTEXT);
					return Map.of();
				}

				@Override
				public void end(@Nullable Throwable failure) {
					failIn(END);
				}

			};
		}

		private void failIn(FailingObserver call) {
			if (this == call) {
				throw new IllegalStateException("observer fails in " + call);
			}
		}

	}

	static final class OwnSection extends DefaultLockSectionObservationConvention {

		@Override
		public String getName() {
			return "own.section";
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(LockSectionContext context) {
			return KeyValues.of("own", context.lockName());
		}

	}

	static final class OwnWait extends DefaultLockWaitObservationConvention {

		@Override
		public String getName() {
			return "own.wait";
		}

		@Override
		public String getContextualName(LockWaitContext context) {
			return "own " + context.outcome();
		}

	}

}
