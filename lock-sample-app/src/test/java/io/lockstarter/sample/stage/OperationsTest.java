// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.sample.RunningShop;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances under load, each a process of its own, one of which is stopped past its
 * ttl in the section: the endpoint, the metrics, the health, the log and the books tell
 * the same.
 */
@Tag("proof")
@ExtendWith(OutputCaptureExtension.class)
class OperationsTest {

	private static final ParameterizedTypeReference<Map<String, Object>> OBJECT = new ParameterizedTypeReference<>() {
	};

	private static final Pattern LOSS = Pattern
		.compile("Lock 'stock:10100101' was lost \\(EXPIRED, fencing token (\\d+)\\): its deadline passed");

	private Set<Path> olderLogs = Set.of();

	private RunningShop shop;

	private RestClient host;

	private RestClient other;

	private long process;

	@BeforeEach
	void startTwoInstances() throws IOException {
		this.olderLogs = logs();
		this.shop = RunningShop.start("--sale.ttl=3s");
		this.host = this.shop.client();
		this.host.post().uri("/stage/instances").retrieve().toBodilessEntity();
		InstanceReport second = Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.shop.bean(Instances.class).living(), (living) -> living.size() == 2)
			.get(1);
		this.process = second.process();
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(Duration.ofSeconds(1));
		this.other = RestClient.builder().requestFactory(requests).baseUrl("http://127.0.0.1:" + second.port()).build();
	}

	@AfterEach
	void stop() {
		this.shop.close();
	}

	@Test
	void aPausePastTheTtlIsToldTheSameEverywhere(CapturedOutput output) throws IOException {
		String hostId = await().until(() -> String.valueOf(get(this.host, "/actuator/locks").get("instance")),
				(id) -> true);
		this.host.post().uri("/stage/instances/B/PAUSE").retrieve().toBodilessEntity();
		// On a thread of its own: the common pool, which may have one thread, completes
		// the requests of HTTP clients.
		CompletableFuture<Map<String, Object>> crowd = CompletableFuture.supplyAsync(this::crowdThatMeetsThePause,
				(task) -> new Thread(task).start());

		// The one that is stopped cannot say anything, and the other one takes over.
		await().until(() -> isStopped(this.process));
		assertThat(answers(this.other)).isFalse();
		Map<String, Object> taken = await().until(() -> get(this.host, "/actuator/locks?key=stock:10100101"),
				(lock) -> String.valueOf(lock.get("owner")).startsWith(hostId) && lock.get("held") != null);
		long takenWith = ((Number) map(taken.get("held")).get("fencingToken")).longValue();
		await().until(() -> answers(this.other));

		// Metrics: one loss, there and not here. Somebody here waited for the ttl.
		await().until(() -> losses(this.other), (losses) -> losses == 1);
		assertThat(losses(this.host)).isZero();
		assertThat(statistic(this.host, "/actuator/metrics/distributed.lock.acquire?tag=lock:FencedShop.buy", "MAX"))
			.isGreaterThan(1);

		// Log: one line, with the token that the new holder's is larger than.
		List<MatchResult> lost = await().until(() -> LOSS.matcher(logOfTheOther()).results().toList(),
				(found) -> !found.isEmpty());
		assertThat(lost).hasSize(1);
		assertThat(Long.parseLong(lost.get(0).group(1))).isLessThan(takenWith);
		assertThat(output).doesNotContain("was lost");

		// Books: the fence refused what was written late.
		assertThat(crowd.join()).containsEntry("sold", 100).containsEntry("oversold", 0).containsEntry("refused", 1);

		// Health and endpoint: all is well again, and nothing is left.
		await().until(() -> get(this.other, "/actuator/health/distributedLock"),
				(health) -> "UP".equals(health.get("status")));
		assertThat(get(this.host, "/actuator/health/distributedLock")).containsEntry("status", "UP");
		await().until(() -> get(this.host, "/actuator/locks?key=stock:10100101"),
				(lock) -> lock.get("owner") == null && List.of().equals(lock.get("queue")));
		assertThat(statistic(this.host, "/actuator/metrics/distributed.lock.waiting", "VALUE")).isZero();
		assertThat(statistic(this.other, "/actuator/metrics/distributed.lock.active", "VALUE")).isZero();
	}

	/**
	 * Send crowds until one of their buyers was stopped while holding the lock: an
	 * instance that has just started may get none of the first items.
	 */
	private Map<String, Object> crowdThatMeetsThePause() {
		Map<String, Object> result = this.shop.crowd("FENCE", 50);
		while (Integer.valueOf(0).equals(result.get("refused"))) {
			result = this.shop.crowd("FENCE", 50);
		}
		return result;
	}

	private static double losses(RestClient instance) {
		return statistic(instance,
				"/actuator/metrics/distributed.lock.losses?tag=lock:FencedShop.buy&tag=cause:expired", "COUNT");
	}

	/**
	 * Return a statistic of a meter, zero if there is no such meter yet.
	 */
	private static double statistic(RestClient instance, String uri, String name) {
		Map<String, Object> meter = instance.get()
			.uri(uri)
			.exchange((request, response) -> response.getStatusCode().isSameCodeAs(HttpStatusCode.valueOf(404))
					? Map.of("measurements", List.of()) : Objects.requireNonNull(response.bodyTo(OBJECT)));
		return ((List<?>) Objects.requireNonNull(meter.get("measurements"))).stream()
			.map(OperationsTest::map)
			.filter((measurement) -> name.equals(measurement.get("statistic")))
			.mapToDouble((measurement) -> ((Number) Objects.requireNonNull(measurement.get("value"))).doubleValue())
			.findAny()
			.orElse(0);
	}

	private static boolean isStopped(long process) throws IOException {
		Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", String.valueOf(process)).start();
		try (BufferedReader output = ps.inputReader()) {
			return String.valueOf(output.readLine()).startsWith("T");
		}
	}

	private static boolean answers(RestClient instance) {
		try {
			instance.get().uri("/actuator/locks").retrieve().toBodilessEntity();
			return true;
		}
		catch (ResourceAccessException ex) {
			return false;
		}
	}

	private String logOfTheOther() throws IOException {
		Set<Path> logs = logs();
		logs.removeAll(this.olderLogs);
		assertThat(logs).hasSize(1);
		return Files.readString(logs.iterator().next());
	}

	private static Set<Path> logs() throws IOException {
		String ours = "flash-sale-instance-%d-".formatted(ProcessHandle.current().pid());
		try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
			return files.filter((file) -> file.getFileName().toString().startsWith(ours)).collect(Collectors.toSet());
		}
	}

	private static Map<String, Object> get(RestClient instance, String uri) {
		return instance.get().uri(uri).retrieve().requiredBody(OBJECT);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> map(@Nullable Object json) {
		return (Map<String, Object>) Objects.requireNonNull(json);
	}

	private static ConditionFactory await() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(50))
			.ignoreException(ResourceAccessException.class);
	}

}
