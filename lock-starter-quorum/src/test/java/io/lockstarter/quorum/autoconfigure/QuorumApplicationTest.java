// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.LockSetupException;
import io.lockstarter.autoconfigure.LeaderAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import io.lockstarter.autoconfigure.RedisApplication;
import io.lockstarter.quorum.autoconfigure.QuorumProperties.Node;
import io.lockstarter.redis.ScriptPart;
import io.lockstarter.store.LockStore;
import io.lockstarter.testkit.Certificate;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Applications whose locks are kept by several independent servers.
 */
@ExtendWith(OutputCaptureExtension.class)
class QuorumApplicationTest {

	private static final String SECRET = "pa$$w0rd";

	private static final int TLS_PORT = RedisServers.freePort();

	@TempDir
	private static Path directory;

	private static Certificate certificate;

	private static RedisServer plain;

	private static RedisServer secret;

	private static RedisServer encrypted;

	// Servers abstain for a second and a little more after the first contact.
	private final ApplicationContextRunner runner = RedisApplication.runner()
		.withConfiguration(AutoConfigurations.of(QuorumAutoConfiguration.class))
		.withPropertyValues("distributed-lock.quorum.max-ttl=500ms", "distributed-lock.ttl=500ms",
				"distributed-lock.command-timeout=400ms", "distributed-lock.wait-time=30s", "spring.data.redis.port=1");

	@BeforeAll
	static void start() {
		certificate = Certificate.create(directory);
		plain = RedisServers.start();
		secret = RedisServers.start("--requirepass", SECRET);
		encrypted = RedisServers.start(certificate.serverOptions(TLS_PORT));
	}

	@AfterAll
	static void close() {
		plain.close();
		secret.close();
		encrypted.close();
	}

	private ApplicationContextRunner quorum() {
		return this.runner.withPropertyValues(certificate.trustedBy("redis"))
			.withPropertyValues("distributed-lock.quorum.nodes[0]=" + url(plain),
					"distributed-lock.quorum.nodes[1].url=redis://:%s@127.0.0.1:%d".formatted("pa%24%24w0rd",
							secret.port()),
					"distributed-lock.quorum.nodes[1].timeout=300ms",
					"distributed-lock.quorum.nodes[2].url=rediss://localhost:" + TLS_PORT,
					"distributed-lock.quorum.nodes[2].ssl-bundle=redis");
	}

