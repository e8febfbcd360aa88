// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lettuce.core.AclSetuserArgs;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.autoconfigure.RedisApplication.serversOfLocks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications whose client is Jedis.
 */
@ExtendWith(OutputCaptureExtension.class)
class JedisApplicationTest {

	private static RedisServer server;

	private final ApplicationContextRunner runner = RedisApplication.runner()
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + server.port());

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		server.commands()
			.aclSetuser("shop",
					AclSetuserArgs.Builder.on().addPassword("secret").allKeys().allChannels().allCommands());
	}

	@AfterAll
	static void close() {
		server.close();
	}

	@Test
	void locksAreInTheRedisOfJedis(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
			assertThat(serversOfLocks(context, server)).containsExactly(server);
			assertThat(context.getBean(StringRedisTemplate.class).hasKey("{lock}fence")).isTrue();
			assertThat(output).contains("at localhost:%d (database 0)".formatted(server.port()));
		});
	}

	@Test
	void lettuceIsTheClientUnlessAPropertySaysJedis() {
		RedisApplication.runner()
			.run((context) -> assertThat(context.getBean(RedisConnectionFactory.class))
				.isInstanceOf(LettuceConnectionFactory.class));
	}

	@Test
	void userPasswordDatabaseAndClientNameAreTakenOver(CapturedOutput output) {
		this.runner
			.withPropertyValues("spring.data.redis.username=shop", "spring.data.redis.password=secret",
					"spring.data.redis.database=2", "spring.data.redis.client-name=orders")
			.run((context) -> {
				assertThat(serversOfLocks(context, server)).isEmpty();
				server.commands().select(2);
				assertThat(serversOfLocks(context, server)).containsExactly(server);
				server.commands().select(0);
				assertThat(server.commands().clientList().lines()).anyMatch((line) -> line.contains("name=orders")
						&& line.contains("user=shop") && line.contains("db=2") && line.contains("cmd=evalsha"));
			});
		assertThat(output).doesNotContain("secret");
	}

	@Test
	void urlOfSpringIsTakenOver() {
		this.runner
			.withPropertyValues("spring.data.redis.url=redis://shop:secret@127.0.0.1:%d".formatted(server.port()))
			.run((context) -> {
				assertThat(serversOfLocks(context, server)).containsExactly(server);
				assertThat(server.commands().clientList()).contains("user=shop");
			});
	}

	@Test
	void beanOfTheApplicationIsAskedAndNotTheProperties() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		RedisApplication.runner()
			.withPropertyValues("spring.data.redis.port=1")
			.withBean(JedisConnectionFactory.class, () -> new JedisConnectionFactory(configuration))
			.run((context) -> assertThat(serversOfLocks(context, server)).containsExactly(server));
	}

	@Test
	void primaryOfTheSentinelsOfJedisIsUsed(CapturedOutput output) {
		String password = "hush";
		try (RedisServer primary = RedisServers.start("--requirepass", password);
				RedisServer sentinel = RedisServers.startSentinel(
						"sentinel monitor locks 127.0.0.1 %d 1".formatted(primary.port()),
						"sentinel auth-pass locks " + password)) {
			this.runner
				.withPropertyValues("spring.data.redis.sentinel.master=locks",
						"spring.data.redis.sentinel.nodes=127.0.0.1:" + sentinel.port(),
						"spring.data.redis.password=" + password)
				.run((context) -> {
					assertThat(context.getBean(JedisConnectionFactory.class).isRedisSentinelAware()).isTrue();
					assertThat(serversOfLocks(context, primary, server)).containsExactly(primary);
					assertThat(output).contains("the primary 'locks' that Sentinel names");
				});
		}
	}

	@Test
	void primaryOfTheSentinelsOfTheUrlIsUsed() {
		try (RedisServer sentinel = RedisServers
			.startSentinel("sentinel monitor locks 127.0.0.1 %d 1".formatted(server.port()))) {
			RedisApplication.runner()
				.withPropertyValues(
						"distributed-lock.url=redis-sentinel://shop:secret@127.0.0.1:%d,localhost:%d/0?sentinelMasterId=locks"
							.formatted(sentinel.port(), sentinel.port()))
				.run((context) -> {
					assertThat(serversOfLocks(context, server)).containsExactly(server);
					assertThat(server.commands().clientList()).contains("user=shop");
				});
		}
	}

	@Test
	void credentialsProviderOfJedisIsAskedForEachConnection() {
		AtomicReference<String> user = new AtomicReference<>("nobody");
		custom((config) -> config.credentialsProvider(() -> new DefaultRedisCredentials(user.get(), "secret")))
			.run((context) -> {
				user.set("shop");
				// The first connection is made by whoever it was at the start.
				await().ignoreExceptionsInstanceOf(LockStoreException.class)
					.untilAsserted(() -> assertThat(serversOfLocks(context, server)).containsExactly(server));
				assertThat(server.commands().clientList()).contains("user=shop");
			});
	}

	@Test
	void whatLettuceCannotTakeOverIsExplained() {
		custom((config) -> config.hostAndPortMapper((address) -> address)).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("cannot take over a HostAndPortMapper");
			assertThat(analysis.getAction()).contains("distributed-lock.url");
		});
	}

	@Test
	void connectionsEndWithTheContext() {
		// Connections of other tests may end late.
		try (RedisServer own = RedisServers.start()) {
			this.runner.withPropertyValues("spring.data.redis.port=" + own.port()).run((context) -> {
				serversOfLocks(context, own);
				assertThat(connections(own)).isPositive();
			});
			await().until(() -> connections(own) == 0);
		}
	}

	@SuppressWarnings("deprecation") // As in Spring Data 3.5.
	private ApplicationContextRunner custom(Consumer<DefaultJedisClientConfig.Builder> customizer) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		JedisClientConfiguration client = JedisClientConfiguration.builder().customize(customizer::accept).build();
		return this.runner.withBean(JedisConnectionFactory.class,
				() -> new JedisConnectionFactory(configuration, client));
	}

	private static long connections(RedisServer redis) {
		return redis.commands().clientList().lines().filter((line) -> !line.contains("cmd=client")).count();
	}

}
