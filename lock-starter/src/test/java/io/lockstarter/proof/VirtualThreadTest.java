// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Virtual threads that wait for a lock give up their carriers. Before JDK 24, a monitor
 * that is held pins one, and there is nothing to see.
 */
class VirtualThreadTest {

	private static final int THREADS = 400;

	private static final int ROUNDS = 5;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(2));

	private static final LockOptions HASTY = LockOptions.defaults().withWaitTime(Duration.ofMillis(20));

	@TempDir
	private Path directory;

	private RedisServer redis;

	private List<Instance> instances;

	@BeforeEach
	void start() {
		assumeTrue(Runtime.version().feature() >= 24, "Monitors pin virtual threads, or there are none");
		this.redis = RedisServers.start();
		this.instances = List.of(new Instance(this.redis.port()), new Instance(this.redis.port()));
	}

	@AfterEach
	void stop() {
		if (this.redis != null) {
			this.instances.forEach(Instance::close);
			this.redis.close();
		}
	}

	@Test
	void carrierIsNeverPinnedByAThreadThatLocks() throws Exception {
		AtomicInteger granted = new AtomicInteger();
		AtomicInteger refused = new AtomicInteger();
		try (Recording recording = new Recording();
				Lease held = this.instances.get(0).registry().acquire("held", PATIENT)) {
			// Threads that wait for a class to be loaded are pinned; that is not the
			// lock's.
			runAll(Executors.newFixedThreadPool(20), 40, granted, refused);
			recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
			recording.start();
			runAll(virtualThreads(), THREADS, granted, refused);
			ExecutorService pinned = virtualThreads();
			pinned.submit(Pinned::new).get(30, TimeUnit.SECONDS);
			pinned.shutdown();
			recording.stop();
			assertThat(held.isValid()).isTrue();
			assertThat(granted).hasValue((THREADS + 40) * ROUNDS * 3);
			assertThat(refused).hasValue((THREADS + 40) * ROUNDS);
			List<RecordedEvent> events = read(recording);
			assertThat(events).as("control").anyMatch(calledBy(Pinned.class.getName()::equals));
			assertThat(events).filteredOn(calledBy((type) -> type.startsWith("io.lockstarter.")))
				.filteredOn(calledBy(Pinned.class.getName()::equals).negate())
				.isEmpty();
		}
	}

	private void runAll(ExecutorService executor, int threads, AtomicInteger granted, AtomicInteger refused)
			throws Exception {
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				all.add(executor.submit(work(i, granted, refused)));
			}
			for (Future<?> thread : all) {
				thread.get(2, TimeUnit.MINUTES);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	private Callable<?> work(int number, AtomicInteger granted, AtomicInteger refused) {
		Instance instance = this.instances.get(number % this.instances.size());
		return () -> {
			LeasedLock lock = instance.registry().obtain("hot:" + number % 3, PATIENT);
			for (int round = 0; round < ROUNDS; round++) {
				instance.registry().acquire("hot:" + number % 5, PATIENT).close();
				granted.incrementAndGet();
				lock.lock();
				try {
					granted.incrementAndGet();
				}
				finally {
					lock.unlock();
				}
				instance.registry().acquire("own:" + number, PATIENT).close();
				granted.incrementAndGet();
				if (instance.registry().tryAcquire("held", HASTY).isEmpty()) {
					refused.incrementAndGet();
				}
			}
			return null;
		};
	}

	private List<RecordedEvent> read(Recording recording) throws IOException {
		Path file = this.directory.resolve("pinned.jfr");
		recording.dump(file);
		return RecordingFile.readAllEvents(file);
	}

	private static Predicate<RecordedEvent> calledBy(Predicate<String> type) {
		return (event) -> event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.anyMatch((frame) -> type.test(frame.getMethod().getType().getName()));
	}

	// By what Java 17 knows of them.
	private static ExecutorService virtualThreads() throws ReflectiveOperationException {
		return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

	/**
	 * Parks while its class is initialized, which pins.
	 */
	private static final class Pinned {

		static {
			LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
		}

	}

}
