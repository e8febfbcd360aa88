// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.Arrays;
import java.util.List;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.lockstarter.LockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the contexts of an application share, and what each has for its own beans.
 */
class ParentAndChildTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withConfiguration(AutoConfigurations.of(ours()))
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.publish-all-events=true",
				"distributed-lock.problem-details=true", "management.endpoints.web.exposure.include=*",
				"management.endpoints.jmx.exposure.include=*")
		.withBean("meters", SimpleMeterRegistry.class)
		.withBean("observations", ObservationRegistry.class, ObservationRegistry::create);

	private static Class<?>[] ours() {
		return ImportCandidates.load(AutoConfiguration.class, ParentAndChildTest.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.lockstarter."))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
	}

	@Test
	void childHasNoSecondRegistryElectionsMetricsEndpointOrHealth() {
		this.runner.run((parent) -> this.runner.withParent(parent).run((child) -> {
			assertThat(child.getBean(LockRegistry.class)).isSameAs(parent.getBean(LockRegistry.class));
			List<String> own = beans(child);
			assertThat(own).as("for its own methods, transactions, listeners and requests")
				.containsExactlyInAnyOrder("distributedLockAdvisor", "lockValidationFirst", "lockedBeans",
						"leaderEvents", "leaderBeans", "lockCommitChecks", "lockProblems");
			assertThat(beans(parent)).containsAll(own)
				.contains("distributedLockRegistry", "leaderElections", "lockMetrics", "lockGauges", "lockObservations",
						"lockObservationContext", "locksEndpoint");
			// not among them with Spring Boot 3.5, where its class is that of a proxy
			assertThat(parent.getBeanDefinitionNames()).contains("distributedLockHealthIndicator");
			assertThat(child.getBeanDefinitionNames()).doesNotContain("distributedLockHealthIndicator");
		}));
	}

	@Test
	void warningThatLocksAreDisabledComesOnce() {
		ApplicationContextRunner disabled = this.runner.withPropertyValues("distributed-lock.enabled=false");
		disabled.run((parent) -> {
			assertThat(beans(parent)).contains("lockDisabledNotice");
			disabled.withParent(parent).run((child) -> assertThat(beans(child)).doesNotContain("lockDisabledNotice"));
		});
	}

	/**
	 * Return the names of the beans of ours that a context defines itself, without
	 * configurations and properties.
	 */
	private static List<String> beans(ApplicationContext context) {
		return Arrays.stream(context.getBeanDefinitionNames())
			.filter((name) -> context.getType(name) != null
					&& context.getType(name).getName().startsWith("io.lockstarter."))
			.filter((name) -> !name.contains("io.lockstarter."))
			.toList();
	}

}
