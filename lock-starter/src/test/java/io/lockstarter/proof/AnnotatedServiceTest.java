// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Defects of other libraries around annotated methods, which are not ours.
 */
class AnnotatedServiceTest {

	private final RedisServer redis = RedisServers.start();

	private ConfigurableApplicationContext context;

	private Warehouse warehouse;

	@BeforeEach
	void start() {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run("--spring.data.redis.port=" + this.redis.port(), "--spring.main.banner-mode=off",
					"--spring.main.log-startup-info=false");
		this.warehouse = this.context.getBean(Warehouse.class);
	}

	@AfterEach
	void close() {
		this.context.close();
		this.redis.close();
	}

	/** klock: evaluated it again to release, and released another lock. */
	@Test
	void keyIsEvaluatedOnceAndAChangedArgumentReleasesTheSameLock() {
		Order order = new Order("42");
		this.warehouse.ship(order, this.redis);
		assertThat(order.evaluations).hasValue(1);
		assertThat(this.redis.commands().exists("{lock}lock:order:42", "{lock}lock:order:changed")).isZero();
	}

	/** klock: on a timeout the method ran without the lock. */
	@Test
	void methodDoesNotRunWithoutTheLock() {
		this.redis.commands().set("{lock}lock:order:42", "another:1");
		Order order = new Order("42");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.warehouse.ship(order, this.redis))
			.satisfies((ex) -> assertThat(ex.holders()).containsExactly("another:1"));
		assertThat(order.id).as("the method would have changed it").isEqualTo("42");
	}

	static class Warehouse {

		@DistributedLock(key = "order:#{#p0.getId()}", waitTime = "100ms")
		public void ship(Order order, RedisServer redis) {
			assertThat(redis.commands().exists("{lock}lock:order:42")).isOne();
			order.id = "changed";
		}

	}

	static final class Order {

		private final AtomicInteger evaluations = new AtomicInteger();

		private String id;

		Order(String id) {
			this.id = id;
		}

		public String getId() {
			this.evaluations.incrementAndGet();
			return this.id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Warehouse warehouse() {
			return new Warehouse();
		}

	}

}
