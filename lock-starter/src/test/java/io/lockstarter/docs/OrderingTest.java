// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Every row about the order of annotations in {@code docs/transactions-and-ordering.md}
 * is shown by tests; some of them are here.
 */
class OrderingTest {

	private static final Pattern SECTION = Pattern.compile("^## Ordering\n(.*?)^## ",
			Pattern.DOTALL | Pattern.MULTILINE);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class));

	static List<String> rows() throws IOException {
		return SECTION.matcher(Files.readString(Path.of("../docs/transactions-and-ordering.md")))
			.results()
			.flatMap((section) -> section.group(1).lines())
			.filter((line) -> line.startsWith("|") && !line.startsWith("|---"))
			.skip(1)
			.toList();
	}

	@ParameterizedTest
	@MethodSource("rows")
	void everyRowIsShownByTests(String row) throws IOException {
		List<String> cells = NamedTests.cells(row);
		assertThat(cells).hasSize(5);
		assertThat(NamedTests.missingTests(cells.get(4))).isEmpty();
	}

	@Test
	void rowsAreThere() throws IOException {
		assertThat(rows()).hasSizeGreaterThan(9).doesNotHaveDuplicates();
	}

	@Test
	@Tag("boot4") // @ConcurrencyLimit is new in Spring Framework 7
	void concurrencyLimitIsOutsideOfTheLock() {
		this.runner.withUserConfiguration(Resilient.class).withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			CountDownLatch entered = new CountDownLatch(1);
			CountDownLatch finish = new CountDownLatch(1);
			CompletableFuture<Void> first = CompletableFuture.runAsync(() -> shop.limited(entered, finish),
					(task) -> new Thread(task).start());
			assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
			assertThatExceptionOfType(InvocationRejectedException.class)
				.isThrownBy(() -> shop.limited(new CountDownLatch(1), finish));
			finish.countDown();
			assertThat(first).succeedsWithin(10, TimeUnit.SECONDS);
		});
	}

	@Test
	void advisorWithASmallerOrderIsOutsideOfTheLock() {
		this.runner.withUserConfiguration(Guarded.class).withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			try (Lease busy = context.getBean(LockRegistry.class).acquire("guarded", LockOptions.defaults())) {
				assertThatExceptionOfType(SecurityException.class).isThrownBy(() -> shop.guarded("stranger"));
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.guarded("seller"));
				assertThat(busy.isValid()).isTrue();
			}
		});
	}

	@Test
	void advisorWithALargerOrderIsInsideOfTheLock() {
		this.runner.withUserConfiguration(Retrying.class).withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			List<Long> tokens = new ArrayList<>();
			shop.retried(tokens);
			assertThat(tokens).as("tokens of both attempts").hasSize(2);
			assertThat(tokens.get(1)).isEqualTo(tokens.get(0));
			try (Lease busy = context.getBean(LockRegistry.class).acquire("retried", LockOptions.defaults())) {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.retried(tokens));
				assertThat(busy.isValid()).isTrue();
			}
		});
	}

	static class Shop {

		@DistributedLock(key = "retried", waitTime = "0s")
		public void retried(List<Long> tokens) {
			tokens.add(LockScope.current().fencingToken());
			if (tokens.size() == 1) {
				throw new IllegalStateException("The first attempt fails");
			}
		}

		@ConcurrencyLimit(value = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
		@DistributedLock(key = "limited", waitTime = "0s")
		public void limited(CountDownLatch entered, CountDownLatch finish) {
			entered.countDown();
			try {
				assertThat(finish.await(10, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@DistributedLock(key = "guarded", waitTime = "0s")
		public void guarded(String role) {
			throw new IllegalStateException("Called by a " + role);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Resilient {

	}

	@Configuration(proxyBeanMethods = false)
	static class Retrying {

		// The order of spring-retry; those of Resilience4j are as near to the end.
		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor retry() {
			MethodInterceptor retry = (call) -> {
				try {
					return ((ProxyMethodInvocation) call).invocableClone().proceed();
				}
				catch (IllegalStateException ex) {
					return call.proceed();
				}
			};
			NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(retry);
			advisor.setMappedName("retried");
			advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 1);
			return advisor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Guarded {

		// The order and the role of @PreAuthorize in Spring Security.
		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor guard() {
			MethodInterceptor guard = (call) -> {
				if (!"seller".equals(call.getArguments()[0])) {
					throw new SecurityException("Denied");
				}
				return call.proceed();
			};
			NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(guard);
			advisor.setMappedName("guarded");
			advisor.setOrder(200);
			return advisor;
		}

	}

}
