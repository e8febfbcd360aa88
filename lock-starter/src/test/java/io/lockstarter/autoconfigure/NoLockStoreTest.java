// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * An application without a usable Redis fails to start, and is told why.
 */
class NoLockStoreTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class));

	@Test
	void missingConnectionFactoryIsExplained() {
		this.runner.run((context) -> {
			FailureAnalysis analysis = analyse(context);
			assertThat(analysis.getDescription()).contains("there is no RedisConnectionFactory bean");
			assertThat(analysis.getAction()).contains("spring.data.redis.*", "distributed-lock.url",
					"define a LockStore bean", "distributed-lock.store=memory");
		});
	}

	@Test
	void connectionFactoryOfAnotherClientIsExplained() {
		RedisConnectionFactory other = mock();
		this.runner.withBean(RedisConnectionFactory.class, () -> other).run((context) -> {
			FailureAnalysis analysis = analyse(context);
			assertThat(analysis.getDescription()).contains("cannot use", other.getClass().getName());
			assertThat(analysis.getAction()).contains("Define a LettuceConnectionFactory or a JedisConnectionFactory",
					"distributed-lock.url", "distributed-lock.store=memory");
		});
	}

	@Test
	void severalConnectionFactoriesWithoutAPrimaryAreExplained() {
		ApplicationContextRunner two = this.runner
			.withBean("sessions", LettuceConnectionFactory.class, NoLockStoreTest::factory)
			.withBean("cache", LettuceConnectionFactory.class, NoLockStoreTest::factory);
		two.run((context) -> {
			FailureAnalysis analysis = analyse(context);
			assertThat(analysis.getDescription()).contains("'sessions', 'cache'", "none is primary");
			assertThat(analysis.getAction()).contains("@LockConnectionFactory", "@Primary", "LockStore bean");
		});
		two.withBean("locks", LettuceConnectionFactory.class, NoLockStoreTest::factory,
				(definition) -> definition.setPrimary(true))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void missingLettuceIsExplained() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce")).run((context) -> {
			FailureAnalysis analysis = analyse(context);
			assertThat(analysis.getDescription()).contains("not on the class path");
			assertThat(analysis.getAction()).contains("spring-boot-starter-data-redis",
					"distributed-lock.store=memory");
		});
	}

	private static FailureAnalysis analyse(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		return new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
	}

	private static LettuceConnectionFactory factory() {
		return new LettuceConnectionFactory("127.0.0.1", 1);
	}

}
