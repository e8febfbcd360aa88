// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLSocketFactory;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.LockConnectionFactory;
import io.lockstarter.testkit.Certificate;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.autoconfigure.RedisApplication.serversOfLocks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in a Redis that speaks TLS.
 */
@ExtendWith(OutputCaptureExtension.class)
class TlsTest {

	private static final String BRIEFLY = "distributed-lock.wait-time=0s";

	private static final int PORT = RedisServers.freePort();

	@TempDir
	private static Path directory;

	private static Certificate certificate;

	private static RedisServer server;

	private final ApplicationContextRunner runner = RedisApplication.runner()
		.withPropertyValues(certificate.trustedBy("redis"));

	@BeforeAll
	static void start() {
		certificate = Certificate.create(directory);
		server = RedisServers.start(certificate.serverOptions(PORT));
	}

	@AfterAll
	static void close() {
		server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void sslBundleOfTheApplicationIsUsed(String client) {
		this.runner
			.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.host=localhost",
					"spring.data.redis.port=" + PORT, "spring.data.redis.ssl.bundle=redis")
			.run((context) -> {
				assertThat(serversOfLocks(context, server)).containsExactly(server);
				context.getBean(StringRedisTemplate.class).opsForValue().set("by", client);
				assertThat(server.commands().get("by")).isEqualTo(client);
			});
	}

	@Test
	void tlsOfAStaticListOfServersIsUsed() {
		RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("localhost",
				RedisServers.freePort());
		nodes.addNode("localhost", PORT);
		this.runner.withBean(LettuceConnectionFactory.class, () -> {
			SslOptions trusted = SslOptions.builder().trustManager(certificate.certificate().toFile()).build();
			return new LettuceConnectionFactory(nodes,
					LettuceClientConfiguration.builder()
						.clientOptions(ClientOptions.builder().sslOptions(trusted).build())
						.useSsl()
						.build());
		}).run((context) -> assertThat(serversOfLocks(context, server)).containsExactly(server));
	}

	@Test
	void nodesOfAClusterAreReachedByTheNameThatTheyAnnounce() {
		try (RedisCluster cluster = RedisCluster.startWithTls(certificate)) {
			ApplicationContextRunner application = this.runner.withPropertyValues("spring.data.redis.ssl.bundle=redis",
					"spring.data.redis.cluster.nodes=" + cluster.tlsSeeds().get(0));
			application.run((context) -> assertLocksAtAllNodes(context, cluster));
			// Then clients use the name that they know.
			cluster.nodes()
				.forEach((node) -> node.commands().configSet("cluster-preferred-endpoint-type", "unknown-endpoint"));
			application.run((context) -> assertLocksAtAllNodes(context, cluster));
		}
	}

