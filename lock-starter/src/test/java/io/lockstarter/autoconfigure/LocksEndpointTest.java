// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.jayway.jsonpath.JsonPath;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint {@code locks} of two instances that share a Redis, over HTTP.
 */
@SuppressWarnings("FutureReturnValueIgnored") // kept to be released
class LocksEndpointTest {

	private static final String KEY = "stock:42";

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private static RedisServer redis;

	// It may do all, and shows all.
	private static ConfigurableApplicationContext open;

	// It has the defaults.
	private static ConfigurableApplicationContext closed;

	private final HttpClient client = HttpClient.newHttpClient();

	private final List<CompletableFuture<Lease>> leases = new ArrayList<>();

	@BeforeAll
	static void start() {
		redis = RedisServers.start();
		open = run("--distributed-lock.endpoint.force-release=true", "--management.endpoint.locks.show-values=always");
		closed = run();
	}

	@AfterAll
	static void stop() {
		closed.close();
		open.close();
		redis.close();
	}

	@AfterEach
	void release() {
		this.leases.forEach((lease) -> {
			lease.cancel(false);
			if (!lease.isCompletedExceptionally()) {
				lease.join().close();
			}
		});
	}

	@Test
	void whatAnInstanceHoldsAndWhoWaitsThereIsShown() throws Exception {
		Lease lease = acquire(open, KEY).join();
		acquire(open, KEY);
		String json = get(open, "").body();
		assertThat(JsonPath.<String>read(json, "$.instance")).isEqualTo(instance(open));
		assertThat(JsonPath.<String>read(json, "$.held[0].key")).isEqualTo(KEY);
		assertThat(JsonPath.<String>read(json, "$.held[0].owner")).startsWith(instance(open) + ":");
		assertThat(JsonPath.<String>read(json, "$.held[0].name")).isEqualTo(lease.name());
		assertThat(JsonPath.<String>read(json, "$.waiting[0].name")).isEqualTo(lease.name());
		assertThat(JsonPath.<Long>read(json, "$.held[0].fencingToken")).isEqualTo(lease.fencingToken());
		assertThat(JsonPath.<Map<String, Object>>read(json, "$.held[0]")).containsKeys("since", "deadline")
			.doesNotContainKey("thread");
		assertThat(JsonPath.<List<String>>read(json, "$.waiting[*].key")).containsExactly(KEY);
		assertThat(JsonPath.<Map<String, Object>>read(json, "$.waiting[0]")).containsKeys("since", "until");
		assertThat(JsonPath.<Map<String, Object>>read(json, "$")).doesNotContainKeys("all", "next");
	}

	@Test
	void threadOfTheHolderIsShown() throws Exception {
		open.getBean(LockRegistry.class).call(KEY, PATIENT, (scope) -> {
			String json = get(open, "").body();
			assertThat(JsonPath.<String>read(json, "$.held[0].thread.name"))
				.isEqualTo(Thread.currentThread().getName());
			assertThat(JsonPath.<Boolean>read(json, "$.held[0].thread.virtual")).isFalse();
			return null;
		});
	}

	@Test
	void keysAreHiddenByDefault() throws Exception {
		acquire(closed, KEY).join();
		String json = get(closed, "?scope=all").body();
		assertThat(json).doesNotContain(KEY);
		assertThat(JsonPath.<String>read(json, "$.all[0].key")).isEqualTo("******");
		assertThat(JsonPath.<Map<String, Object>>read(json, "$")).doesNotContainKeys("held", "waiting", "counts");
		assertThat(JsonPath.<String>read(get(closed, "").body(), "$.held[0].key")).isEqualTo("******");
		assertThat(get(closed, "?prefix=stock").statusCode()).isEqualTo(403);
	}

