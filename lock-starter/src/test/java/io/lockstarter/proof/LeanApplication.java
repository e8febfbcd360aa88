/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
