// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.autoconfigure.LockWebAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the example of docs/troubleshooting.md.
 */
class LockedAdviceTest {

	@Test
	void adviceOfTheApplicationComesBeforeTheOneOfTheStarter() {
		new WebApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockWebAutoConfiguration.class))
			.withPropertyValues("distributed-lock.problem-details=true")
			.withUserConfiguration(Mvc.class)
			.withBean(LockedAdvice.class)
			.withBean(Shop.class)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/busy")).hasStatus(423));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	static class Mvc {

	}

	@RestController
	static class Shop {

		@GetMapping("/busy")
		String busy() {
			throw new LockNotAcquiredException("stock:42", Duration.ofSeconds(1), List.of());
		}

	}

}
