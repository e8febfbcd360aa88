// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockstarter.sample.FragileRedis;
import io.lockstarter.sample.RunningShop;
import io.lockstarter.sample.instance.Instance;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis is killed in the middle of a crowd, and comes back empty.
 */
@Tag("proof")
@ExtendWith(OutputCaptureExtension.class)
class OutageTest {

	private FragileRedis redis;

	private RunningShop shop;

	@BeforeEach
	void start() throws IOException {
		this.redis = new FragileRedis();
		this.shop = RunningShop.start("--spring.data.redis.url=" + this.redis.url(), "--sale.report-cron=-",
				"--sale.wait-time=2s");
	}

	@AfterEach
	void stop() throws IOException {
		this.shop.close();
		this.redis.close();
	}

	@Test
	void aCrowdEndsWithAResultAndTheSaleGoesOnWithAnEmptyRedis(CapturedOutput output) throws IOException {
		assertThat(sendCrowd().getStatusCode().value()).isEqualTo(202);
		await().until(() -> sold() > 3);
		int before = output.getAll().length();
		this.redis.kill();
		Map<String, Object> result = await().until(this.shop::results, (results) -> results.size() == 1).get(0);
		assertThat((int) result.get("failed")).isPositive();
		assertThat(result).containsEntry("oversold", 0).containsEntry("sold", sold());

		ResponseEntity<ProblemDetail> refused = sendCrowd();
		assertThat(refused.getStatusCode().value()).isEqualTo(503);
		assertThat(refused.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo("5");
		assertThat(post("/products/10100101/orders", Map.of()).getStatusCode().value()).isEqualTo(503);
		assertThat(post("/invoices", Map.of()).getStatusCode().value()).isEqualTo(503);
		// As often as the page is told of the sale.
		await().until(() -> this.shop.bean(Instances.class).living().isEmpty());
		String said = output.getAll().substring(before);
		assertThat(said).containsOnlyOnce("goes on without Redis")
			.doesNotContain("scheduled task", "ConnectionWatchdog", "Servlet.service");

		this.redis.startAgainEmpty();
		await().until(() -> this.shop.bean(Instances.class).living().size() == 1);
		await().until(() -> this.shop.bean(Visits.class).finished().isEmpty());
		assertThat(output.getAll().substring(before)).containsOnlyOnce("has Redis again");
		try (RunningShop another = this.shop.startAnother()) {
			assertThat(List.of(this.shop, another)).extracting((each) -> each.bean(Instance.class).name())
				.containsExactly("A", "B");
			await().until(() -> this.shop.bean(Instances.class).living().size() == 2);
			assertThat(this.shop.crowd("LOCK")).containsEntry("instances", 2)
				.containsEntry("sold", 100)
				.containsEntry("oversold", 0)
				.containsEntry("failed", 0);
		}
	}

	private ResponseEntity<ProblemDetail> sendCrowd() {
		return post("/stage/crowds", Map.of("protection", "LOCK", "buyers", 150, "atOnce", 8, "thinkMillis", 30));
	}

	private ResponseEntity<ProblemDetail> post(String uri, Map<String, Object> body) {
		return this.shop.client()
			.post()
			.uri(uri)
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.retrieve()
			.onStatus(HttpStatusCode::isError, (request, response) -> {
			})
			.toEntity(ProblemDetail.class);
	}

	private int sold() {
		return (int) this.shop.client()
			.get()
			.uri("/products/10100101")
			.retrieve()
			.requiredBody(new ParameterizedTypeReference<Map<String, Object>>() {
			})
			.get("orders");
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

}
