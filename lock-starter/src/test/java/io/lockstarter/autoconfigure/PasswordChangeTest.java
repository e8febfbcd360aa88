// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.DefaultRedisCredentials;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The password of the Redis user changes while the application runs.
 */
@ExtendWith(OutputCaptureExtension.class)
class PasswordChangeTest {

	private final RedisServer server = RedisServers.start();

	private final AtomicReference<String> known = new AtomicReference<>("before");

	@BeforeEach
	void create() {
		this.server.commands().aclSetuser("service", AclSetuserArgs.Builder.on().allKeys().allChannels().allCommands());
		change("before");
	}

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void connectionThatIsThereIsKept() {
		withFixedPassword().run((context) -> {
			lock(context);
			change("after");
			lock(context);
		});
	}

	@Test
	void nextConnectionIsRefusedAndRecoversOnceRedisTakesThePasswordAgain(CapturedOutput output) {
		withFixedPassword().run((context) -> {
			lock(context);
			change("after");
			cutOff();
			await().atMost(Duration.ofSeconds(30)).until(() -> output.toString().contains("Redis cannot be reached"));
			// Lettuce closes the connection, and may report that instead of why it did
			// so.
			await()
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lock(context))
					.withMessageContaining("WRONGPASS"));
			assertThat(output.toString().lines().filter((line) -> line.contains("Redis cannot be reached")))
				.singleElement()
				.asString()
				.contains("'spring.data.redis.*'");
			change("before");
			awaitLock(context);
		});
	}

	@Test
	void credentialsProviderOfLettuceIsAskedForTheNextConnection() {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {

				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration redisConfiguration) {
					return RedisCredentialsProvider
						.from(() -> RedisCredentials.just("service", PasswordChangeTest.this.known.get()));
				}

			})
			.build();
		ApplicationContextRunner runner = RedisApplication.runner()
			.withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(address(), client));
		lockBeforeAndAfterTheChange(runner);
	}

	@Test
	@SuppressWarnings("deprecation") // As in Spring Data 3.5.
	void credentialsProviderOfJedisIsAskedForTheNextConnection() {
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.customize((config) -> config
				.credentialsProvider(() -> new DefaultRedisCredentials("service", this.known.get())))
			.build();
		ApplicationContextRunner runner = RedisApplication.runner()
			.withBean(JedisConnectionFactory.class, () -> new JedisConnectionFactory(address(), client));
		lockBeforeAndAfterTheChange(runner);
	}

	private void lockBeforeAndAfterTheChange(ApplicationContextRunner runner) {
		runner.run((context) -> {
			lock(context);
			change("after");
			this.known.set("after");
			cutOff();
			awaitLock(context);
		});
	}

	private ApplicationContextRunner withFixedPassword() {
		return RedisApplication.runner()
			.withPropertyValues("spring.data.redis.port=" + this.server.port(), "spring.data.redis.username=service",
					"spring.data.redis.password=before");
	}

	private RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(this.server.host(), this.server.port());
	}

	private void change(String password) {
		this.server.commands().aclSetuser("service", AclSetuserArgs.Builder.resetpass().addPassword(password));
	}

	private void cutOff() {
		assertThat(this.server.commands().clientKill(KillArgs.Builder.user("service"))).isPositive();
	}

	private static void lock(ApplicationContext context) {
		context.getBean(LockRegistry.class).call("k", LockOptions.defaults(), (scope) -> null);
	}

	private static void awaitLock(ApplicationContext context) {
		await().atMost(Duration.ofSeconds(30))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.untilAsserted(() -> lock(context));
	}

}
