// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One instance of the shop, as a page sees it.
 */
class OneInstanceTest {

	private static final ParameterizedTypeReference<Map<String, Object>> OBJECT = new ParameterizedTypeReference<>() {
	};

	private static RunningShop shop;

	@BeforeAll
	static void start() {
		shop = RunningShop.start();
	}

	@AfterAll
	static void stop() {
		shop.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "SYNCHRONIZED", "COUNTER", "SCRIPT", "LOCK_ONLY", "LOCK", "FENCE" })
	void withProtectionEveryItemIsSoldOnce(String protection) {
		assertThat(shop.crowd(protection)).containsEntry("instances", 1)
			.containsEntry("sold", 100)
			.containsEntry("oversold", 0)
			.containsEntry("refused", 0)
			.containsEntry("commitsRefused", 0)
			.containsEntry("mishaps", List.of())
			.containsEntry("failed", 0);
		assertThat(sale()).containsEntry("orders", 100).containsEntry("stock", 0);
	}

	@Test
	void withoutProtectionMoreIsSoldThanThereIs() {
		assertThat((int) shop.crowd("NONE").get("oversold")).isPositive();
	}

	@Test
	void theMenuIsBuiltUnderOneLeaseHeldOnceForEachLevel() {
		Map<String, Object> root = shop.client().get().uri("/menu").retrieve().requiredBody(OBJECT);
		assertThat(root).containsEntry("title", "Shop").containsEntry("holds", 1);
		Map<String, Object> books = items(root).get(0);
		assertThat(books).containsEntry("title", "Books")
			.containsEntry("holds", 2)
			.containsEntry("token", root.get("token"));
		Map<String, Object> locks = items(items(books).get(0)).get(0);
		assertThat(locks).containsEntry("title", "Locks")
			.containsEntry("holds", 4)
			.containsEntry("token", root.get("token"));
	}

	@Test
	void anInvoiceIsBegunWhenTheOneBeforeIsComplete() {
		List<Map<String, Object>> invoices = Stream.of(1, 2)
			.map((number) -> CompletableFuture
				.supplyAsync(() -> shop.client().post().uri("/invoices").retrieve().requiredBody(OBJECT)))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.sorted((a, b) -> time(a, "begun").compareTo(time(b, "begun")))
			.toList();
		assertThat(time(invoices.get(1), "begun")).isAfterOrEqualTo(time(invoices.get(0), "completed"));
		assertThat((long) invoices.get(1).get("token")).isGreaterThan((long) invoices.get(0).get("token"));
	}

	@Test
	void fivePaymentsAreMadeAtATime() {
		List<Map<String, Object>> payments = shop.client()
			.post()
			.uri("/payments")
			.retrieve()
			.requiredBody(new ParameterizedTypeReference<>() {
			});
		assertThat(payments).hasSize(12);
		assertThat(payments.stream().map((payment) -> payment.get("permit")).distinct()).hasSize(5);
		for (Map<String, Object> payment : payments) {
			assertThat(
					payments.stream()
						.filter((other) -> !time(other, "begun").isAfter(time(payment, "begun"))
								&& time(other, "completed").isAfter(time(payment, "begun"))))
				.hasSizeLessThanOrEqualTo(5);
		}
	}

	@Test
	void pricesAreReadTogetherAndChangedAlone() {
		List<Map<String, Object>> visits = shop.client()
			.post()
			.uri("/prices")
			.retrieve()
			.requiredBody(new ParameterizedTypeReference<>() {
			});
		Map<String, Object> change = visits.stream()
			.filter((visit) -> "EXCLUSIVE".equals(visit.get("mode")))
			.findFirst()
			.orElseThrow();
		// Whoever comes before the first answer of Redis reads with the first ones.
		List<Map<String, Object>> first = visits.subList(0, 4);
		List<Map<String, Object>> others = visits.stream().filter((visit) -> visit != change).toList();
		assertThat(others).hasSize(8)
			.allMatch((visit) -> !time(visit, "begun").isBefore(time(change, "completed"))
					|| !time(change, "begun").isBefore(time(visit, "completed")));
		assertThat(first).allMatch((visit) -> time(visit, "begun").isBefore(time(first.get(0), "completed")));
	}

	@Test
	void whoBuysTooOftenIsToldWhenToComeBack() {
		List<ResponseEntity<Void>> answers = IntStream.range(0, 22).mapToObj((i) -> buy(shop.client())).toList();
		assertThat(answers.subList(0, 20)).extracting(ResponseEntity::getStatusCode)
			.doesNotContain(HttpStatusCode.valueOf(429));
		assertThat(answers.subList(20, 22)).allSatisfy((answer) -> {
			assertThat(answer.getStatusCode().value()).isEqualTo(429);
			assertThat(Integer.parseInt(String.valueOf(answer.getHeaders().getFirst("Retry-After")))).isBetween(50, 60);
		});
	}

	@Test
	void observationsOfLocksAreTimersUnlessTheyAreSwitchedOff() {
		shop.client().get().uri("/menu").retrieve().toBodilessEntity();
		assertThat(hasMeter(shop, "distributed.lock.wait")).isTrue();
		assertThat(hasMeter(shop, "distributed.lock.section")).isTrue();
		try (RunningShop quiet = RunningShop.start("--management.observations.enable.distributed.lock=false")) {
			quiet.client().get().uri("/menu").retrieve().toBodilessEntity();
			assertThat(hasMeter(quiet, "distributed.lock.acquire")).isTrue();
			assertThat(hasMeter(quiet, "distributed.lock.wait")).isFalse();
			assertThat(hasMeter(quiet, "distributed.lock.section")).isFalse();
		}
	}

	@Test
	void prometheusReadsTheMetricsOfLocks() {
		shop.client().get().uri("/menu").retrieve().toBodilessEntity();
		assertThat(shop.client().get().uri("/actuator/prometheus").retrieve().body(String.class))
			.containsPattern("(?m)^distributed_lock_acquire_seconds_count\\{application=\"flash-sale\",");
	}

	private static boolean hasMeter(RunningShop shop, String name) {
		return shop.client()
			.get()
			.uri("/actuator/metrics/{name}", name)
			.exchange((request, response) -> response.getStatusCode().is2xxSuccessful());
	}

	@Test
	void anotherSiteCannotReleaseALock() {
		assertThat(statusOfRelease("cross-site")).isEqualTo(403);
		assertThat(statusOfRelease("same-origin")).isEqualTo(404);
	}

	private static int statusOfRelease(String site) {
		return shop.client()
			.delete()
			.uri("/actuator/locks?key=nobody-holds-it")
			.header("Sec-Fetch-Site", site)
			.exchange((request, response) -> response.getStatusCode().value());
	}

	@ParameterizedTest
	@CsvSource({ "GET, /", "GET, /stage/events", "GET, /actuator/locks?scope=all", "DELETE, /actuator/locks?key=x",
			"POST, /stage/instances", "GET, /no-such-page" })
	void aNameThatSomebodyElseLetPointHereIsNotAnswered(String method, String path) throws IOException {
		URI address = URI.create(shop.url());
		try (Socket socket = new Socket(address.getHost(), address.getPort())) {
			socket.getOutputStream()
				.write("%s %s HTTP/1.1\r\nHost: rebound.example:%d\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
					.formatted(method, path, address.getPort())
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
				.startsWith("HTTP/1.1 421 ");
		}
	}

	@Test
	void anotherSiteCannotSendACrowd() {
		ResponseEntity<Void> answer = shop.client()
			.post()
			.uri("/stage/instances")
			.header("Sec-Fetch-Site", "cross-site")
			.retrieve()
			.onStatus(HttpStatusCode::isError, (request, response) -> {
			})
			.toBodilessEntity();
		assertThat(answer.getStatusCode().value()).isEqualTo(403);
	}

	@Test
	void theHostOfTheServicesIsSpared() {
		ResponseEntity<Void> answer = shop.client()
			.post()
			.uri("/stage/instances/A/CRASH")
			.retrieve()
			.onStatus(HttpStatusCode::isError, (request, response) -> {
			})
			.toBodilessEntity();
		assertThat(answer.getStatusCode().value()).isEqualTo(409);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/locks.html", "/locks.js", "/app.css", "/app.js",
			"/webjars/chart.js/4.5.1/dist/chart.umd.min.js", "/source/UnprotectedShop.java",
			"/source/SynchronizedShop.java", "/source/CounterShop.java", "/source/ScriptShop.java",
			"/source/LockOnlyShop.java", "/source/LockedShop.java", "/source/FencedShop.java", "/source/Books.java",
			"/source/reserve.lua", "/source/limit.lua", "/source/NightlyReport.java", "/source/MenuService.java",
			"/source/InvoiceService.java", "/source/PaymentService.java", "/source/PriceService.java" })
	void thePageAndAllThatItShowsIsServed(String path) {
		assertThat(shop.client().get().uri(path).retrieve().body(String.class)).isNotBlank();
	}

	private static Map<String, Object> sale() {
		return shop.client().get().uri("/products/10100101").retrieve().requiredBody(OBJECT);
	}

	private static ResponseEntity<Void> buy(RestClient client) {
		return client.post()
			.uri("/products/10100101/orders")
			.retrieve()
			.onStatus(HttpStatusCode::isError, (request, response) -> {
			})
			.toBodilessEntity();
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> items(Map<String, Object> item) {
		return (List<Map<String, Object>>) item.get("items");
	}

	private static Instant time(Map<String, Object> invoice, String name) {
		return Instant.parse((String) invoice.get(name));
	}

}