	@Test
	void oneLockIsShownAsRedisAndThisInstanceKnowIt() throws Exception {
		acquire(open, KEY).join();
		acquire(closed, KEY);
		await().untilAsserted(() -> {
			String json = get(open, "/" + KEY).body();
			assertThat(JsonPath.<List<String>>read(json, "$.queue[*].instance")).containsExactly(instance(closed));
		});
		String json = get(open, "/" + KEY).body();
		assertThat(JsonPath.<String>read(json, "$.owner")).isEqualTo(JsonPath.<String>read(json, "$.held.owner"))
			.startsWith(instance(open));
		assertThat(Duration.parse(JsonPath.read(json, "$.remaining"))).isPositive();
		assertThat(JsonPath.<Long>read(json, "$.lastToken")).isPositive();
		String fromOther = get(closed, "/" + KEY).body();
		assertThat(JsonPath.<String>read(fromOther, "$.key")).as("who asks knows it").isEqualTo(KEY);
		assertThat(JsonPath.<String>read(fromOther, "$.owner")).startsWith(instance(open));
		assertThat(JsonPath.<Map<String, Object>>read(fromOther, "$")).doesNotContainKey("held");
		assertThat(JsonPath.<List<Object>>read(fromOther, "$.waiting")).hasSize(1);
	}

