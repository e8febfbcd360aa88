// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.ReleasePhase;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleSource;
import kotlin.Lazy;
import kotlin.LazyKt;
import kotlin.coroutines.Continuation;
import kotlin.jvm.functions.Function0;
import kotlin.sequences.Sequence;
import kotlin.sequences.SequencesKt;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.channels.ReceiveChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Annotations that cannot work fail at start-up, with a message that helps.
 */
class InvalidAnnotationTest {

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsFutureOfItsOwn.class, ReturnsCallable.class,
			ReturnsStream.class, ReturnsGeneric.class, TypeLevel.class, ReturnsConnectable.class, ReturnsSource.class,
			ReturnsDeferred.class, ReturnsIterator.class, ReturnsSupplier.class, ReturnsRunnable.class,
			ReturnsSequence.class, ReturnsChannel.class, ReturnsSpliterator.class, ReturnsLazy.class,
			ReturnsLambda.class, ContainsBody.class, ContainsFlux.class, ContainsFuture.class,
			ContainsFutureDeeply.class, ContainsPublisherInAFuture.class, ContainsStreamInAWildcard.class,
			ContainsSupplier.class, ContainsFutureByAVariable.class, ContainsFutureInAnArray.class })
	void methodThatFinishesLaterIsRefused(Class<?> bean) {
		assertThat(start(bean)).hasMessageContaining("is complete only after it returned")
			.hasMessageContaining("LockRegistry.acquireAsync")
			.hasMessageContaining(".run(");
	}

	@Test
	void resultThatIsThereIsNotRefused() {
		RecordingRegistry registry = new RecordingRegistry();
		try (LockedContext context = LockedContext.withClassProxies(registry, Complete.class)) {
			Complete complete = context.bean(Complete.class);
			assertThat(complete.data()).isEqualTo(ResponseEntity.ok(List.of()));
			assertThat(complete.type()).isEqualTo(Future.class);
			assertThat(complete.task()).isEqualTo(new Task.Own());
			assertThat(complete.selfBound(5)).isEqualTo(5);
			assertThat(complete.anything("x")).isEqualTo("x");
			assertThat(complete.anything(new Task.Own())).isEqualTo(new Task.Own());
		}
	}

	@Test
	void resultThatTurnsOutToBeCompleteLaterFailsTheCallAndTheLockIsReleased() {
		RecordingRegistry registry = new RecordingRegistry();
		CompletableFuture<String> future = new CompletableFuture<>();
		try (LockedContext context = LockedContext.withClassProxies(registry, Complete.class)) {
			Complete complete = context.bean(Complete.class);
			Supplier<String> lambda = () -> "";
			for (Object late : List.of(future, Flux.never(), Stream.empty(), lambda, Optional.of(future),
					ResponseEntity.ok(future))) {
				assertThatIllegalStateException().isThrownBy(() -> complete.anything(late))
					.withMessageContaining("Complete.anything(Object) returned a ")
					.withMessageContaining("Return a CompletableFuture");
				assertThatIllegalStateException().isThrownBy(() -> complete.generic(late));
			}
			assertThatIllegalStateException().isThrownBy(() -> complete.body(future));
			assertThatIllegalStateException().isThrownBy(() -> complete.optional(future));
		}
		assertThat(registry.events).hasSize(28).filteredOn("released k"::equals).hasSize(14);
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

	static class ReturnsIterator {

		@DistributedLock("k")
		public Iterator<String> run() {
			return List.of("").iterator();
		}

	}

	static class ReturnsSupplier {

		@DistributedLock("k")
		public Supplier<String> run() {
			return () -> "";
		}

	}

	static class ReturnsRunnable {

		@DistributedLock("k")
		public Runnable run() {
			return () -> {
			};
		}

	}

	static class ReturnsSequence {

		@DistributedLock("k")
		public Sequence<String> run() {
			return SequencesKt.emptySequence();
		}

	}

	static class ReturnsChannel {

		@DistributedLock("k")
		public ReceiveChannel<String> run() {
			throw new IllegalStateException();
		}

	}

	static class ReturnsSpliterator {

		@DistributedLock("k")
		public Spliterator<String> run() {
			return List.of("").spliterator();
		}

	}

	static class ReturnsLazy {

		@DistributedLock("k")
		public Lazy<String> run() {
			return LazyKt.lazyOf("");
		}

	}

	static class ReturnsLambda {

		@DistributedLock("k")
		public Function0<String> run() {
			return () -> "";
		}

	}

	static class ContainsBody {

		@DistributedLock("k")
		public ResponseEntity<StreamingResponseBody> run() {
			return ResponseEntity.ok((out) -> {
			});
		}

	}

	static class ContainsFlux {

		@DistributedLock("k")
		public Mono<ResponseEntity<Flux<String>>> run() {
			return Mono.just(ResponseEntity.ok(Flux.empty()));
		}

	}

	static class ContainsFuture {

		@DistributedLock("k")
		public Optional<CompletableFuture<String>> run() {
			return Optional.empty();
		}

	}

	static class ContainsFutureDeeply {

		@DistributedLock("k")
		public Map<String, List<Future<String>>> run() {
			return Map.of();
		}

	}

	static class ContainsPublisherInAFuture {

		@DistributedLock("k")
		public CompletableFuture<List<Mono<String>>> run() {
			return CompletableFuture.completedFuture(List.of());
		}

	}

	static class ContainsStreamInAWildcard {

		@DistributedLock("k")
		public List<? extends Stream<?>> run() {
			return List.of();
		}

	}

	static class ContainsSupplier {

		@DistributedLock("k")
		public List<Supplier<String>> run() {
			return List.of();
		}

	}

	static class ContainsFutureByAVariable implements Task<List<Future<String>>> {

		@Override
		public List<Future<String>> run() {
			return List.of();
		}

	}

	static class ContainsFutureInAnArray {

		@DistributedLock("k")
		public CompletableFuture<?>[] run() {
			return new CompletableFuture<?>[0];
		}

	}

	static class Complete {

		@DistributedLock("k")
		public ResponseEntity<List<Map<String, Optional<Long>>>> data() {
			return ResponseEntity.ok(List.of());
		}

		@DistributedLock("k")
		public Class<? extends Future<?>> type() {
			return cast();
		}

		@SuppressWarnings("unchecked")
		private static Class<? extends Future<?>> cast() {
			return (Class<? extends Future<?>>) (Class<?>) Future.class;
		}

		@DistributedLock("k")
		public Task.Own task() {
			return new Task.Own();
		}

		@DistributedLock("k")
		public <T extends Comparable<T>> T selfBound(T value) {
			return value;
		}

		@DistributedLock("k")
		public Object anything(Object value) {
			return value;
		}

		@DistributedLock("k")
		public <T> T generic(T value) {
			return value;
		}

		@DistributedLock("k")
		public ResponseEntity<?> body(Object value) {
			return ResponseEntity.ok(value);
		}

		@DistributedLock("k")
		public <T> Optional<T> optional(T value) {
			return Optional.of(value);
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

		/** Data, though it can be run, too. */
		record Own() implements Runnable, Supplier<String> {

			@Override
			public void run() {
			}

			@Override
			public String get() {
				return "";
			}

		}

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
