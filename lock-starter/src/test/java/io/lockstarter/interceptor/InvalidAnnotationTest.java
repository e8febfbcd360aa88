// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.ReleasePhase;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleSource;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.Deferred;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Annotations that cannot work fail at start-up, with a message that helps.
 */
class InvalidAnnotationTest {

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsFutureOfItsOwn.class, ReturnsCallable.class,
			ReturnsStream.class, ReturnsGeneric.class, TypeLevel.class, ReturnsConnectable.class, ReturnsSource.class,
			ReturnsDeferred.class })
	void methodThatFinishesLaterIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining("LockRegistry.acquireAsync").hasMessageContaining(".run(");
	}

	@Test
	@Tag("boot4") // Spring Framework 6 takes it for an ordinary method
	void methodThatOnlyLooksLikeASuspendFunctionIsRefused() {
		assertThat(start(Suspends.class)).hasMessageContaining("is not written in Kotlin");
	}

	@Test
	void lockOfAFutureThatIsToOutliveItForATransactionIsRefused() {
		assertThat(start(FutureInTransaction.class)).hasMessageContaining("on another thread than its caller");
	}

	@Test
	void callThatAlwaysHasAResultCannotBeSkipped() {
		assertThat(start(SkipsSingle.class)).hasMessageContaining("a Single is never empty");
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, StaticMethod.class, FinalMethod.class, TypeLevelFinal.class })
	void methodThatNoProxyInterceptsIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining("private, static or final").hasMessageContaining(".run()");
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalClass.class, SealedClass.class, RecordClass.class, FinalJob.class })
	void classThatCannotBeExtendedIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining(bean.getName() + ".run()")
			.hasMessageContaining("its class is final or sealed")
			.hasMessageContaining("Make the class open");
	}

	@Test
	void finalClassIsRefusedAlsoAmongInterfaceProxiesIfItHasNoInterface() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> LockedContext.withInterfaceProxies(new RecordingRegistry(), FinalResource.class))
			.withCauseInstanceOf(LockSetupException.class)
			.withMessageContaining("its class is final or sealed");
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalJob.class, FinalMethodJob.class })
	void finalClassOrMethodIsLockedThroughItsInterface(Class<?> bean) {
		RecordingRegistry registry = new RecordingRegistry();
		try (LockedContext context = LockedContext.withInterfaceProxies(registry, bean)) {
			context.bean(Job.class).run();
		}
		assertThat(registry.keys).containsExactly("job");
	}

	@Test
	void lambdaIsLockedThroughItsInterface() {
		RecordingRegistry registry = new RecordingRegistry();
		try (LockedContext context = LockedContext.withClassProxies(registry, Lambda.class)) {
			context.bean(Job.class).run();
		}
		assertThat(registry.keys).containsExactly("job");
	}

	@Test
	void mistakeInTheLastOfSeveralMethodsIsFoundToo() {
		assertThat(start(OneGoodOneBad.class)).hasMessageContaining("OneGoodOneBad.worse()");
	}

	private static LockSetupException start(Class<?> bean) {
		BeanCreationException failure = catchThrowableOfType(BeanCreationException.class,
				() -> LockedContext.withClassProxies(new RecordingRegistry(), bean).close());
		Throwable cause = failure.getCause();
		assertThat(cause).isInstanceOf(LockSetupException.class);
		return (LockSetupException) cause;
	}

	static class ReturnsFuture {

		@DistributedLock("k")
		public Future<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class ReturnsFutureOfItsOwn {

		@DistributedLock("k")
		public FutureOfItsOwn run() {
			return new FutureOfItsOwn();
		}

	}

	static class FutureOfItsOwn extends CompletableFuture<String> {

	}

	static class ReturnsConnectable {

		@DistributedLock("k")
		public ConnectableFlux<String> run() {
			return Flux.just("").publish();
		}

	}

	static class ReturnsSource {

		@DistributedLock("k")
		public SingleSource<String> run() {
			return Single.just("");
		}

	}

	static class ReturnsDeferred {

		@DistributedLock("k")
		public Deferred<String> run() {
			return CompletableDeferredKt.CompletableDeferred("");
		}

	}

	static class FutureInTransaction {

		@DistributedLock(key = "k", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		public CompletionStage<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class SkipsSingle {

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public Single<String> run() {
			return Single.just("");
		}

	}

	static class ReturnsCallable {

		@DistributedLock("k")
		public Callable<String> run() {
			return () -> "";
		}

	}

	static class ReturnsStream {

		@DistributedLock("k")
		public IntStream run() {
			return IntStream.empty();
		}

	}

	static class Suspends {

		@DistributedLock("k")
		public Object run(long id, Continuation<? super String> continuation) {
			return id;
		}

	}

	interface Task<T> {

		@DistributedLock("k")
		T run();

	}

	static class ReturnsGeneric implements Task<Stream<String>> {

		@Override
		public Stream<String> run() {
			return Stream.empty();
		}

	}

	@DistributedLock("k")
	static class TypeLevel {

		public Future<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class PrivateMethod {

		@DistributedLock("k")
		private void run() {
		}

		void call() {
			run();
		}

	}

	static class StaticMethod {

		@DistributedLock("k")
		public static void run() {
		}

	}

	static class FinalMethod {

		@DistributedLock("k")
		public final void run() {
		}

	}

	@DistributedLock("k")
	static class TypeLevelFinal {

		public final void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock("k")
		public void run() {
		}

	}

	static sealed class SealedClass permits OnlyHeir {

		@DistributedLock("k")
		public void run() {
		}

	}

	static final class OnlyHeir extends SealedClass {

	}

	record RecordClass() {

		@DistributedLock("k")
		public void run() {
		}

	}

	static final class FinalResource implements AutoCloseable {

		@DistributedLock("k")
		public void run() {
		}

		@Override
		public void close() {
		}

	}

	interface Job {

		@DistributedLock("job")
		void run();

	}

	static final class FinalJob implements Job {

		@Override
		public void run() {
		}

	}

	static class FinalMethodJob implements Job {

		@Override
		public final void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Lambda {

		@Bean
		Job job() {
			return () -> {
			};
		}

	}

	static class OneGoodOneBad {

		@DistributedLock("k")
		public void good() {
		}

		@DistributedLock(key = "k", ttl = "1")
		public void worse() {
		}

	}

}
