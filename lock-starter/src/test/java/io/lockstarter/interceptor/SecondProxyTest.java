// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.autoconfigure.LeaderAutoConfiguration;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A bean that several creators of proxies proxy, one inside of the other, as a set-up
 * with Shiro does: each call takes its lock once, outside of all transactions.
 */
class SecondProxyTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.wait-time=1s")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LeaderAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, true", "false, false" })
	void eachCallTakesItsLockOnce(boolean firstByClass, boolean secondByClass) {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=" + firstByClass)
			.withBean("second", DefaultAdvisorAutoProxyCreator.class, () -> creator(secondByClass))
			.withBean("third", DefaultAdvisorAutoProxyCreator.class, () -> creator(secondByClass))
			.withUserConfiguration(Calls.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				for (Work work : context.getBeansOfType(Work.class).values()) {
					assertThat(AopProxyUtils.getSingletonTarget(work)).as("proxied twice").isInstanceOf(Advised.class);
					assertThat(work.blocking()).isTrue();
					assertThat(work.permit()).isTrue();
					assertThat(work.future().get(10, TimeUnit.SECONDS)).isTrue();
					assertThat(work.permitOfAFuture().get(10, TimeUnit.SECONDS)).isTrue();
					assertThat(work.reactive().block(Duration.ofSeconds(10))).isTrue();
				}
			});
	}

	@Test
	void lockStaysOutsideOfTheTransactionsOfBothProxies() {
		this.runner.withBean("second", DefaultAdvisorAutoProxyCreator.class, () -> creator(true))
			.withUserConfiguration(Transactions.class)
			.run((context) -> {
				assertThat(context.getBean(InTransaction.class).run()).isTrue();
				assertThat(context.getBean(Transactions.class).lockedAtBegin).containsExactly(true);
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void eachNameOfABeanTakesItsLockOnce(boolean lazy) {
		this.runner.withInitializer((context) -> {
			if (lazy) {
				context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
			}
		}).withUserConfiguration(Aliases.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (String name : List.of("worker", "alias", "aliasOfTheAlias", "prototypeAlias", "worker")) {
				Work work = context.getBean(name, Work.class);
				assertThat(work.blocking()).as(name).isTrue();
				assertThat(work.permit()).as(name).isTrue();
			}
		});
	}

	private static DefaultAdvisorAutoProxyCreator creator(boolean byClass) {
		DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
		creator.setProxyTargetClass(byClass);
		return creator;
	}

	interface Work {

		@DistributedLock("blocking")
		boolean blocking();

		@DistributedPermit(key = "permit", limit = "1")
		boolean permit();

		@DistributedLock("future")
		CompletableFuture<Boolean> future();

		@DistributedPermit(key = "future", limit = "1")
		CompletableFuture<Boolean> permitOfAFuture();

		@DistributedLock("reactive")
		Mono<Boolean> reactive();

	}

	static class Worker implements Work {

		@Override
		public boolean blocking() {
			return LockScope.find().isPresent();
		}

		@Override
		public boolean permit() {
			return LockScope.find().isPresent();
		}

		@Override
		public CompletableFuture<Boolean> future() {
			return CompletableFuture.completedFuture(LockScope.find().isPresent());
		}

		@Override
		public CompletableFuture<Boolean> permitOfAFuture() {
			return CompletableFuture.completedFuture(LockScope.find().isPresent());
		}

		@Override
		public Mono<Boolean> reactive() {
			return Mono.just(true);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Calls {

		@Bean
		Work singleton() {
			return new Worker();
		}

		@Bean
		@Scope("prototype")
		Work prototype() {
			return new Worker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Aliases {

		@Bean
		Work worker() {
			return new Worker();
		}

		@Bean
		Work alias(@Qualifier("worker") Work worker) {
			return worker;
		}

		@Bean
		Work aliasOfTheAlias(@Qualifier("alias") Work alias) {
			return alias;
		}

		@Bean
		@Scope("prototype")
		Work prototypeAlias(@Qualifier("worker") Work worker) {
			return worker;
		}

	}

	static class InTransaction {

		@Transactional
		@DistributedLock("transaction")
		public boolean run() {
			return TransactionSynchronizationManager.isActualTransactionActive() && LockScope.find().isPresent();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import(InTransaction.class)
	static class Transactions {

		private final List<Boolean> lockedAtBegin = new ArrayList<>();

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:second-proxy")) {

				@Override
				protected void doBegin(Object transaction, TransactionDefinition definition) {
					Transactions.this.lockedAtBegin.add(LockScope.find().isPresent());
					super.doBegin(transaction, definition);
				}

			};
		}

	}

}