	@Test
	void serversWithCredentialsAndTlsKeepLocksTogether() {
		quorum().withPropertyValues("distributed-lock.quorum.max-ttl=3s", "distributed-lock.ttl=3s").run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			try (Lease lease = registry.acquire("k", LockOptions.defaults())) {
				assertThat(lease.isValid()).isTrue();
				assertThat(serversWith("k")).hasSizeGreaterThanOrEqualTo(2);
				assertThat(registry.tryAcquire("k", LockOptions.defaults().withWaitTime(Duration.ZERO))).isEmpty();
			}
		});
	}

	@Test
	void anotherContextWaitsForTheFirst() {
		quorum().run((context) -> quorum().run((other) -> {
			Lease lease = context.getBean(LockRegistry.class).acquire("turn", LockOptions.defaults());
			var waiting = other.getBean(LockRegistry.class).acquireAsync("turn", LockOptions.defaults());
			assertThat(waiting).isNotDone();
			long first = lease.fencingToken();
			lease.close();
			try (Lease second = waiting.get(30, TimeUnit.SECONDS)) {
				assertThat(second.fencingToken()).isGreaterThan(first);
			}
		}));
	}

	@Test
	void commaSeparatedAddressesAreNodes() {
		this.runner
			.withPropertyValues(
					"distributed-lock.quorum.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2, redis://127.0.0.1:3")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(QuorumProperties.class).getNodes()).extracting(Node::url)
					.containsExactly("redis://127.0.0.1:1", "redis://127.0.0.1:2", "redis://127.0.0.1:3");
				assertThat(context.getBean(QuorumProperties.class).getNodes().toString()).doesNotContain("127.0.0.1");
				assertThat(context.getBean(QuorumProperties.class)).asString().doesNotContain("127.0.0.1");
			});
	}

	// The predicates for hints have other names in Spring Framework 6.
	@Test
	void addressesAreConvertedInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new QuorumProperties.NodeHints().registerHints(hints, null);
		assertThat(hints.reflection().getTypeHint(Node.class)).isNotNull();
		assertThat(hints.reflection().getTypeHint(Node.class).methods()).singleElement().satisfies((method) -> {
			assertThat(method.getName()).isEqualTo("valueOf");
			assertThat(method.getParameterTypes()).containsExactly(TypeReference.of(String.class));
			assertThat(method.getMode()).isEqualTo(ExecutableMode.INVOKE);
		});
	}

	@Test
	void ttlForWhichNoServerAbstainsIsRefused() {
		quorum().run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThat(context.getBean(LockStore.class).maxTtl()).isEqualTo(Duration.ofMillis(500));
			LockOptions tooLong = LockOptions.defaults().withTtl(Duration.ofSeconds(1));
			assertThatIllegalArgumentException().isThrownBy(() -> registry.acquire("k", tooLong))
				.withMessage("ttl must be at most 500 ms, which the store allows "
						+ "('distributed-lock.quorum.max-ttl'), but is 1 s");
			try (Lease lease = registry.acquire("k", LockOptions.defaults())) {
				assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
					.withMessageContaining("max-ttl");
			}
		});
	}

	@Test
	void twoAddressesOfOneServerAreFoundOutAndNothingIsAcquired() {
		this.runner
			.withPropertyValues("distributed-lock.quorum.nodes[0]=" + url(plain),
					"distributed-lock.quorum.nodes[1]=redis://127.0.0.1:1",
					"distributed-lock.quorum.nodes[2]=redis://localhost:" + plain.port())
			.run((context) -> assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> acquireUntilRefused(context))
				.withMessageContaining("node 1 and node 3 of the quorum are the same server")
				.satisfies((failure) -> assertThat(failure.isTransient()).isFalse()));
	}

	private static void acquireUntilRefused(ApplicationContext context) throws InterruptedException {
		LockRegistry registry = context.getBean(LockRegistry.class);
		registry.acquire("k", LockOptions.defaults()).close();
	}

	@Test
	void aServerThatCannotBeReachedIsNamed(CapturedOutput output) {
		this.runner
			.withPropertyValues(
					"distributed-lock.quorum.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2," + "redis://127.0.0.1:3",
					"distributed-lock.connect-timeout=1s", "distributed-lock.wait-time=0s")
			.run((context) -> assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("k", LockOptions.defaults()))
				.withMessageContaining("no majority of the 3 servers answered: node ")
				.satisfies((failure) -> await()
					.untilAsserted(() -> assertThat(output).contains("the vote of 127.0.0.1:1 is missing"))));
	}

	@Test
	void anEvenNumberIsWarnedOf(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.quorum.nodes=redis://a:1,redis://a:2,redis://a:3,redis://a:4")
			.run((context) -> assertThat(output)
				.contains("has 4 addresses: as many servers may fail as with 3, as more than half"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					nodes=redis://a:1                                             | has 1 address, and one that fails leaves no majority | three or five
					nodes=redis://a:1,redis://a:2                                 | has 2 addresses, and one that fails                  | distributed-lock.url
					nodes=redis://a:1,redis://a:2,redis://a:1/4                   | 'distributed-lock.quorum.nodes[0]' and 'distributed-lock.quorum.nodes[2]' are the same server | once
					nodes=redis://a:1,redis://a:2,a:3                             | 'distributed-lock.quorum.nodes[2].url' is not an address of Redis | redis://user:password@host
					nodes=redis://a:1,redis://a:2,redis-sentinel://a:3?sentinelMasterId=m | 'distributed-lock.quorum.nodes[2].url' is an address of Sentinels | not replicated
					nodes[0]=redis://a:1 nodes[1].timeout=1s nodes[2]=redis://a:3 | 'distributed-lock.quorum.nodes[1].url' is missing    | 'distributed-lock.quorum.nodes[1].url'
					nodes[0].url=redis://a:1 nodes[0].timeout=400ms nodes[1]=redis://a:2 nodes[2]=redis://a:3 | nodes[0].timeout' must be at least 1 ms and shorter than 'distributed-lock.command-timeout', which is '400 ms', but is '400 ms' | half
					nodes[0].url=redis://a:1 nodes[0].ssl-bundle=x nodes[1]=redis://a:2 nodes[2]=redis://a:3 | 'distributed-lock.quorum.nodes[0].ssl-bundle' is set, but | rediss://
					nodes[0].url=rediss://a:1 nodes[0].ssl-bundle=x nodes[1]=redis://a:2 nodes[2]=redis://a:3 | nodes[0].ssl-bundle' names 'x', and there is no such | spring.ssl.bundle.pem.x
					nodes=redis://a:1,redis://a:2,redis://a:3 max-ttl=400ms       | 'distributed-lock.ttl' is '500 ms', but must not be longer than 'distributed-lock.quorum.max-ttl', which is '400 ms' | in all instances
					nodes=redis://a:1,redis://a:2,redis://a:3 max-ttl=366d        | 'distributed-lock.quorum.max-ttl' must be between 10 ms and 365 days | default
					nodes=redis://a:1,redis://a:2,redis://a:3 nods=x              | 'distributed-lock.quorum.nods' does not exist        | 'distributed-lock.quorum.nodes'
					nodes[0].uri=redis://a:1                                      | 'distributed-lock.quorum.nodes[0].uri' does not exist | quorum.nodes
					""")
	void quorumThatCannotWorkIsRefusedWithItsRemedy(String properties, String problem, String remedy) {
		String[] values = Stream.of(properties.split(" ", -1))
			.map((value) -> "distributed-lock.quorum." + value)
			.toArray(String[]::new);
		assertRefused(this.runner.withPropertyValues(values), problem, remedy);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					distributed-lock.url=redis://a:9                  | told where they are kept by 'distributed-lock.quorum.nodes', and of another Redis by 'distributed-lock.url' | Leave out one
					distributed-lock.replicas-acknowledged=1          | servers of a quorum have no replicas | Remove it
					""")
	void otherPropertiesThatMakeNoSenseWithItAreRefused(String properties, String problem, String remedy) {
		assertRefused(
				this.runner.withPropertyValues("distributed-lock.quorum.nodes=redis://a:1,redis://a:2,redis://a:3")
					.withPropertyValues(properties.split(" ", -1)),
				problem, remedy);
	}

	@Test
	void anotherPartOfTheScriptIsRefused() {
		assertRefused(
				this.runner.withPropertyValues("distributed-lock.quorum.nodes=redis://a:1,redis://a:2,redis://a:3")
					.withBean(ScriptPart.class, () -> new ScriptPart("") {
					}),
				"'distributed-lock.migration' is set, but locks are in a quorum", "old instances");
	}

	@Test
	void withoutNodesLocksAreInTheRedisOfTheApplication() {
		this.runner.withPropertyValues("spring.data.redis.port=" + plain.port()).run((context) -> {
			context.getBean(LockRegistry.class)
				.run("alone", LockOptions.defaults(), (scope) -> assertThat(plain.keys("*lock:alone")).hasSize(1));
			assertThat(context.getBean(LockStore.class).getClass().getSimpleName()).isEqualTo("RedisLockStore");
		});
	}

	@Test
	void annotationOrLeaderWithATtlForWhichNoServerAbstainsIsRefusedBeforeAnyServerIsAsked() {
		ApplicationContextRunner quorum = this.runner
			.withConfiguration(
					AutoConfigurations.of(LockInterceptorAutoConfiguration.class, LeaderAutoConfiguration.class))
			.withPropertyValues("distributed-lock.quorum.nodes[0].url=redis://a:1",
					"distributed-lock.quorum.nodes[1].url=redis://a:2",
					"distributed-lock.quorum.nodes[2].url=redis://a:3");
		assertRefused(quorum.withBean(LongJob.class),
				"ttl = \"1s\" is longer than 'distributed-lock.quorum.max-ttl', which is 500 ms", "in all instances");
		assertRefused(
				quorum.withPropertyValues("distributed-lock.leader.roles=reports", "distributed-lock.leader.ttl=1s"),
				"'distributed-lock.leader.ttl' is '1 s', but must not be longer than 'distributed-lock.quorum.max-ttl', which is '500 ms'",
				"in all instances");
	}

	/**
	 * Annotations are checked before there is a store, against the default that
	 * lock-starter knows of.
	 */
	@Test
	void defaultOfTheLongestTtlIsTheOneThatAnnotationsAreCheckedAgainst() {
		assertThat(new QuorumProperties().getMaxTtl()).hasMinutes(1);
		assertRefused(
				RedisApplication.runner()
					.withConfiguration(AutoConfigurations.of(QuorumAutoConfiguration.class,
							LockInterceptorAutoConfiguration.class))
					.withPropertyValues("distributed-lock.quorum.nodes=redis://a:1,redis://a:2,redis://a:3")
					.withBean(LongerJob.class),
				"ttl = \"61s\" is longer than 'distributed-lock.quorum.max-ttl', which is 1 min", "in all instances");
	}

	private static void assertRefused(ApplicationContextRunner runner, String problem, String remedy) {
		runner.run((context) -> {
			LockSetupException refusal = RedisApplication.refusal(context);
			assertThat(refusal.problem()).contains(problem);
			assertThat(refusal.remedy()).contains(remedy);
		});
	}

	private static List<RedisServer> serversWith(String key) {
		return Stream.of(plain, secret, encrypted).filter((server) -> !server.keys("*lock:" + key).isEmpty()).toList();
	}

	private static String url(RedisServer server) {
		return "redis://127.0.0.1:" + server.port();
	}

	static class LongerJob {

		@DistributedLock(key = "job", ttl = "61s")
		public void run() {
		}

	}

	static class LongJob {

		@DistributedLock(key = "job", ttl = "1s")
		public void run() {
		}

	}

}
