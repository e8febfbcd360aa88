// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.migration.OldLocks;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A rolling deploy from each old lock to ours, by way of instances that hold both: all
 * count, in a way that loses updates unless sections exclude each other.
 */
@Tag("proof")
class RollingDeployTest {

	private static final String NAME = "42";

	private static final int INSTANCES = 2;

	private static final int THREADS = 2;

	private static final int SECTIONS = 150;

	private static final LockOptions OPTIONS = LockOptions.defaults().withWaitTime(Duration.ofMinutes(2));

	private final RedisServer redis = RedisServers.start();

	private final AtomicLong counter = new AtomicLong();

	private final AtomicLong sections = new AtomicLong();

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger overlaps = new AtomicInteger();

	private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

	private final List<Service> running = new ArrayList<>();

	@AfterEach
	void close() {
		this.running.forEach(Service::stop);
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void noUpdateIsLost(OldClient.Kind kind) {
		List<Service> old = start(() -> old(kind));
		awaitSections(old);
		List<Service> both = start(() -> ours(kind, new Instance(this.redis.port(),
				RedisStoreSettings.defaults().withScriptPart(new OldLocks(List.of(kind.rule()))))));
		awaitSections(old, both);
		stop(old);
		awaitSections(both);
		List<Service> ours = start(() -> ours(kind, new Instance(this.redis.port())));
		awaitSections(both, ours);
		stop(both);
		awaitSections(ours);
		stop(ours);
		assertThat(this.failures).isEmpty();
		assertThat(this.overlaps).as("sections inside of others").hasValue(0);
		assertThat(this.counter).as("counter").hasValue(this.sections.get());
		assertThat(this.redis.keys("*")).allMatch((key) -> key.startsWith("{lock}"))
			.noneMatch((key) -> key.startsWith("{lock}lock:") || key.startsWith("{lock}old-"));
		System.out.printf("Rolling deploy from %s: %,d sections%n", kind, this.sections.get());
	}

	/** What would happen without the old lock: the witness sees it. */
	@Test
	void instancesThatDoNotHoldTheOldLockOverlap() {
		start(() -> old(OldClient.Kind.REDISSON));
		start(() -> ours(OldClient.Kind.REDISSON, new Instance(this.redis.port())));
		await().atMost(Duration.ofMinutes(2)).until(() -> this.overlaps.get() > 0);
		assertThat(this.failures).isEmpty();
	}

	private List<Service> start(Supplier<Service> launch) {
		List<Service> started = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			started.add(launch.get());
		}
		this.running.addAll(started);
		return started;
	}

	private static void stop(List<Service> services) {
		services.forEach(Service::stop);
	}

	private void awaitSections(List<Service> some, List<Service> others) {
		awaitSections(Stream.concat(some.stream(), others.stream()).toList());
	}

	private void awaitSections(List<Service> services) {
		List<Long> goals = services.stream().map((service) -> service.served.get() + SECTIONS).toList();
		await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(20)).until(() -> {
			assertThat(this.failures).isEmpty();
			for (int i = 0; i < goals.size(); i++) {
				if (services.get(i).served.get() < goals.get(i)) {
					return false;
				}
			}
			return true;
		});
	}

	private Service old(OldClient.Kind kind) {
		OldClient client = kind.start(this.redis, Duration.ofMinutes(1));
		return new Service(client::close, () -> {
			if (client.tryLock(NAME, Duration.ofMinutes(2))) {
				section();
				client.unlock(NAME);
			}
		});
	}

	private Service ours(OldClient.Kind kind, Instance instance) {
		LockRegistry registry = instance.registry();
		return new Service(instance::close, () -> registry.call(kind.key(NAME), OPTIONS, (scope) -> {
			section();
			return null;
		}));
	}

	private void section() {
		if (this.inside.incrementAndGet() != 1) {
			this.overlaps.incrementAndGet();
		}
		long before = this.counter.get();
		LockSupport.parkNanos(20_000);
		this.counter.set(before + 1);
		this.sections.incrementAndGet();
		this.inside.decrementAndGet();
	}

	/**
	 * One instance, some threads of which count until it is stopped.
	 */
	private final class Service {

		private final AtomicLong served = new AtomicLong();

		private final List<CompletableFuture<?>> threads = new ArrayList<>();

		private final Runnable close;

		private volatile boolean stopped;

		Service(Runnable close, Section section) {
			this.close = close;
			for (int i = 0; i < THREADS; i++) {
				this.threads.add(CompletableFuture.runAsync(() -> repeat(section), (task) -> new Thread(task).start()));
			}
		}

		private void repeat(Section section) {
			while (!this.stopped) {
				try {
					section.run();
					this.served.incrementAndGet();
				}
				catch (Exception ex) {
					RollingDeployTest.this.failures.add(ex);
					return;
				}
			}
		}

		void stop() {
			if (!this.stopped) {
				this.stopped = true;
				this.threads.forEach(CompletableFuture::join);
				this.close.run();
			}
		}

	}

	private interface Section {

		void run() throws Exception;

	}

}
