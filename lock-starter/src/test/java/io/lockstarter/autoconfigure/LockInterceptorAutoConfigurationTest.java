// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.LockKeyGenerator;
import io.lockstarter.interceptor.DistributedLockAdvisor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Which beans are proxied, how, and what that leaves alone.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockInterceptorAutoConfigurationTest {

	private final LockRegistry registry = mock();

	@BeforeEach
	void grant() {
		LeasedLock lock = mock();
		given(lock.leases()).willReturn(List.of(mock(Lease.class)));
		given(this.registry.obtain(any(), any())).willReturn(lock);
	}

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(AopAutoConfiguration.class, LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class));

	private final ApplicationContextRunner stubbed = this.runner.withBean(LockRegistry.class, () -> this.registry)
		.withBean(Work.class, Job::new);

	@Test
	void annotatedBeanIsLockedThroughItsClass() {
		this.stubbed.run((context) -> {
			Work work = context.getBean(Work.class);
			assertThat(AopUtils.isCglibProxy(work)).isTrue();
			work.run();
			then(this.registry).should().obtain(eq("job"), any());
		});
	}

	@Test
	void annotatedBeanIsLockedAlthoughAopIsOff() {
		this.stubbed.withPropertyValues("spring.aop.auto=false").run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(Work.class))).isTrue();
			context.getBean(Work.class).run();
			then(this.registry).should().obtain(eq("job"), any());
		});
	}

	@Test
	void annotatedBeanIsLockedThroughItsInterfaceIfThatIsWhatAopIsSetTo() {
		this.stubbed.withPropertyValues("spring.aop.proxy-target-class=false").run((context) -> {
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Work.class))).isTrue();
			context.getBean(Work.class).run();
			then(this.registry).should().obtain(eq("job"), any());
		});
	}

	@Test
	void beanWithoutAnnotationIsNotProxied() {
		this.stubbed.withBean(StringBuilder.class, () -> new StringBuilder("plain"))
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(StringBuilder.class))).isFalse());
	}

	@Test
	void orderIsOutsideOfTransactionsUnlessSet() {
		this.stubbed.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isEqualTo(Integer.MAX_VALUE - 1000));
		this.stubbed.withPropertyValues("distributed-lock.order=17")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(17));
	}

	@Test
	void mistakeInAnAnnotationFailsTheStartUnlessSetOtherwise() {
		ApplicationContextRunner mistaken = this.stubbed.withBean(Mistake.class);
		mistaken.run((context) -> assertThat(context).hasFailed()
			.getFailure()
			.rootCause()
			.isInstanceOf(LockSetupException.class)
			.hasMessageContaining("Mistake.run(): key \"#id\" refers to the unknown argument #id"));
		for (String validation : List.of("warn", "off")) {
			mistaken.withPropertyValues("distributed-lock.validation=" + validation).run((context) -> {
				assertThat(context).hasNotFailed();
				Mistake bean = context.getBean(Mistake.class);
				assertThatExceptionOfType(LockSetupException.class).isThrownBy(bean::run)
					.withMessageContaining("refers to the unknown argument #id");
			});
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Limited.class, LimitedPermit.class })
	void maximumHoldThatIsShorterThanTheDefaultTtlFailsTheStart(Class<?> limited) {
		ApplicationContextRunner minutes = this.runner.withBean(limited)
			.withPropertyValues("distributed-lock.store=memory");
		minutes.withPropertyValues("distributed-lock.ttl=60m").run((context) -> assertThat(context).hasNotFailed());
		minutes.withPropertyValues("distributed-lock.ttl=61m")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining(limited.getSimpleName()
						+ ".run(): maxHold is 1 h, but the lease lasts for its ttl, which is 61 min by 'distributed-lock.ttl'"));
		this.stubbed.withBean(limited)
			.withPropertyValues("distributed-lock.ttl=61m")
			.run((context) -> assertThat(context).as("a registry with defaults of its own").hasNotFailed());
	}

	@Test
	void keysAreMadeWithBeansOfTheApplication() {
		this.stubbed.withBean("tenants", Tenants.class)
			.withBean("byTenant", LockKeyGenerator.class,
					() -> (target, method, arguments) -> List.of("a:" + arguments[0], "b:" + arguments[0]))
			.withBean(Tenant.class)
			.run((context) -> {
				Tenant tenant = context.getBean(Tenant.class);
				tenant.bean();
				then(this.registry).should().obtain(eq("acme/7"), any());
				LeasedLock both = mock();
				given(both.leases()).willReturn(List.of(mock(Lease.class), mock(Lease.class)));
				given(this.registry.obtainAll(any(), any())).willReturn(both);
				tenant.generator(8);
				then(this.registry).should().obtainAll(eq(List.of("a:8", "b:8")), any());
			});
	}

	@Test
	void advisorDoesNotInitialiseTheRegistry() {
		AtomicBoolean created = new AtomicBoolean();
		this.runner.withBean(LockRegistry.class, () -> {
			created.set(true);
			return this.registry;
		}, (definition) -> definition.setLazyInit(true)).withBean(Work.class, Job::new).run((context) -> {
			assertThat(created).isFalse();
			context.getBean(Work.class).run();
			assertThat(created).isTrue();
		});
	}

	@Test
	void nothingOfOursIsCreatedBeforeAllPostProcessorsAre(CapturedOutput output) {
		this.runner.withUserConfiguration(EarlyBirds.class).run((context) -> {
			assertThat(context).hasNotFailed();
			// The dependency of the post-processor: the bean factory warns of that one.
			assertThat(output).contains("Bean 'dependency'").contains("not eligible for getting processed");
			assertThat(output.toString().lines().filter((line) -> line.contains("not eligible")))
				.allMatch((line) -> line.contains("Bean 'dependency'"));
			assertThat(AopUtils.isAopProxy(context.getBean(Work.class))).isTrue();
		});
	}

	interface Work {

		void run();

	}

	static class Mistake {

		@DistributedLock("#id")
		public void run() {
			throw new IllegalStateException("It ran without its lock");
		}

	}

	static class Limited {

		@DistributedLock(key = "limited", maxHold = "60m")
		public void run() {
		}

	}

	static class LimitedPermit {

		@DistributedPermit(key = "limited", limit = "2", maxHold = "60m")
		public void run() {
		}

	}

	static class Tenants {

		public String current() {
			return "acme";
		}

	}

	static class Tenant {

		@DistributedLock("#{@tenants.current()}/7")
		public void bean() {
		}

		@DistributedLock(keyGenerator = "byTenant")
		public void generator(int number) {
		}

	}

	static class Job implements Work {

		@Override
		@DistributedLock("job")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyBirds {

		@Bean
		static BeanPostProcessor postProcessor(StringBuilder dependency) {
			return new BeanPostProcessor() {
			};
		}

		@Bean
		static StringBuilder dependency() {
			return new StringBuilder();
		}

		@Bean
		RedisConnectionFactory redisConnectionFactory() {
			return new LettuceConnectionFactory("127.0.0.1", 1);
		}

		@Bean
		Work work() {
			return new Job();
		}

	}

}
