// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with the Redis of Spring Boot, and where their locks are.
 */
public final class RedisApplication {

	private RedisApplication() {
	}

	/**
	 * Return a runner of applications with Spring Boot's Redis and with locks.
	 */
	public static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class,
				redisAutoConfiguration(), LockAutoConfiguration.class));
	}

	/**
	 * Return the auto-configuration of Redis, which has moved since Spring Boot 3.5.
	 */
	static Class<?> redisAutoConfiguration() {
		return Stream
			.of("org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
					"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
			.filter((name) -> ClassUtils.isPresent(name, null))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return why an application did not start, as the failure analyzer finds it.
	 */
	public static LockSetupException refusal(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		Throwable failure = context.getStartupFailure();
		while (failure != null && !(failure instanceof LockSetupException)) {
			failure = failure.getCause();
		}
		assertThat(failure).as("%s", context.getStartupFailure()).isNotNull();
		return (LockSetupException) failure;
	}

	/**
	 * Return those of some servers in which a lock of the application is.
	 */
	static List<RedisServer> serversOfLocks(ApplicationContext context, RedisServer... servers) {
		return context.getBean(LockRegistry.class)
			.call("where", LockOptions.defaults(),
					(scope) -> Stream.of(servers).filter((server) -> !server.keys("*lock:where").isEmpty()).toList());
	}

}
