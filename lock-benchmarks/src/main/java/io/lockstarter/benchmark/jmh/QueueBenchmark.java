// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.jmh;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LeasedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the engine does without any I/O: a lock that is free, one that is held already,
 * and the hand-on from thread to thread through the local queue.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class QueueBenchmark {

	private static final int NESTED = 10;

	private final DefaultLockRegistry registry = new DefaultLockRegistry("jmh", new MemoryLockStore(),
			RegistrySettings.defaults(), List.of());

	private final DefaultLockRegistry measured = new DefaultLockRegistry("jmh-measured", new MemoryLockStore(),
			RegistrySettings.defaults(), List.of(), List.of(new LockMetrics(new SimpleMeterRegistry())));

	private final LeasedLock shared = this.registry.obtain("shared");

	/**
	 * Stop the registry.
	 */
	@TearDown
	public void stop() {
		this.registry.stop();
		this.measured.stop();
	}

	@Benchmark
	@BenchmarkMode(Mode.AverageTime)
	@OutputTimeUnit(TimeUnit.NANOSECONDS)
	public long free(OwnKey own) {
		return own.section(this.registry.obtain(own.key));
	}

	@Benchmark
	@BenchmarkMode(Mode.AverageTime)
	@OutputTimeUnit(TimeUnit.NANOSECONDS)
	public long freeWithMetrics(OwnKey own) {
		return own.section(this.measured.obtain(own.key));
	}

	@Benchmark
	@OperationsPerInvocation(NESTED)
	public long reentrant(OwnKey own) {
		LeasedLock lock = this.registry.obtain(own.key);
		lock.lock();
		try {
			for (int i = 0; i < NESTED; i++) {
				own.section(lock);
			}
			return own.sections;
		}
		finally {
			lock.unlock();
		}
	}

	@Benchmark
	@Threads(8)
	public long handOn(OwnKey own) {
		return own.section(this.shared);
	}

	/**
	 * A key for each thread, and something to do.
	 */
	@State(Scope.Thread)
	public static class OwnKey {

		final String key = "own-" + Thread.currentThread().getId();

		long sections;

		long section(LeasedLock lock) {
			lock.lock();
			try {
				return ++this.sections;
			}
			finally {
				lock.unlock();
			}
		}

	}

}
