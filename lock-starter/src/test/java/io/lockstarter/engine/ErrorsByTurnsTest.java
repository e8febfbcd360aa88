// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockListener;
import io.lockstarter.LockMode;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;
import io.lockstarter.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * An {@link Error}, as of a JVM that has no memory or no thread left, wherever the engine
 * calls something: the clock, which it looks at all the time, a timer, an executor, a
 * random number, the store, before and after it acts on a command, a monitor or a
 * listener. Each of these calls fails by turns, alone and with some that follow.
 * Afterwards every key can be had again, and nothing stays behind.
 */
@Timeout(300)
class ErrorsByTurnsTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults().withWaitTime(Duration.ofSeconds(2));

	private static final LockOptions ONCE = DEFAULTS.withWaitTime(Duration.ZERO);

	private static final LockOptions SHARED = DEFAULTS.withMode(LockMode.SHARED);

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final int MOST_CALLS = 5_000;

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter");

	@BeforeEach
	void expectErrors() {
		this.logger.setLevel(Level.OFF);
	}

	@AfterEach
	void expectNoneAnyMore() {
		this.logger.setLevel(null);
	}

	@ParameterizedTest
	@EnumSource
	void everyKeyCanBeHadAgain(Scene scene) {
		for (int length : new int[] { 1, 2, 7, 40 }) {
			int first = 1;
			while (new Play(scene, first, length).failsSomewhere()) {
				first++;
				assertThat(first).as("the scene ends").isLessThan(MOST_CALLS);
			}
			assertThat(first).as("calls of " + scene).isGreaterThan(10);
		}
	}

	/**
	 * What is done while calls fail. Whatever is thrown is the end of a step.
	 */
	enum Scene {

		ACQUIRE_AND_RELEASE {

			@Override
			void play(Play play) {
				play.block(() -> play.keep(play.one.tryAcquire("a", ONCE).orElseThrow()));
				play.block(() -> play.holder.call("a", ONCE, (scope) -> scope.fencingToken()));
				play.block(() -> play.close("a"));
				play.block(() -> play.holder.call("a", ONCE, (scope) -> scope.fencingToken()));
			}

		},

		WAIT_HERE {

			@Override
			void play(Play play) {
				for (int i = 0; i < 4; i++) {
					play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				}
				for (int i = 0; i < 4; i++) {
					play.pass(Duration.ofMillis(1));
					play.block(() -> play.close("a"));
				}
			}

		},

		WAIT_FOR_ANOTHER_INSTANCE {

			@Override
			void play(Play play) {
				play.block(() -> play.keep(play.two.tryAcquire("a", ONCE).orElseThrow()));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("a", ONCE));
				play.pass(Duration.ofMillis(200));
				play.block(() -> play.close("a"));
				play.pass(Duration.ofMillis(200));
				play.request(() -> play.two.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.pass(Duration.ofMillis(50));
				play.block(() -> play.close("a"));
				play.pass(Duration.ofMillis(50));
				play.block(() -> play.close("a"));
			}

		},

		GIVE_UP {

			@Override
			void play(Play play) {
				play.block(() -> play.keep(play.two.tryAcquire("a", ONCE).orElseThrow()));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS.withWaitTime(Duration.ofMillis(50))));
				play.pass(Duration.ofMillis(100));
				play.step(() -> play.requests.get(0).cancel(false));
				play.pass(Duration.ofMillis(100));
			}

		},

		RENEW_AND_LOSE {

			@Override
			void play(Play play) {
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("b", DEFAULTS.withRenew(false)));
				play.pass(TTL);
				play.block(() -> play.leases.forEach((lease) -> lease.extend(TTL)));
				play.pass(TTL);
			}

		},

		SEVERAL_KEYS {

			@Override
			void play(Play play) {
				LeasedLock lock = play.holder.obtainAll(List.of("a", "b", "c"), ONCE);
				play.block(() -> {
					lock.acquire();
					play.step(() -> play.holder.call("b", ONCE, (scope) -> scope.fencingToken()));
					lock.unlock();
				});
				play.block(() -> play.keep(play.two.tryAcquire("b", ONCE).orElseThrow()));
				play.requestAll(() -> play.one.acquireAllAsync(List.of("a", "b", "c"), DEFAULTS));
				play.requestAll(() -> play.one.acquireAllAsync(List.of("a", "b"), ONCE));
				play.request(() -> play.one.acquireAsync("a", ONCE));
				play.pass(Duration.ofMillis(100));
				play.block(() -> play.close("b"));
				play.pass(Duration.ofMillis(100));
			}

		},

		PERMITS {

			@Override
			void play(Play play) {
				for (int i = 0; i < 3; i++) {
					play.request(() -> play.one.permits("a", 2, DEFAULTS).acquireAsync());
				}
				play.block(() -> play.keep(play.two.permits("a", 2, ONCE).tryAcquire().orElseThrow()));
				play.pass(Duration.ofMillis(100));
				play.block(() -> play.leases.get(0).close());
				play.pass(Duration.ofMillis(100));
			}

		},

		SHARE {

			@Override
			void play(Play play) {
				play.request(() -> play.one.acquireAsync("a", SHARED));
				play.request(() -> play.one.acquireAsync("a", SHARED));
				play.request(() -> play.two.acquireAsync("a", SHARED));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("a", SHARED.withWaitTime(Duration.ZERO)));
				play.pass(Duration.ofMillis(100));
				play.block(() -> play.close("a"));
				play.block(() -> play.close("a"));
				play.block(() -> play.close("a"));
				play.pass(Duration.ofMillis(100));
				LeasedLock lock = play.holder.obtain("b", ONCE);
				LeasedLock shared = play.holder.obtain("b", ONCE.withMode(LockMode.SHARED));
				play.block(lock::acquire);
				play.block(shared::acquire);
				play.block(lock::unlock);
				play.block(shared::unlock);
			}

		},

		KEEP_FOR_A_MINIMUM_HOLD {

			@Override
			void play(Play play) {
				play.request(() -> play.one.acquireAsync("a", DEFAULTS.withMinHold(Duration.ofMillis(500))));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.pass(Duration.ofMillis(100));
				play.block(() -> play.close("a"));
				play.pass(Duration.ofSeconds(1));
			}

		},

		RELEASE_BY_FORCE {

			@Override
			void play(Play play) {
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.step(() -> {
					var unused = play.two.forceRelease("a", null);
				});
				play.pass(Duration.ofMillis(100));
			}

		},

		STOP {

			@Override
			void play(Play play) {
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.request(() -> play.one.acquireAsync("a", DEFAULTS));
				play.requestAll(() -> play.one.acquireAllAsync(List.of("a", "b"), DEFAULTS));
				play.block(play.one::stop);
				play.block(() -> play.close("a"));
				play.block(play.one::stop);
				play.block(play.one::start);
				play.request(() -> play.one.acquireAsync("b", DEFAULTS));
			}

		};

		abstract void play(Play play);

	}

	/**
	 * One performance, in which some calls fail.
	 */
	private static final class Play {

		private final ManualTiming time = new ManualTiming();

		private final MemoryLockStore memory = MemoryStores.on(new SurvivingPlatform(this.time.tasksInTicks()));

		private final List<CompletableFuture<?>> requests = new ArrayList<>();

		private final List<Lease> leases = new ArrayList<>();

		private final DefaultLockRegistry one = registry("one");

		private final DefaultLockRegistry two = registry("two");

		private final LockRegistry holder = this.one.withHolder("holder");

		private final Scene scene;

		private final int first;

		private final int length;

		private int calls;

		private boolean failing;

		private boolean failed;

		private final Error planted = new Error("planted");

		Play(Scene scene, int first, int length) {
			this.scene = scene;
			this.first = first;
			this.length = length;
		}

		/**
		 * Play the scene.
		 * @return whether it has a call that failed
		 */
		boolean failsSomewhere() {
			warmUp();
			try {
				this.failing = true;
				this.scene.play(this);
				this.failing = false;
				checkNothingStays();
			}
			catch (Throwable ex) {
				fail("%s, calls %d to %d fail, the first one at %s".formatted(this.scene, this.first,
						this.first + this.length - 1, List.of(this.planted.getStackTrace())), ex);
			}
			return this.failed;
		}

		private void warmUp() {
			for (DefaultLockRegistry registry : List.of(this.one, this.two)) {
				registry.acquireAsync("warm", ONCE).join().close();
			}
		}

		private void checkNothingStays() {
			pass(Duration.ofMillis(500));
			closeAll();
			pass(TTL.multipliedBy(4));
			closeAll();
			assertThat(this.requests).as("requests").allMatch(CompletableFuture::isDone);
			this.one.start();
			for (String key : List.of("a", "b", "c")) {
				for (DefaultLockRegistry registry : List.of(this.one, this.two)) {
					CompletableFuture<Lease> again = registry.acquireAsync(key, ONCE);
					pass(Duration.ofMillis(1));
					assertThat(again).as("key " + key).isCompletedWithValueMatching(Lease::isValid);
					again.join().close();
				}
				assertThat(this.holder.obtain(key).holdCount()).as("holds of " + key).isZero();
			}
			for (int i = 0; i < 2; i++) {
				CompletableFuture<Lease> permit = this.two.permits("a", 2, ONCE).acquireAsync();
				assertThat(permit).as("permit").isCompletedWithValueMatching(Lease::isValid);
				this.leases.add(permit.join());
			}
			closeAll();
			pass(Duration.ofMinutes(20));
			assertThat(SimulatedRegistry.leftovers(this.one)).isEmpty();
			assertThat(SimulatedRegistry.leftovers(this.two)).isEmpty();
			assertThat(MemoryStores.size(this.memory)).as("keys in the store").isZero();
		}

		/**
		 * Close what was acquired, as each holder does in the end, also if that throws.
		 */
		private void closeAll() {
			List<Lease> left = List.copyOf(this.leases);
			this.leases.clear();
			if (!left.isEmpty()) {
				block(() -> left.forEach(Lease::close));
			}
		}

		/**
		 * Do something that blocks nobody.
		 */
		void step(Step step) {
			try {
				step.run();
			}
			catch (Throwable ex) {
				// the end of the step
			}
		}

		/**
		 * Do something on a thread, for which time passes while it waits.
		 */
		void block(Step step) {
			Thread thread = new Thread(() -> step(step));
			thread.setDaemon(true);
			thread.start();
			try {
				thread.join(1);
				for (int i = 0; thread.isAlive() && i < 1_000; i++) {
					pass(Duration.ofMillis(50));
					LockSupport.unpark(thread);
					thread.join(1);
				}
				if (thread.isAlive()) {
					AssertionError stuck = new AssertionError("a thread waits for ever");
					stuck.setStackTrace(thread.getStackTrace());
					throw stuck;
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		void keep(Lease lease) {
			this.leases.add(lease);
		}

		/**
		 * Close the first lease of a key, and only try once.
		 */
		void close(String key) {
			Lease lease = this.leases.stream().filter((each) -> each.key().equals(key)).findFirst().orElse(null);
			if (lease != null) {
				this.leases.remove(lease);
				lease.close();
			}
		}

		void request(Request<Lease> request) {
			request(request, this.leases::add);
		}

		void requestAll(Request<List<Lease>> request) {
			request(request, this.leases::addAll);
		}

		private <T> void request(Request<T> request, Consumer<T> leases) {
			step(() -> {
				CompletableFuture<T> made = request.make();
				this.requests.add(made);
				var unused = made.thenAccept(leases);
			});
		}

		void pass(Duration duration) {
			this.time.tick(duration);
		}

		private DefaultLockRegistry registry(String instance) {
			RegistrySettings settings = ManualEngine.settings()
				.withTtl(TTL)
				.withCommandTimeout(Duration.ofMillis(500))
				.withPollInterval(Duration.ofSeconds(1))
				.withWarnAfter(Duration.ofSeconds(1));
			return new DefaultLockRegistry(instance, store(), settings, List.of(new FailingListener(this)),
					List.of(new FailingMonitor(this)), new FailingPlatform(this));
		}

		private LockStore store() {
			return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
					new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> {
						boolean command = CompletableFuture.class.isAssignableFrom(method.getReturnType());
						if (command) {
							mayFail();
						}
						try {
							Object result = method.invoke(this.memory, arguments);
							if (command) {
								mayFail();
							}
							return (command && mayFailLater()) ? CompletableFuture.failedFuture(this.planted) : result;
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

		void mayFail() {
			if (mayFailLater()) {
				throw this.planted;
			}
		}

		private boolean mayFailLater() {
			if (!this.failing) {
				return false;
			}
			this.calls++;
			boolean fails = this.calls >= this.first && this.calls < this.first + this.length;
			if (fails && !this.failed) {
				this.failed = true;
				this.planted.fillInStackTrace();
			}
			return fails;
		}

	}

	/**
	 * The platform of the test, whose threads survive what tasks throw.
	 */
	private static final class FailingPlatform extends ForwardingPlatform {

		private final Play play;

		private final RandomGenerator random = (RandomGenerator) () -> {
			FailingPlatform.this.play.mayFail();
			return 7;
		};

		FailingPlatform(Play play) {
			this.play = play;
		}

		@Override
		public long nanoTime() {
			this.play.mayFail();
			return this.play.time.nanoTime();
		}

		@Override
		public RandomGenerator random() {
			return this.random;
		}

		@Override
		public Timer timer(String thread) {
			Timer timer = this.play.time.timer(thread);
			return new Timer() {

				@Override
				public long nanoTime() {
					return FailingPlatform.this.nanoTime();
				}

				@Override
				public Runnable schedule(Runnable task, long delay) {
					FailingPlatform.this.play.mayFail();
					return timer.schedule(() -> runOnThread(task), delay);
				}

				@Override
				public Runnable repeat(Runnable task, long pause) {
					FailingPlatform.this.play.mayFail();
					return timer.repeat(() -> runOnThread(task), pause);
				}

			};
		}

		@Override
		public Timer logTimer() {
			return timer("log");
		}

		@Override
		public Workers workers(String thread, Timer timer) {
			return (task) -> {
				this.play.mayFail();
				runOnThread(task);
			};
		}

		@Override
		public boolean await(CompletableFuture<?> future, long nanos) {
			return future.isDone();
		}

		private static void runOnThread(Runnable task) {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				// what an executor does with it
			}
		}

	}

	/**
	 * The platform of a store, whose thread survives what tasks throw.
	 */
	private static final class SurvivingPlatform extends ForwardingPlatform {

		private final Platform platform;

		SurvivingPlatform(Platform platform) {
			this.platform = platform;
		}

		@Override
		public long nanoTime() {
			return this.platform.nanoTime();
		}

		@Override
		public void execute(Runnable task) {
			this.platform.execute(() -> FailingPlatform.runOnThread(task));
		}

	}

	private record FailingMonitor(Play play) implements LockMonitor {

		@Override
		public void acquired(Lease lease, long waited, boolean handedOn) {
			this.play.mayFail();
		}

		@Override
		public void notAcquired(String key, String name, Reason reason, long waited, List<String> holders) {
			this.play.mayFail();
		}

		@Override
		public void released(Lease lease, long held) {
			this.play.mayFail();
		}

	}

	private record FailingListener(Play play) implements LockListener {

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			this.play.mayFail();
		}

	}

	@FunctionalInterface
	private interface Step {

		void run() throws Throwable;

	}

	@FunctionalInterface
	private interface Request<T> {

		CompletableFuture<T> make() throws Throwable;

	}

}
