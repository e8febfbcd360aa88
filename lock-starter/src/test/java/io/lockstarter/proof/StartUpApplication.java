// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.annotation.DistributedLock;

/**
 * A service that starts, and ends.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class StartUpApplication {

	/**
	 * What it says of each bean definition of ours.
	 */
	static final String BEAN = "bean of ours: ";

	/**
	 * What it says before the last step of its start.
	 */
	static final String STARTED = "started but for the last step";

	/**
	 * What it says in the end.
	 */
	static final String END = "ended";

	public static void main(String... args) {
		run(StartUpApplication.class, Job.class, args);
	}

	static void run(Class<?> application, Class<?> bean, String... args) {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		JvmProcess.listenToParent();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(application)
			.web(WebApplicationType.NONE)
			.run(args)) {
			context.getBean(bean);
		}
		System.out.println(END);
	}

	@Bean
	Job job() {
		return new Job();
	}

	@Bean
	BeforeTheLastStep beforeTheLastStep(ConfigurableListableBeanFactory beans) {
		return new BeforeTheLastStep(beans);
	}

	static class Job {

		@DistributedLock("job:#{#number}")
		public void run(int number) {
		}

	}

	static class BeforeTheLastStep implements SmartLifecycle {

		private final ConfigurableListableBeanFactory beans;

		BeforeTheLastStep(ConfigurableListableBeanFactory beans) {
			this.beans = beans;
		}

		@Override
		public void start() {
			for (String name : this.beans.getBeanDefinitionNames()) {
				BeanDefinition definition = this.beans.getBeanDefinition(name);
				String origin = definition.getFactoryBeanName() + " " + definition.getBeanClassName();
				if (origin.contains("io.lockstarter.") && !origin.contains("io.lockstarter.proof.")) {
					System.out.println(BEAN + name);
				}
			}
			System.out.println(STARTED);
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

		@Override
		public int getPhase() {
			return Integer.MAX_VALUE - 1;
		}

	}

}
