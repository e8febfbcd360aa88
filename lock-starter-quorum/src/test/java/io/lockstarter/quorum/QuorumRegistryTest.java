// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registries that share a quorum of three servers, while one after the other is killed,
 * frozen, and started without its memory.
 */
@Tag("proof")
class QuorumRegistryTest {

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final Duration ABSTENTION = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final int INSTANCES = 3;

	private static final int THREADS = 2;

	private static final int SECTIONS = 100;

	private static final List<String> FAULTS = List.of("kill", "freeze", "forget");

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger sections = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicLong lastToken = new AtomicLong();

	private final List<String> breaches = new ArrayList<>();

	private volatile boolean over;

	@Test
	void sectionsExcludeEachOtherAndTokensGrowWhileAMinorityFails() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(INSTANCES * THREADS);
		List<DefaultLockRegistry> registries = new ArrayList<>();
		try (Servers servers = new Servers(3, ABSTENTION)) {
			for (int i = 0; i < INSTANCES; i++) {
				registries.add(new DefaultLockRegistry("instance-" + i, servers.store(), RegistrySettings.defaults(),
						List.of()));
				registries.get(i).start();
			}
			servers.awaitReady(servers.store());
			CompletableFuture<?>[] running = IntStream.range(0, INSTANCES * THREADS)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> contend(registries.get(i % INSTANCES)), threads))
				.toArray(CompletableFuture<?>[]::new);
			for (int fault = 0; fault < FAULTS.size(); fault++) {
				awaitSections();
				fail(servers, fault, FAULTS.get(fault));
			}
			awaitSections();
			this.over = true;
			assertThat(CompletableFuture.allOf(running)).succeedsWithin(PATIENCE);
			registries.forEach(DefaultLockRegistry::stop);
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.breaches).isEmpty();
	}

	// The others go on without this one, and with it again before the next one fails.
	private void fail(Servers servers, int node, String fault) {
		switch (fault) {
			case "kill" -> servers.get(node).kill();
			case "freeze" -> servers.get(node).pause();
			default -> servers.get(node).restartEmpty();
		}
		awaitSections();
		switch (fault) {
			case "kill" -> servers.get(node).start();
			case "freeze" -> servers.get(node).resume();
			default -> {
			}
		}
		String joining = "{lock}joining";
		await(() -> servers.get(node).commands().exists("{lock}server") == 1
				&& servers.get(node).commands().exists(joining) == 0);
	}

	private void awaitSections() {
		int before = this.sections.get();
		await(() -> this.sections.get() >= before + SECTIONS);
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(PATIENCE).until(condition);
	}

	private void contend(DefaultLockRegistry registry) {
		LockOptions options = LockOptions.defaults().withTtl(TTL).withWaitTime(Duration.ofSeconds(30));
		while (!this.over) {
			try (Lease lease = registry.acquire("shared", options)) {
				section(lease);
			}
			catch (LockException ex) {
				this.failures.incrementAndGet();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	private void section(Lease lease) {
		long token = lease.fencingToken();
		int others = this.inside.getAndIncrement();
		long before = this.lastToken.getAndSet(token);
		boolean valid = lease.isValid();
		this.inside.decrementAndGet();
		this.sections.incrementAndGet();
		// A lease that ended meanwhile is reported, and may overlap with the next one.
		if (valid && (others > 0 || token <= before)) {
			synchronized (this.breaches) {
				this.breaches.add("token %d after %d beside %d others".formatted(token, before, others));
			}
		}
	}

}
