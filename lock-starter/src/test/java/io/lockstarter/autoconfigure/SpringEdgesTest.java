// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockSetupException;
import io.lockstarter.LossCause;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.interceptor.transaction.LockCommitCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.ProxyType;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where other beans of an application meet the lock.
 */
class SpringEdgesTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LockTransactionAutoConfiguration.class));

	@Test
	void secondFailureHandlerFailsTheStart() {
		ApplicationContextRunner two = this.runner.withBean("a", LockFailureHandler.class, () -> (call, failure) -> "a")
			.withBean("b", LockFailureHandler.class, () -> (call, failure) -> "b");
		two.run((context) -> assertThat(context).hasFailed()
			.getFailure()
			.isInstanceOf(LockSetupException.class)
			.hasMessageContaining("several LockFailureHandler beans ('a', 'b')")
			.hasMessageContaining("@Primary"));
		this.runner.withBean("a", LockFailureHandler.class, () -> (call, failure) -> "a")
			.withBean("b", LockFailureHandler.class, () -> (call, failure) -> "b",
					(definition) -> definition.setPrimary(true))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void asynchronousMethodRunsOnTheExecutorOfSpringBootOrOnTheOneThatIsNamed() {
		ApplicationContextRunner work = this.runner.withBean(Work.class);
		work.run((context) -> assertThat(context.getBean(Work.class).thread().join()).doesNotContain("pool-of-"));
		ApplicationContextRunner boot = work.withBean("applicationTaskExecutor", SimpleAsyncTaskExecutor.class,
				() -> new SimpleAsyncTaskExecutor("pool-of-boot-"));
		boot.run((context) -> assertThat(context.getBean(Work.class).thread().join()).startsWith("pool-of-boot-"));
		boot.withBean("mine", SimpleAsyncTaskExecutor.class, () -> new SimpleAsyncTaskExecutor("pool-of-mine-"))
			.withPropertyValues("distributed-lock.executor=mine")
			.run((context) -> assertThat(context.getBean(Work.class).thread().join()).startsWith("pool-of-mine-"));
	}

	@Test
	void executorThatDoesNotExistFailsTheStart() {
		this.runner.withPropertyValues("distributed-lock.executor=mine")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("Property 'distributed-lock.executor' is 'mine'"));
	}

	@Test
	void listenerMayUseTheRegistryThatItListensTo() {
		this.runner.withBean(LockingListener.class).withBean(FailingListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockRegistry.class)
				.acquire("k", LockOptions.defaults().withTtl(Duration.ofMillis(50)).withRenew(false));
			LockingListener listener = context.getBean(LockingListener.class);
			await().untilAsserted(() -> assertThat(listener.seen).containsExactly("lost k"));
		});
	}

	@Test
	void finalMethodIsRefusedWhereTheDefinitionOfItsBeanAsksForAClassProxy() {
		ApplicationContextRunner interfaces = this.runner.withPropertyValues("spring.aop.proxy-target-class=false");
		interfaces.withBean(FinalJob.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Job.class))).isTrue();
		});
		interfaces
			.withBean(FinalJob.class, FinalJob::new,
					(definition) -> definition.setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, true))
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("private, static or final is never intercepted"));
	}

	@Test
	void finalMethodIsLockedThroughAnInterfaceThatIsAlsoForTheContainer() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(FinalNamedJob.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(AopUtils.isJdkDynamicProxy(context.getBean(NamedJob.class))).isTrue();
			});
	}

	@Test
	@Tag("boot4") // @Proxyable is new in Spring Framework 7
	void finalMethodIsRefusedWhereItsBeanIsToBeProxiedByItsClass() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withUserConfiguration(ProxiedByClass.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class));
	}

	@Test
	@Tag("boot4") // @Proxyable is new in Spring Framework 7
	void finalMethodIsLockedThroughAnInterfaceThatItsBeanIsToBeProxiedBy() {
		this.runner.withUserConfiguration(ProxiedByInterface.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Job.class))).isTrue();
		});
	}

	@Test
	void finalMethodOfWhatAFactoryMakesIsRefused() {
		this.runner.withBean(JobFactory.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("private, static or final is never intercepted"));
	}

	@Test
	void everyBeanOfAClassIsLookedAt() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("first", FinalJob.class)
			.withBean("second", FinalJob.class, FinalJob::new,
					(definition) -> definition.setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, true))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void transactionManagerThatIsCreatedEarlyIsCheckedOnceToo() {
		this.runner.withUserConfiguration(EarlyTransactions.class)
			.run((context) -> assertThat(
					context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
				.hasOnlyElementsOfType(LockCommitCheck.class)
				.hasSize(1));
		this.runner.withBean(JdbcTransactionManager.class, SpringEdgesTest::transactions)
			.run((context) -> assertThat(
					context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
				.hasSize(1));
	}

	@Test
	void annotationOnTheTypeOfALifecycleLeavesTheContainerAlone() {
		this.runner.withBean(Poller.class).run((context) -> {
			Poller poller = context.getBean(Poller.class);
			assertThat(poller.isRunning()).isTrue();
			poller.run();
			assertThat(poller.calls()).startsWith("start false").endsWith("isRunning false", "run true");
		});
	}

	private static JdbcTransactionManager transactions() {
		DataSource source = new DriverManagerDataSource("jdbc:h2:mem:early");
		return new JdbcTransactionManager(source);
	}

	static class Work {

		@DistributedLock("work")
		public CompletableFuture<String> thread() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

	}

	static class LockingListener implements LockListener {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private final LockRegistry registry;

		LockingListener(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			this.registry.call("other", LockOptions.defaults(), (scope) -> this.seen.add("lost " + lease.key()));
		}

	}

	static class FailingListener implements LockListener, PriorityOrdered {

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			throw new IllegalStateException("on purpose");
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	interface Job {

		void run();

	}

	static class FinalJob implements Job {

		@Override
		@DistributedLock("job")
		public final void run() {
		}

	}

	static class JobFactory implements SmartFactoryBean<FinalJob> {

		@Override
		public FinalJob getObject() {
			return new FinalJob();
		}

		@Override
		public Class<?> getObjectType() {
			return FinalJob.class;
		}

		@Override
		public boolean isEagerInit() {
			return true;
		}

	}

	interface NamedJob extends BeanNameAware {

		void run();

	}

	static class FinalNamedJob implements NamedJob {

		@Override
		public void setBeanName(String name) {
		}

		@Override
		@DistributedLock("job")
		public final void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedByClass {

		@Bean
		@Proxyable(ProxyType.TARGET_CLASS)
		FinalJob job() {
			return new FinalJob();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedByInterface {

		@Bean
		@Proxyable(ProxyType.INTERFACES)
		FinalJob job() {
			return new FinalJob();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyTransactions {

		@Bean
		static JdbcTransactionManager transactionManager() {
			return transactions();
		}

		@Bean
		static NeedsTransactions needsTransactions(JdbcTransactionManager transactions) {
			return new NeedsTransactions();
		}

	}

	static class NeedsTransactions implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@DistributedLock("poller")
	static class Poller implements SmartLifecycle {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		private boolean running;

		@Override
		public void start() {
			note("start");
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			if (this.running) {
				note("isRunning");
			}
			return this.running;
		}

		public void run() {
			note("run");
		}

		public List<String> calls() {
			return this.calls;
		}

		private void note(String method) {
			this.calls.add(method + " " + LockScope.find().isPresent());
		}

	}

}