	@Test
	void locksOfAllInstancesAreListedInPages() throws Exception {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < 250; i++) {
			keys.add("page:" + i);
			acquire((i % 2 == 0) ? open : closed, "page:" + i);
		}
		this.leases.forEach(CompletableFuture::join);
		List<String> found = new ArrayList<>();
		String query = "?scope=all&limit=20";
		String next = "";
		int pages = 0;
		while (next != null) {
			String json = get(open, next.isEmpty() ? query : query + "&cursor=" + next).body();
			found.addAll(JsonPath.<List<String>>read(json, "$.all[*].key"));
			next = (String) JsonPath.<Map<String, Object>>read(json, "$").get("next");
			pages++;
		}
		assertThat(found).containsAll(keys);
		assertThat(pages).isGreaterThan(1);
	}

	@Test
	void locksAreFoundByTheBeginningOfTheirKeysAndInTheOrderThatIsAskedFor() throws Exception {
		for (String key : List.of("a*b", "axb", "ab", "a*c")) {
			acquire(open, key).join();
		}
		acquire(closed, "a*d").join();
		acquire(open, "a*c");
		assertThat(JsonPath.<List<String>>read(get(open, "?prefix=a*&sort=waiters").body(), "$.held[*].key"))
			.containsExactly("a*c", "a*b");
		String limited = get(open, "?sort=key&limit=1&name=unnamed").body();
		assertThat(JsonPath.<List<String>>read(limited, "$.held[*].key")).containsExactly("a*b");
		assertThat(JsonPath.<Map<String, Object>>read(limited, "$.counts")).containsEntry("held", 4)
			.containsEntry("heldMatching", 4)
			.containsEntry("waiting", 1)
			.containsEntry("waitingMatching", 1);
		assertThat(JsonPath.<List<String>>read(get(open, "?scope=all&prefix=a*").body(), "$.all[*].key"))
			.containsExactlyInAnyOrder("a*b", "a*c", "a*d");
	}

	@ParameterizedTest
	@ValueSource(strings = { "report", "stock:42", "a b", "Größe:ß", "100%", "a%41", "a/b", "a/b/c d%", "x;y=z",
			"q?a=b&c#d", "日本", "🔒", "a+b", "\"'<>" })
	void keyThatIsEncodedIntoThePathIsFound(String key) throws Exception {
		acquire(open, key).join();
		StringBuilder path = new StringBuilder();
		for (String segment : key.split("/", -1)) {
			path.append('/').append(encode(segment));
		}
		assertFound(key, path.toString());
		assertThat(delete(open, path.toString()).statusCode()).as("no release by path, which loses empty segments")
			.isEqualTo(405);
		assertFound(key, "?key=" + encode(key));
	}

	@ParameterizedTest
	@ValueSource(strings = { "stock:42", "..", "../../health", "a/../b", "/a", "a//b", "a/", "./.", "a\\b", "100%",
			"a%2Fb", "Größe ß", "a+b", "q?a=b&c#d" })
	void anyKeyIsFoundAsParameter(String key) throws Exception {
		acquire(open, key).join();
		assertFound(key, "?key=" + encode(key));
		assertThat(delete(open, "?key=" + encode(key)).statusCode()).isEqualTo(204);
	}

	@Test
	void releaseTakesTheLockThatIsNamedAndNoOther() throws Exception {
		Lease other = acquire(open, "a/b").join();
		acquire(open, "a//b").join();
		assertThat(delete(open, "/a//b").statusCode()).isEqualTo(405);
		assertThat(delete(open, "?key=a%2F%2Fb").statusCode()).isEqualTo(204);
		assertThat(other.isValid()).isTrue();
	}

	@Test
	void nothingIsReleasedWhereTheEndpointIsReadOnly() throws Exception {
		try (var readOnly = run("--distributed-lock.endpoint.force-release=true",
				"--management.endpoint.locks.access=read-only", "--management.endpoint.locks.show-values=always")) {
			Lease lease = acquire(readOnly, KEY).join();
			assertThat(delete(readOnly, "?key=" + KEY).statusCode()).isEqualTo(405);
			assertThat(lease.isValid()).isTrue();
			assertFound(readOnly, KEY, "?key=" + KEY);
			lease.close();
		}
	}

	@Test
	void lockIsReleasedByForceAndTheOtherInstanceGetsIt() throws Exception {
		Lease stuck = acquire(closed, KEY).join();
		CompletableFuture<LossCause> cause = new CompletableFuture<>();
		stuck.onLost(cause::complete);
		CompletableFuture<Lease> next = acquire(open, KEY);
		await().untilAsserted(
				() -> assertThat(JsonPath.<List<Object>>read(get(open, "/" + KEY).body(), "$.queue")).isNotEmpty());
		assertThat(delete(open, "?key=" + KEY).statusCode()).isEqualTo(204);
		assertThat(next).succeedsWithin(Duration.ofSeconds(10))
			.satisfies((lease) -> assertThat(lease.fencingToken()).isGreaterThan(stuck.fencingToken()));
		assertThat(cause).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(LossCause.FORCED);
	}

	@Test
	void forceReleaseIsRefusedUnlessAllowed() throws Exception {
		Lease lease = acquire(closed, KEY).join();
		HttpResponse<String> refused = delete(closed, "?key=" + KEY);
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(JsonPath.<String>read(refused.body(), "$.message"))
			.contains("'distributed-lock.endpoint.force-release' is false");
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void forceReleaseSaysWhyItDidNothing() throws Exception {
		assertThat(delete(open, "?key=nobody").statusCode()).isEqualTo(404);
		Lease lease = acquire(open, KEY).join();
		HttpResponse<String> conflict = delete(open, "?key=" + KEY + "&owner=other:1");
		assertThat(conflict.statusCode()).isEqualTo(409);
		assertThat(JsonPath.<String>read(conflict.body(), "$.message")).contains("not held by 'other:1'");
		assertThat(lease.isValid()).isTrue();
		String owner = JsonPath.read(get(open, "/" + KEY).body(), "$.owner");
		assertThat(delete(open, "?key=" + KEY + "&owner=" + owner).statusCode()).isEqualTo(204);
		assertThat(lease.isValid()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "?scope=all&cursor=x", "?scope=all&limit=0", "?scope=all&limit=1001", "?scope=everybody",
			"?limit=0", "?limit=1001", "?limit=many", "?sort=color", "?scope=all&name=x", "?scope=all&sort=age",
			"?key=%20", "/%20", "/a?key=b" })
	void badInputIsRefused(String request) throws Exception {
		assertThat(get(open, request).statusCode()).isEqualTo(400);
	}

	@Test
	void deletionWithoutAKeyReleasesNothing() throws Exception {
		Lease lease = acquire(open, KEY).join();
		assertThat(delete(open, "").statusCode()).isEqualTo(400);
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void healthTellsWhetherTheStoreAnswers() throws Exception {
		HttpResponse<String> health = send(open, "health", "GET");
		assertThat(health.statusCode()).isEqualTo(200);
		assertThat(JsonPath.<String>read(health.body(), "$.components.distributedLock.status")).isEqualTo("UP");
		assertThat(JsonPath.<Map<String, Object>>read(health.body(), "$.components.distributedLock.details"))
			.containsKeys("instance", "lastAnswer", "signals")
			.containsEntry("locks", "can be acquired")
			.containsEntry("store", "answering")
			.containsEntry("tolerance", "20 s");
	}

	@Test
	void healthIsDownAtOnceWhereRedisIsFull() throws Exception {
		assertHealthIsDownAfter(() -> redis.commands().configSet("maxmemory", "1"),
				() -> redis.commands().configSet("maxmemory", "0"), "OOM");
	}

	@Test
	void healthIsDownAtOnceWhereRedisDeniesWhatAcquirersNeed() throws Exception {
		assertHealthIsDownAfter(
				() -> redis.commands().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.SET)),
				() -> redis.commands().aclSetuser("default", AclSetuserArgs.Builder.allCommands()), "run");
	}

	/**
	 * As the page about Kubernetes has it.
	 */
	@Test
	void instanceThatCannotLockIsNotReadyAndStaysAlive() throws Exception {
		assertThat(send(open, "health/readiness", "GET").statusCode()).isEqualTo(200);
		redis.commands().configSet("maxmemory", "1");
		try {
			assertThatThrownBy(() -> acquire(open, "refused").join()).hasMessageContaining("refused");
			await().atMost(Duration.ofSeconds(4))
				.until(() -> send(open, "health/readiness", "GET").statusCode() == 503);
			assertThat(send(open, "health/liveness", "GET").statusCode()).isEqualTo(200);
		}
		finally {
			redis.commands().configSet("maxmemory", "0");
		}
		assertThat(send(open, "health/readiness", "GET").statusCode()).isEqualTo(200);
	}

	private void assertHealthIsDownAfter(Runnable fault, Runnable cure, String failure) throws Exception {
		send(open, "health", "GET");
		fault.run();
		try {
			assertThatThrownBy(() -> acquire(open, "refused").join()).hasMessageContaining("refused");
			// Whoever was refused may ask before the failure is counted, but long before
			// the store is asked anew in any case, after 5 s.
			HttpResponse<String> health = await().atMost(Duration.ofSeconds(4))
				.until(() -> send(open, "health", "GET"), (answer) -> answer.statusCode() == 503);
			Map<String, Object> locks = JsonPath.read(health.body(), "$.components.distributedLock");
			assertThat(locks).containsEntry("status", "DOWN");
			assertThat(JsonPath.<Map<String, Object>>read(locks, "$.details")).containsEntry("store", "refusing")
				.containsEntry("locks", "cannot be acquired: the store answers, and refuses")
				.hasEntrySatisfying("failure",
						(text) -> assertThat(text.toString()).startsWith("Redis refused to acquire a lock: ")
							.contains(failure));
		}
		finally {
			cure.run();
		}
		assertThat(send(open, "health", "GET").statusCode()).isEqualTo(200);
	}

	private void assertFound(String key, String request) throws Exception {
		assertFound(open, key, request);
	}

	private void assertFound(ConfigurableApplicationContext instance, String key, String request) throws Exception {
		HttpResponse<String> response = get(instance, request);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(JsonPath.<String>read(response.body(), "$.key")).isEqualTo(key);
		assertThat(JsonPath.<String>read(response.body(), "$.owner")).startsWith(instance(instance));
		assertThat(JsonPath.<String>read(response.body(), "$.held.key")).isEqualTo(key);
	}

	private CompletableFuture<Lease> acquire(ConfigurableApplicationContext instance, String key) {
		CompletableFuture<Lease> lease = instance.getBean(LockRegistry.class).acquireAsync(key, PATIENT);
		this.leases.add(lease);
		return lease;
	}

	private HttpResponse<String> get(ConfigurableApplicationContext instance, String request)
			throws IOException, InterruptedException {
		return send(instance, "locks" + request, "GET");
	}

	private HttpResponse<String> delete(ConfigurableApplicationContext instance, String request)
			throws IOException, InterruptedException {
		return send(instance, "locks" + request, "DELETE");
	}

	private HttpResponse<String> send(ConfigurableApplicationContext instance, String request, String method)
			throws IOException, InterruptedException {
		String port = instance.getEnvironment().getRequiredProperty("local.server.port");
		URI uri = URI.create("http://127.0.0.1:%s/actuator/%s".formatted(port, request));
		return this.client.send(HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
				BodyHandlers.ofString());
	}

	private static String instance(ConfigurableApplicationContext instance) {
		return instance.getBean(DefaultLockRegistry.class).instanceId();
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

	private static ConfigurableApplicationContext run(String... more) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.SERVLET)
			.properties("spring.main.banner-mode=off", "server.port=0", "spring.data.redis.host=" + redis.host(),
					"spring.data.redis.port=" + redis.port(), "management.endpoints.web.exposure.include=health,locks",
					"management.endpoint.health.show-details=always", "management.endpoint.health.probes.enabled=true",
					"management.endpoint.health.group.readiness.include=readinessState,distributedLock")
			.run(more);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