	private static void assertLocksAtAllNodes(AssertableApplicationContext context, RedisCluster cluster)
			throws InterruptedException {
		LockRegistry registry = context.getBean(LockRegistry.class);
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			leases.add(registry.acquire("k" + i, LockOptions.defaults()));
		}
		assertThat(cluster.primaries()).hasSize(3).noneMatch((node) -> node.keys("*}lock:k*").isEmpty());
		leases.forEach(Lease::close);
		assertThat(cluster.keys("*}lock:k*")).isEmpty();
	}

	@Test
	void sslBundleOfTheUrlIsUsed() {
		this.runner
			.withPropertyValues("distributed-lock.url=rediss://localhost:" + PORT, "distributed-lock.ssl-bundle=redis")
			.run((context) -> assertThat(serversOfLocks(context, server)).containsExactly(server));
	}

	@Test
	void certificateThatNobodyTrustsIsRefused(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.url=rediss://localhost:" + PORT, BRIEFLY).run((context) -> {
			assertRefused(context.getBean(LockRegistry.class));
			assertThat(output).contains("Redis cannot be reached").contains("PKIX path building failed");
		});
	}

	@Test
	void certificateThatNobodyTrustsEndsAWaitAtOnce() {
		this.runner.withPropertyValues("distributed-lock.url=rediss://localhost:" + PORT).run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> registry.acquire("k", LockOptions.defaults().withWaitTime(Duration.ofMinutes(5))))
				.withMessageContaining("the certificate of Redis is not trusted: ")
				.withMessageContaining("'distributed-lock.ssl-bundle'")
				.matches((failure) -> !failure.isTransient());
		});
	}

	@Test
	void serverThatExpectsTlsIsNamed() {
		this.runner.withPropertyValues("distributed-lock.url=redis://localhost:" + PORT, BRIEFLY)
			.run((context) -> assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("k", LockOptions.defaults()))
				.withMessageContaining("perhaps as it expects TLS"));
	}

	@Test
	void serverWithoutTlsIsNamed() {
		this.runner
			.withPropertyValues("distributed-lock.url=rediss://localhost:" + RedisServers.shared().port(),
					"distributed-lock.connect-timeout=1s", BRIEFLY)
			.run((context) -> assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("k", LockOptions.defaults()))
				.withMessageContaining("perhaps as it does not speak TLS"));
	}

	@Test
	void nameOfTheHostIsVerifiedUnlessTheUrlSaysOtherwise() {
		ApplicationContextRunner bundled = this.runner.withPropertyValues("distributed-lock.ssl-bundle=redis");
		String url = "distributed-lock.url=rediss://127.0.0.1:%d".formatted(PORT);
		bundled.withPropertyValues(url, BRIEFLY).run((context) -> assertRefused(context.getBean(LockRegistry.class)));
		bundled.withPropertyValues(url + "?verifyPeer=CA")
			.run((context) -> assertThat(serversOfLocks(context, server)).containsExactly(server));
	}

	@Test
	void nameOfTheHostIsVerifiedForJedisIfJedisDoes() {
		ApplicationContextRunner jedis = this.runner.withPropertyValues("spring.data.redis.client-type=jedis",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + PORT,
				"spring.data.redis.ssl.bundle=redis");
		jedis.run((context) -> assertThat(serversOfLocks(context, server)).containsExactly(server));
		jedis.withUserConfiguration(Verified.class)
			.withPropertyValues(BRIEFLY)
			.run((context) -> assertRefused(context.getBean(LockRegistry.class)));
	}

	@Test
	void socketFactoryOfAJedisBeanIsExplained() {
		this.runner.withUserConfiguration(OwnSocketFactory.class).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("cannot take over an SSLSocketFactory");
			assertThat(analysis.getAction()).contains("spring.data.redis.ssl.bundle", "distributed-lock.url");
		});
	}

	private static void assertRefused(LockRegistry registry) {
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> registry.call("k", LockOptions.defaults(), (scope) -> null))
			.withMessageContaining("the certificate of Redis is not trusted");
	}

	@Configuration(proxyBeanMethods = false)
	static class Verified {

		@Bean
		BeanPostProcessor verifier() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessBeforeInitialization(Object bean, String name) {
					if (!(bean instanceof JedisConnectionFactory factory)) {
						return bean;
					}
					JedisClientConfiguration client = factory.getClientConfiguration();
					return new JedisConnectionFactory(factory.getStandaloneConfiguration(),
							JedisClientConfiguration.builder()
								.useSsl()
								.sslSocketFactory(client.getSslSocketFactory().orElseThrow())
								.hostnameVerifier((host, session) -> false)
								.build());
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnSocketFactory {

		@Bean
		@LockConnectionFactory
		JedisConnectionFactory jedis() {
			return new JedisConnectionFactory(new RedisStandaloneConfiguration("localhost", PORT),
					JedisClientConfiguration.builder()
						.useSsl()
						.sslSocketFactory((SSLSocketFactory) SSLSocketFactory.getDefault())
						.build());
		}

	}

}
