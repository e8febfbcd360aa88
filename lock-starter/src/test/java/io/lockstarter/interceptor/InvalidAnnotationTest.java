package io.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.lockstarter.annotation.DistributedLock;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.AopConfigException;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Annotations that cannot work fail at start-up, with a message that helps.
 */
class InvalidAnnotationTest {

	@Test
	void mistakeIsAnalysedForTheUser() {
		InvalidLockAnnotationException failure = start(BareNumber.class);
		FailureAnalysis analysis = new InvalidLockAnnotationFailureAnalyzer().analyze(new RuntimeException(failure));
		assertThat(analysis.getDescription()).contains("BareNumber.run()", "ttl = \"30\" has no unit.");
		assertThat(analysis.getAction()).contains("Write ttl = \"30s\"");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsStage.class, ReturnsCompletable.class, ReturnsMono.class,
			ReturnsFlow.class, Suspends.class, ReturnsGeneric.class, TypeLevel.class })
	void methodThatFinishesLaterIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining("LockRegistry.acquireAsync").hasMessageContaining(".run(");
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, StaticMethod.class, FinalMethod.class, TypeLevelFinal.class })
	void methodThatNoProxyInterceptsIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining("private, static or final").hasMessageContaining(".run()");
	}

	@Test
	void classThatCannotBeProxiedIsRefused() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> LockedContext.withClassProxies(new RecordingRegistry(), FinalClass.class))
			.withCauseInstanceOf(AopConfigException.class);
	}

	@Test
	void mistakeInTheLastOfSeveralMethodsIsFoundToo() {
		assertThat(start(OneGoodOneBad.class)).hasMessageContaining("OneGoodOneBad.worse()");
	}

	private static InvalidLockAnnotationException start(Class<?> bean) {
		BeanCreationException failure = catchThrowableOfType(BeanCreationException.class,
				() -> LockedContext.withClassProxies(new RecordingRegistry(), bean).close());
		Throwable cause = failure.getCause();
		assertThat(cause).isInstanceOf(InvalidLockAnnotationException.class);
		return (InvalidLockAnnotationException) cause;
	}

	static class BareNumber {

		@DistributedLock(key = "k", ttl = "30")
		public void run() {
		}

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

	static class OneGoodOneBad {

		@DistributedLock("k")
		public void good() {
		}

		@DistributedLock(key = "k", ttl = "1")
		public void worse() {
		}

	}

}
