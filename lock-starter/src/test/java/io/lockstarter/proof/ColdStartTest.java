// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The first connection takes its time, as it does on a busy machine where many start at
 * once: longer than an answer of Redis may ever take.
 */
@Tag("proof")
class ColdStartTest {

	private static final Duration SLOW = Duration.ofSeconds(4);

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(2500);

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private final RedisServer redis = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.redis.port());

	@AfterEach
	void close() {
		this.proxy.close();
		this.redis.close();
	}

	@Test
	void firstCallsWaitForTheConnectionAndSucceed() throws InterruptedException {
		connectSlowly();
		try (Instance instance = new Instance(this.proxy.port(),
				Instance.settings(COMMAND_TIMEOUT, Duration.ofSeconds(1)))) {
			CompletableFuture<Lease> patient = instance.registry().acquireAsync("patient", OPTIONS);
			assertThat(instance.registry().tryAcquire("once", OPTIONS.withWaitTime(Duration.ZERO))).isPresent();
			assertThat(instance.registry().acquire("waits", OPTIONS).isValid()).isTrue();
			assertThat(patient).succeedsWithin(Duration.ofSeconds(10));
			assertThat(instance.events()).isEmpty();
		}
	}

	@Test
	void annotatedMethodThatMayGoWithoutItsLockDoesNotDoSoMeanwhile() {
		connectSlowly();
		try (ConfigurableApplicationContext context = run("--distributed-lock.command-timeout=2500ms")) {
			Stock stock = context.getBean(Stock.class);
			assertThat(stock.keyWhileRunning(this.redis)).as("the lock while the method runs").isNotNull();
			assertThat(stock.keyWhileRunning(this.redis)).isNotNull();
		}
	}

	@Test
	void connectionThatIsNeverMadeIsToldAsSuchAfterTheConnectTimeout() {
		this.proxy.stall();
		try (ConfigurableApplicationContext context = run("--distributed-lock.command-timeout=300ms",
				"--distributed-lock.connect-timeout=1500ms")) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			long begin = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> registry.tryAcquire("stock:42", OPTIONS.withWaitTime(Duration.ZERO)))
				.withMessageContaining("connect")
				.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isFalse());
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(500),
					Duration.ofMillis(6500));
			this.proxy.heal();
		}
	}

	private void connectSlowly() {
		this.proxy.stall();
		CompletableFuture.delayedExecutor(SLOW.toMillis(), TimeUnit.MILLISECONDS).execute(this.proxy::heal);
	}

	private ConfigurableApplicationContext run(String... properties) {
		return new SpringApplicationBuilder(Configured.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + this.proxy.port(), "spring.main.banner-mode=off",
					"spring.main.web-application-type=none")
			.run(properties);
	}

	/**
	 * What an application would have.
	 */
	static class Stock {

		@DistributedLock(key = "stock:42", onUnavailable = OnUnavailable.PROCEED)
		public String keyWhileRunning(RedisServer redis) {
			return redis.commands().get("{lock}lock:stock:42");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Configured {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

}
