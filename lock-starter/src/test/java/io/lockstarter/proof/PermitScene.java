// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.Permits;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three instances and two permits: the third waits, and gets what is given back.
 */
final class PermitScene implements AutoCloseable {

	static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	// Longer than any of this, so that only a signal wakes up in time.
	private static final Duration POLL_INTERVAL = Duration.ofMinutes(1);

	private final List<Instance> instances = new ArrayList<>();

	void add(Instance instance) {
		this.instances.add(instance);
	}

	void thirdWaitsUntilAPermitIsGivenBack() {
		List<Permits> permits = this.instances.stream().map((instance) -> permits(instance, PATIENCE)).toList();
		List<Lease> held = permits.subList(0, 2).stream().map((each) -> each.acquireAsync().join()).toList();
		assertThat(held).allMatch(Lease::isValid).extracting(Lease::key).doesNotHaveDuplicates();
		CompletableFuture<Lease> third = permits.get(2).acquireAsync();
		await().atMost(PATIENCE).until(() -> this.instances.get(2).registry().waiterCount() == 1);
		assertThat(this.instances).allSatisfy((instance) -> {
			assertThat(permits(instance, Duration.ZERO).acquireAsync()).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(permits.get(0).available()).succeedsWithin(PATIENCE).isEqualTo(0);
		});
		assertThat(third).isNotDone();
		held.get(0).close();
		assertThat(third).succeedsWithin(PATIENCE);
		assertThat(third.join().key()).isEqualTo(held.get(0).key());
		assertThat(third.join().fencingToken()).isGreaterThan(held.get(0).fencingToken());
		assertThat(held.get(1).isValid()).isTrue();
		held.get(1).close();
		third.join().close();
		await().atMost(PATIENCE).until(() -> permits.get(0).available().join() == 2);
	}

	private static Permits permits(Instance instance, Duration wait) {
		return instance.registry().permits("checkout", 2, LockOptions.defaults().withTtl(TTL).withWaitTime(wait));
	}

	static RegistrySettings settings() {
		return Instance.settings(Duration.ofSeconds(5), POLL_INTERVAL).withTtl(TTL);
	}

	static List<String> locks(RedisServer server) {
		return server.commands().keys("*lock:permit:*");
	}

	@Override
	public void close() {
		this.instances.forEach(Instance::close);
		this.instances.clear();
	}

}
