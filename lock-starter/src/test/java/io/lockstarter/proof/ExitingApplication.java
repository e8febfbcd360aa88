// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import io.lockstarter.LockListener;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * A job that ends its own JVM while it holds a lock.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ExitingApplication.Job.class)
class ExitingApplication {

	/**
	 * Run the job.
	 * @param args the way to exit, and properties
	 */
	public static void main(String... args) {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		new SpringApplicationBuilder(ExitingApplication.class).web(WebApplicationType.NONE)
			.run(args)
			.getBean(Job.class)
			.run(args[0]);
		System.out.println("not reached");
	}

	@Bean
	LockListener listener() {
		return ShutdownApplication.abandonedPrinter();
	}

	/**
	 * The job.
	 */
	static class Job {

		private final ApplicationContext context;

		Job(ApplicationContext context) {
			this.context = context;
		}

		@DistributedLock("stock:42")
		public void run(String way) {
			System.exit(way.equals("spring") ? SpringApplication.exit(this.context) : 0);
		}

	}

}
