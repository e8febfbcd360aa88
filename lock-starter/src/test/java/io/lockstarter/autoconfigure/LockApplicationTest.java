// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whole applications, as a user starts them.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockApplicationTest {

	private static final String LOCK_43 = "{LockApplicationTest}lock:stock:43";

	@Test
	void twoInstancesExcludeEachOtherThroughRedisAndTheLastOneClosesCleanly(CapturedOutput output) throws Exception {
		try (ConfigurableApplicationContext one = start(redis()); ConfigurableApplicationContext two = start(redis())) {
			CountDownLatch release = new CountDownLatch(1);
			CountDownLatch entered = new CountDownLatch(1);
			Thread holder = new Thread(() -> one.getBean(Shop.class).buy(42, entered, release));
			holder.start();
			assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
			Shop other = two.getBean(Shop.class);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> other.buy(42, entered, release))
				.satisfies((busy) -> assertThat(busy.holders()).singleElement()
					.asString()
					.startsWith("shop")
					.contains("-%d-".formatted(ProcessHandle.current().pid())));
			release.countDown();
			holder.join();
			assertThat(other.buy(42, entered, release)).isEqualTo(42);
		}
		assertThat(output).doesNotContain("not eligible for getting processed");
		// Not the summary of what another test logged seconds ago, nor what its client
		// logs of a server that is gone.
		String server = ":" + RedisServers.shared().port();
		assertThat(output.getAll().lines().filter((line) -> line.contains("WARN")))
			.allMatch((line) -> line.contains("starter-log]")
					|| (line.contains("ConnectionWatchdog") && !line.contains(server)));
	}

	@Test
	void holderThatFinishesDuringTheShutdownStillReleasesItsLockInRedis() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch entered = new CountDownLatch(1);
		ConfigurableApplicationContext context = start(redis());
		Shop shop = context.getBean(Shop.class);
		// The common pool may have one thread only, which the holder would block.
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Long> holder = CompletableFuture.supplyAsync(() -> shop.buy(43, entered, release), threads);
		assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(RedisServers.shared().commands().exists(LOCK_43)).isOne();
		LockRegistryLifecycle lifecycle = context.getBean(LockRegistryLifecycle.class);
		CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close, threads);
		await().until(() -> !lifecycle.isRunning());
		assertThat(closing).isNotDone();
		release.countDown();
		assertThat(holder.get(10, TimeUnit.SECONDS)).isEqualTo(43);
		closing.get(10, TimeUnit.SECONDS);
		assertThat(RedisServers.shared().commands().exists(LOCK_43)).isZero();
	}

	@Test
	void nestedCallOfAnotherBeanWithTheSameKeyIsReentrant() {
		try (ConfigurableApplicationContext context = start("--distributed-lock.store=memory")) {
			assertThat(context.getBean(Outer.class).outer("k")).isEqualTo("inner k");
		}
	}

	@Test
	void contextThatWasStoppedLocksAgainOnceStarted() {
		try (ConfigurableApplicationContext context = start(redis())) {
			context.stop();
			assertThat(context.getBean(LockRegistryLifecycle.class).isRunning()).isFalse();
			context.start();
			String result = context.getBean(LockRegistry.class)
				.call("restarted", LockOptions.defaults(), (scope) -> "locked");
			assertThat(result).isEqualTo("locked");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					--distributed-lock.ttl=1ms | Property 'distributed-lock.ttl' must be between 10 ms
					--spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,\
					org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration \
					| there is no RedisConnectionFactory bean
					--distributed-lock.store=reddis | Property: distributed-lock.store
					--test.ttl=30 | ttl = "${test.ttl:30s}" (that is, "30") has no unit
					""",
			quoteCharacter = '`')
	void misconfigurationIsReportedByItsFailureAnalyzer(String argument, String description, CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(argument));
		assertThat(output).contains("APPLICATION FAILED TO START").contains(description).contains("Action:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "off", "0" })
	void disabledLockingIsToldOnceAtWarn(String value, CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("--distributed-lock.enabled=" + value)) {
			assertThat(context.getBean(Outer.class).outer("k")).isEqualTo("inner k");
		}
		assertThat(output).containsOnlyOnce("@DistributedLock methods run WITHOUT a lock");
	}

	@Test
	void injectedRegistryThatDisablingTookAwayIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start("--distributed-lock.enabled=false", "--test.inject=true"));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Parameter 0 of method needsRegistry")
			.contains("requires a LockRegistry, but there is none because 'distributed-lock.enabled' is false.")
			.contains("Inject ObjectProvider<LockRegistry>");
	}

	private static ConfigurableApplicationContext start(String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.application.name=Shop")
			.run(arguments);
	}

	private static String[] redis() {
		RedisServer server = RedisServers.shared();
		return new String[] { "--spring.data.redis.host=" + server.host(), "--spring.data.redis.port=" + server.port(),
				"--distributed-lock.key-prefix=" + LockApplicationTest.class.getSimpleName() };
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

		@Bean
		Inner inner() {
			return new Inner();
		}

		@Bean
		Outer outer(Inner inner) {
			return new Outer(inner);
		}

		@Bean
		@ConditionalOnProperty("test.inject")
		StringBuilder needsRegistry(LockRegistry registry) {
			return new StringBuilder(registry.toString());
		}

	}

	static class Shop {

		@DistributedLock(key = "stock:#{#productId}", ttl = "${test.ttl:30s}", waitTime = "1s")
		public long buy(long productId, CountDownLatch entered, CountDownLatch release) {
			entered.countDown();
			try {
				assertThat(release.await(10, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return productId;
		}

	}

	static class Inner {

		@DistributedLock(key = "nested:#{#id}", waitTime = "0s")
		public String inner(String id) {
			return "inner " + id;
		}

	}

	static class Outer {

		private final Inner inner;

		Outer(Inner inner) {
			this.inner = inner;
		}

		@DistributedLock(key = "nested:#{#id}", waitTime = "0s")
		public String outer(String id) {
			return this.inner.inner(id);
		}

	}

}
