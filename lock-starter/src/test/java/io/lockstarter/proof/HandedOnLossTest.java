// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis loses a lock that the threads of a JVM pass on to each other, and gives it to
 * another one.
 */
class HandedOnLossTest {

	/**
	 * Either a renewal finds out, or whoever asks Redis again at a hand-on.
	 */
	@ParameterizedTest
	@CsvSource({ "PT2S, PT1M", "PT1M, PT0.5S" })
	void lossOfALockThatIsPassedOnIsTold(Duration ttl, Duration pollInterval) throws InterruptedException {
		RegistrySettings settings = RegistrySettings.defaults().withPollInterval(pollInterval);
		LockOptions options = LockOptions.defaults().withTtl(ttl).withWaitTime(Duration.ofSeconds(30));
		CountDownLatch over = new CountDownLatch(1);
		ExecutorService threads = Executors.newFixedThreadPool(3);
		try (RedisServer redis = RedisServers.start();
				Instance instance = new Instance(redis.port(), settings);
				Instance other = new Instance(redis.port(), settings)) {
			List<Future<?>> holders = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				holders.add(threads.submit(() -> {
					boolean last = false;
					while (!last) {
						last = instance.registry()
							.call("stock:42", options, (scope) -> over.await(10, TimeUnit.MILLISECONDS));
					}
					return null;
				}));
			}
			await().until(() -> redis.commands().del("{lock}lock:stock:42") == 1);
			Lease stolen = other.registry().acquire("stock:42", options);
			await().atMost(Duration.ofSeconds(10)).until(() -> !instance.events().isEmpty());
			stolen.close();
			over.countDown();
			assertThat(holders).allSatisfy((holder) -> assertThat(holder).succeedsWithin(Duration.ofSeconds(30)));
			assertThat(instance.events()).containsExactly("lost TAKEN stock:42");
			assertThat(other.events()).isEmpty();
		}
		finally {
			threads.shutdownNow();
		}
	}

}
