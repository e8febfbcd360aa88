// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testkit.RedisCluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications whose Redis is a cluster, which they know by Spring Boot's own properties.
 */
class ClusterApplicationTest {

	private static final int SECTIONS = 50;

	@Test
	void instancesExcludeEachOtherWhateverNodeHasTheLock() throws InterruptedException {
		try (ConfigurableApplicationContext one = start(); ConfigurableApplicationContext two = start()) {
			List<Shop> shops = List.of(one.getBean(Shop.class), two.getBean(Shop.class));
			List<String> keys = new ArrayList<>(List.of("hot"));
			IntStream.range(0, 20).forEach((i) -> keys.add("spread:" + i));
			Stock stock = new Stock();
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				Shop shop = shops.get(i % 2);
				Thread thread = new Thread(() -> IntStream.range(0, SECTIONS).forEach((n) -> {
					shop.sell("hot", stock);
					shop.sell(keys.get(n % keys.size()), stock);
				}));
				threads.add(thread);
				thread.start();
			}
			for (Thread thread : threads) {
				thread.join(Duration.ofMinutes(1).toMillis());
			}
			assertThat(stock.units.values().stream().mapToInt((units) -> units[0]).sum()).isEqualTo(6 * SECTIONS * 2);
		}
	}

	@Test
	void busyKeyIsAnsweredWithItsHolder() throws InterruptedException {
		try (ConfigurableApplicationContext one = start(); ConfigurableApplicationContext two = start()) {
			CountDownLatch entered = new CountDownLatch(1);
			CountDownLatch leave = new CountDownLatch(1);
			Thread holder = new Thread(() -> one.getBean(Shop.class).close("42", entered, leave));
			holder.start();
			assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> two.getBean(Shop.class).close("42", entered, leave))
				.satisfies((busy) -> assertThat(busy.holders()).singleElement().asString().startsWith("shop"));
			leave.countDown();
			holder.join();
			two.getBean(Shop.class).close("42", entered, leave);
		}
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.application.name=Shop")
			.run("--spring.data.redis.cluster.nodes=" + String.join(",", RedisCluster.shared().seeds()),
					"--distributed-lock.key-prefix=" + ClusterApplicationTest.class.getSimpleName());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class Shop {

		@DistributedLock(key = "#{#product}", waitTime = "1m")
		public void sell(String product, Stock stock) {
			stock.increment(product);
		}

		@DistributedLock(key = "shop:#{#id}", waitTime = "0s")
		public void close(String id, CountDownLatch entered, CountDownLatch leave) {
			entered.countDown();
			try {
				assertThat(leave.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * Only right under locks.
	 */
	static class Stock {

		private final ConcurrentHashMap<String, int[]> units = new ConcurrentHashMap<>();

		void increment(String product) {
			int[] own = this.units.computeIfAbsent(product, (absent) -> new int[1]);
			int before = own[0];
			Thread.onSpinWait();
			own[0] = before + 1;
		}

	}

}
