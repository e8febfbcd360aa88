// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Where the methods run that wait for their lock without a thread, and what they find
 * there.
 */
class AsyncExecutorTest {

	private static final ThreadLocal<@Nullable String> USER = new ThreadLocal<>();

	private final RecordingRegistry registry = new RecordingRegistry();

	private final List<Runnable> tasks = new ArrayList<>();

	@Test
	void methodRunsOnTheExecutorEvenIfItsKeyIsFree() {
		try (LockedContext context = LockedContext.withExecutor(this.registry, this.tasks::add, Work.class)) {
			Work work = context.bean(Work.class);
			CompletableFuture<String> future = work.run();
			assertThat(future).isNotDone();
			CompletableFuture<String> mono = work.runReactively().toFuture();
			assertThat(mono).isNotDone();
			assertThat(this.tasks).hasSize(2);
			this.tasks.forEach(Runnable::run);
			assertThat(future.join()).isEqualTo("ran as null");
			assertThat(mono.join()).isEqualTo("ran as null");
			assertThat(this.registry.events).containsExactly("acquired k", "acquired k", "released k", "released k");
		}
	}

	@Test
	void methodFindsTheContextOfItsCaller() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("user", USER);
		try (LockedContext context = LockedContext.withExecutor(this.registry, this.tasks::add, Work.class)) {
			Work work = context.bean(Work.class);
			USER.set("alice");
			CompletableFuture<String> future = work.run();
			CompletableFuture<String> mono = work.runReactively().toFuture();
			USER.set("engine");
			this.tasks.forEach(Runnable::run);
			assertThat(future.join()).isEqualTo("ran as alice");
			assertThat(mono.join()).isEqualTo("ran as alice");
			assertThat(USER.get()).isEqualTo("engine");
		}
		finally {
			USER.remove();
			ContextRegistry.getInstance().removeThreadLocalAccessor("user");
		}
	}

	@Test
	void methodHasTheClassLoaderOfTheApplication() {
		Thread thread = Thread.currentThread();
		ClassLoader application = thread.getContextClassLoader();
		try (LockedContext context = LockedContext.withExecutor(this.registry, this.tasks::add, Work.class)) {
			Work work = context.bean(Work.class);
			CompletableFuture<ClassLoader> loader = work.loader();
			thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
			this.tasks.forEach(Runnable::run);
			assertThat(loader.join()).isSameAs(application);
			assertThat(thread.getContextClassLoader()).isSameAs(ClassLoader.getPlatformClassLoader());
		}
		finally {
			thread.setContextClassLoader(application);
		}
	}

	@Test
	void callThatIsCancelledBeforeItsTaskRunsKeepsNoLock() {
		try (LockedContext context = LockedContext.withExecutor(this.registry, this.tasks::add, Work.class)) {
			Work work = context.bean(Work.class);
			CompletableFuture<String> future = work.run();
			future.cancel(false);
			Disposable mono = work.runReactively().subscribe();
			mono.dispose();
			assertThat(this.registry.events).containsExactly("acquired k", "released k", "acquired k", "released k");
			this.tasks.forEach(Runnable::run);
			assertThat(this.registry.events).hasSize(4);
		}
	}

	@Test
	void methodNeverRunsOnTheThreadOfItsCallerHoweverSoonTheExecutorIs() {
		Executor soon = (task) -> {
			Thread thread = new Thread(task, "executor");
			thread.start();
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		};
		try (LockedContext context = LockedContext.withExecutor(this.registry, soon, Work.class)) {
			Work work = context.bean(Work.class);
			assertThat(work.thread().join()).isEqualTo("executor");
			assertThat(work.threadReactively().block()).isEqualTo("executor");
		}
	}

	@Test
	void callFailsAndItsLockIsReleasedIfThereIsNoThread() {
		RejectedExecutionException full = new RejectedExecutionException("full");
		Executor refusing = (task) -> {
			throw full;
		};
		try (LockedContext context = LockedContext.withExecutor(this.registry, refusing, Work.class)) {
			Work work = context.bean(Work.class);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> work.run().join()).withCause(full);
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> work.runReactively().toFuture().join())
				.withCause(full);
			assertThat(this.registry.events).containsExactly("acquired k", "released k", "acquired k", "released k");
			this.registry.refusal = new LockNotAcquiredException("k", Duration.ZERO, List.of());
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> work.run().join())
				.withCauseInstanceOf(LockNotAcquiredException.class)
				.satisfies((ex) -> assertThat(ex.getCause().getSuppressed()).containsExactly(full));
			for (CompletableFuture<String> skipped : List.of(work.skip(), work.skipReactively().toFuture())) {
				assertThat(skipped).as("nor is there a thread to answer on").isCompletedExceptionally();
			}
		}
	}

	@Test
	void callFailsOnceAndItsLockIsReleasedIfThePoolKeepsATaskForWhichItHasNoThread() {
		OutOfMemoryError none = new OutOfMemoryError("planted");
		Executor keeping = (task) -> {
			this.tasks.add(task);
			throw none;
		};
		try (LockedContext context = LockedContext.withExecutor(this.registry, keeping, Work.class)) {
			Work work = context.bean(Work.class);
			CompletableFuture<String> future = work.run();
			CompletableFuture<String> mono = work.runReactively().toFuture();
			for (CompletableFuture<String> failed : List.of(future, mono)) {
				assertThat(failed).isCompletedExceptionally();
				assertThatExceptionOfType(CompletionException.class).isThrownBy(failed::join)
					.havingCause()
					.isInstanceOf(RejectedExecutionException.class)
					.withCause(none);
			}
			assertThat(this.registry.events).containsExactly("acquired k", "released k", "acquired k", "released k");
			this.tasks.forEach(Runnable::run);
			assertThat(this.registry.events).as("not run without its lock").hasSize(4);
			assertThat(work.runs()).isZero();
		}
	}

	@Test
	void typesInKeysAreThoseOfTheApplicationWhoeverEvaluatesFirst() throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader application = thread.getContextClassLoader();
		try (LockedContext context = LockedContext.withExecutor(this.registry, Runnable::run, Work.class);
				URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
			thread.setContextClassLoader(empty);
			context.bean(Work.class).typed();
			assertThat(this.registry.keys).containsExactly("seven");
		}
		finally {
			thread.setContextClassLoader(application);
		}
	}

	static class Work {

		int runs;

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public CompletableFuture<String> skip() {
			return CompletableFuture.completedFuture("");
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public Mono<String> skipReactively() {
			return Mono.just("");
		}

		@DistributedLock("k")
		public CompletableFuture<String> run() {
			this.runs++;
			return CompletableFuture.completedFuture("ran as " + USER.get());
		}

		@DistributedLock("k")
		public Mono<String> runReactively() {
			return Mono.fromSupplier(() -> "ran as " + USER.get());
		}

		@DistributedLock("k")
		public CompletableFuture<String> thread() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@DistributedLock("k")
		public Mono<String> threadReactively() {
			return Mono.just(Thread.currentThread().getName());
		}

		@DistributedLock("k")
		public CompletableFuture<ClassLoader> loader() {
			return CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader());
		}

		public int runs() {
			return this.runs;
		}

		@DistributedLock("#{T(io.lockstarter.interceptor.AsyncExecutorTest$Names).SEVEN}")
		public void typed() {
		}

	}

	/**
	 * Read by a key.
	 */
	public static final class Names {

		/**
		 * A part of a key.
		 */
		public static final String SEVEN = "seven";

		private Names() {
		}

	}

}
