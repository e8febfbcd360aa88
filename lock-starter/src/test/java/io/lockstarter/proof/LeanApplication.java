// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.LockFailureHandler;

/**
 * A service that has as little on its class path as this project can do with.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class LeanApplication {

	/**
	 * Call annotated methods.
	 * @param args properties
	 */
	public static void main(String... args) {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		JvmProcess.listenToParent();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(LeanApplication.class)
			.web(WebApplicationType.NONE)
			.run(args)) {
			System.out.println("locked " + context.getBean(Job.class).run());
		}
		System.out.println("transactions " + isPresent("org.springframework.transaction.TransactionManager"));
		System.out.println("redis " + isPresent("io.lettuce.core.RedisClient"));
	}

	private static boolean isPresent(String type) {
		try {
			Class.forName(type);
			return true;
		}
		catch (ClassNotFoundException ex) {
			return false;
		}
	}

	@Bean
	Job job() {
		return new Job();
	}

	@Bean
	LockFailureHandler handler() {
		return (call, failure) -> "failed";
	}

	static class Job {

		@DistributedLock("job")
		public String run() {
			return Boolean.toString(LockScope.current().isValid());
		}

	}

}
