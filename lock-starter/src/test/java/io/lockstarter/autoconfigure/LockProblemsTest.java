// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.reactive.server.FluxExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a web request is answered whose lock was not acquired.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockProblemsTest {

	private static final String ON = "distributed-lock.problem-details=true";

	private static final AutoConfigurations WEB = AutoConfigurations.of(LockWebAutoConfiguration.class);

	@ParameterizedTest
	@CsvSource({ "/busy,409,1", "/busy-later,409,1", "/unavailable,503,5" })
	void lockThatWasNotAcquiredIsAProblemOfTheRequestInMvc(String path, int status, String retryAfter) {
		new WebApplicationContextRunner().withConfiguration(WEB)
			.withUserConfiguration(Mvc.class)
			.withBean(Shop.class)
			.withPropertyValues(ON)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri(path)).hasStatus(status)
				.hasHeader("Retry-After", retryAfter)
				.bodyText()
				.contains("\"status\":" + status)
				.doesNotContain("secret"));
	}

	@ParameterizedTest
	@CsvSource({ "/busy,409,1", "/busy-later,409,1", "/unavailable,503,5" })
	void lockThatWasNotAcquiredIsAProblemOfTheRequestInWebFlux(String path, int status, String retryAfter) {
		new ReactiveWebApplicationContextRunner().withConfiguration(WEB)
			.withUserConfiguration(Flux.class)
			.withBean(Shop.class)
			.withPropertyValues(ON)
			.run((context) -> {
				FluxExchangeResult<String> result = WebTestClient.bindToApplicationContext(context)
					.build()
					.get()
					.uri(path)
					.exchange()
					.returnResult(String.class);
				assertThat(result.getStatus().value()).isEqualTo(status);
				assertThat(result.getResponseHeaders().getFirst("Retry-After")).isEqualTo(retryAfter);
				assertThat(result.getResponseBody().blockLast()).contains("\"status\":" + status)
					.doesNotContain("secret");
			});
	}

	@Test
	void thousandRequestsThatAreAnsweredWith503AreOneLine(CapturedOutput output) {
		LockProblems problems = new LockProblems();
		for (int i = 0; i < 1_000; i++) {
			problems.unavailable(new LockStoreException("no answer", false, null));
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("Answered with 503: no answer")))
			.hasSize(1);
	}

	@Test
	void nothingIsAnsweredUnlessItIsAskedFor() {
		ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(WEB);
		runner.run((context) -> assertThat(context).doesNotHaveBean(LockProblems.class));
		runner.withPropertyValues(ON).run((context) -> assertThat(context).hasSingleBean(LockProblems.class));
		runner.withPropertyValues(ON)
			.withClassLoader(new FilteredClassLoader("org.springframework.web"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lockProblems"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	static class Mvc {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	static class Flux {

	}

	@RestController
	static class Shop {

		@GetMapping("/busy")
		String busy() {
			throw new LockNotAcquiredException("secret", Duration.ofSeconds(1), List.of("secret"));
		}

		@GetMapping("/busy-later")
		CompletableFuture<String> busyLater() {
			return CompletableFuture
				.failedFuture(new LockNotAcquiredException("secret", Duration.ofSeconds(1), List.of()));
		}

		@GetMapping("/unavailable")
		String unavailable() {
			throw new LockStoreException("secret", false, null);
		}

	}

}
