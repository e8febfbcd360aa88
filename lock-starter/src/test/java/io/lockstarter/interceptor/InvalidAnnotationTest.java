package io.lockstarter.interceptor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.lockstarter.annotation.DistributedLock;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

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
	@ValueSource(classes = { ReturnsFuture.class, ReturnsStage.class, ReturnsCompletable.class, ReturnsMono.class,
			ReturnsFlow.class, ReturnsCallable.class, ReturnsStream.class, Suspends.class, ReturnsGeneric.class,
			TypeLevel.class })
	void methodThatFinishesLaterIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining("LockRegistry.acquireAsync").hasMessageContaining(".run(");
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

	static class ReturnsStage {

		@DistributedLock("k")
		public CompletionStage<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class ReturnsCompletable {

		@DistributedLock("k")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class ReturnsMono {

		@DistributedLock("k")
		public Mono<String> run() {
			return Mono.just("");
		}

	}

	static class ReturnsFlow {

		@DistributedLock("k")
		public Flow.Publisher<String> run() {
			return (subscriber) -> {
			};
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

	static class ReturnsGeneric implements Task<Mono<String>> {

		@Override
		public Mono<String> run() {
			return Mono.just("");
		}

	}

	@DistributedLock("k")
	static class TypeLevel {

		public Mono<String> run() {
			return Mono.just("");
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
