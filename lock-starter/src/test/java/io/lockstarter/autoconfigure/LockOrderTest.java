// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validation;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What comes before the lock, and what after it.
 */
class LockOrderTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.wait-time=0s")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class));

	@Test
	void argumentsAreRefusedWithoutTheLock() {
		this.runner.withUserConfiguration(Checked.class).withBean(Orders.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.buy(1)).isTrue();
			Lease busy = context.getBean(LockRegistry.class).acquire("orders", LockOptions.defaults());
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.buy(0));
			busy.close();
		});
	}

	@Test
	void cacheIsInsideOfTheLockSoThatOneCallerAloneComputes() {
		this.runner.withUserConfiguration(CachedInside.class).withBean(Prices.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(prices.of(1)).isEqualTo("computed 1 true");
			assertThat(prices.of(1)).isEqualTo("computed 1 true");
			Lease busy = context.getBean(LockRegistry.class).acquire("prices", LockOptions.defaults());
			assertThatExceptionOfType(io.lockstarter.LockNotAcquiredException.class).isThrownBy(() -> prices.of(1));
			busy.close();
		});
	}

	@Test
	void hitNeedsNoLockIfTheCacheIsOrderedBeforeIt() {
		this.runner.withUserConfiguration(CachedOutside.class).withBean(Prices.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(prices.of(1)).isEqualTo("computed 1 true");
			Lease busy = context.getBean(LockRegistry.class).acquire("prices", LockOptions.defaults());
			assertThat(prices.of(1)).isEqualTo("computed 1 true");
			busy.close();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Checked {

		@Bean
		static MethodValidationPostProcessor methodValidation() {
			MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
			validation.setProxyTargetClass(true);
			validation.setValidator(Validation.byDefaultProvider()
				.configure()
				.messageInterpolator(new ParameterMessageInterpolator())
				.buildValidatorFactory()
				.getValidator());
			return validation;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class CachedInside {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true, order = Ordered.LOWEST_PRECEDENCE - 2000)
	static class CachedOutside {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Validated
	static class Orders {

		@DistributedLock("orders")
		public boolean buy(@Min(1) int quantity) {
			return LockScope.find().isPresent();
		}

	}

	static class Prices {

		private final List<Duration> computed = new ArrayList<>();

		@Cacheable("prices")
		@DistributedLock("prices")
		public String of(int product) {
			this.computed.add(Duration.ZERO);
			return "computed " + this.computed.size() + " " + LockScope.find().isPresent();
		}

	}

}
