// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import io.lettuce.core.AclSetuserArgs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.BeanWrapperImpl;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lockstarter.annotation.LockConnectionFactory;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.autoconfigure.RedisApplication.redisAutoConfiguration;
import static io.lockstarter.autoconfigure.RedisApplication.serversOfLocks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Which Redis keeps the locks, if there are several.
 */
@ExtendWith(OutputCaptureExtension.class)
class WhichRedisTest {

	private static final String SECRET = "pa$$w0rd";

	private static RedisServer data;

	private static RedisServer locks;

	private final ApplicationContextRunner runner = RedisApplication.runner()
		.withPropertyValues("spring.data.redis.port=" + data.port());

	@BeforeAll
	static void start() {
		data = RedisServers.start();
		locks = RedisServers.start("--requirepass", SECRET);
	}

	@AfterAll
	static void close() {
		data.close();
		locks.close();
	}

	@Test
	void applicationWithOneRedisKeepsItsLocksThere() {
		this.runner.run((context) -> assertThat(serversOfLocks(context, data, locks)).containsExactly(data));
	}

	/**
	 * The first of the servers does not even answer.
	 */
	@Test
	@Tag("boot4")
	void applicationWithAStaticListOfServersKeepsItsLocksInThePrimary() {
		RedisApplication.runner()
			.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:%d,127.0.0.1:%d"
				.formatted(RedisServers.freePort(), locks.port()), "spring.data.redis.password=" + SECRET)
			.run((context) -> assertThat(serversOfLocks(context, data, locks)).containsExactly(locks));
	}

	@Test
	void qualifiedConnectionFactoryGoesBeforeThePrimaryOne() {
		this.runner.withUserConfiguration(TwoFactories.class).run((context) -> {
			assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
			assertThat(context.getBean(RedisConnectionFactory.class)).isSameAs(context.getBean("data"));
		});
	}

	@Test
	void qualifiedConnectionFactoryThatIsNoDefaultCandidateLeavesThatOfSpringBootInPlace() {
		this.runner.withUserConfiguration(LocksOnly.class).run((context) -> {
			assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
			assertThat(context).hasBean("redisConnectionFactory");
			StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
			assertThat(template.getConnectionFactory()).isSameAs(context.getBean("redisConnectionFactory"));
		});
	}

	@Test
	void twoQualifiedConnectionFactoriesAreExplained() {
		this.runner.withUserConfiguration(TwoQualified.class).run((context) -> {
			FailureAnalysis analysis = analyse(context);
			assertThat(analysis.getDescription()).contains("'one', 'other'",
					"are annotated with @LockConnectionFactory");
			assertThat(analysis.getAction()).isEqualTo("Annotate one of them only.");
		});
	}

	@Test
	void primaryOneOfTwoQualifiedConnectionFactoriesIsUsed() {
		this.runner.withUserConfiguration(PrimaryOfTwoQualified.class)
			.run((context) -> assertThat(serversOfLocks(context, data, locks)).containsExactly(locks));
	}

	@Test
	void urlGoesBeforeTheRedisOfTheApplication(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.url=" + url(), "distributed-lock.key-prefix=mine")
			.run((context) -> {
				assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
				assertThat(context.getBean(StringRedisTemplate.class).hasKey("{mine}fence")).isFalse();
				assertThat(locks.commands().exists("{mine}fence")).isOne();
				assertThat(output)
					.containsPattern("Distributed locks are kept in \\S+ \\S+ at 127.0.0.1:%d \\(database 0\\); "
						.formatted(locks.port()) + "the names of their keys begin with '\\{mine}'");
			});
		assertThat(output).doesNotContain(SECRET);
	}

	@Test
	void urlNeedsNoConnectionFactory() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.url=" + url())
			.run((context) -> {
				assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
				assertThat(context).doesNotHaveBean(RedisConnectionFactory.class);
			});
	}

	@Test
	void redisOfSpringBootThatIsNotThereIsDownUnlessItIsLeftOut() {
		ApplicationContextRunner application = new ApplicationContextRunner()
			.withUserConfiguration(WholeApplication.class)
			.withPropertyValues("distributed-lock.url=" + url(), "spring.data.redis.port=" + RedisServers.freePort(),
					"management.health.diskspace.enabled=false", "management.endpoint.health.probes.enabled=false");
		application.run((context) -> {
			assertThat(serversOfLocks(context, locks)).containsExactly(locks);
			assertThat(health(context)).isEqualTo("DOWN");
		});
		application.withPropertyValues("spring.autoconfigure.exclude=" + redisAutoConfiguration().getName())
			.run((context) -> {
				assertThat(context).doesNotHaveBean(RedisConnectionFactory.class);
				assertThat(serversOfLocks(context, locks)).containsExactly(locks);
				assertThat(health(context)).isEqualTo("UP");
			});
		application.withPropertyValues("management.health.redis.enabled=false").run((context) -> {
			assertThat(serversOfLocks(context, locks)).containsExactly(locks);
			assertThat(health(context)).isEqualTo("UP");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "/3", "?database=3", "/?clientName=locks&database=3" })
	void databaseOfTheUrlIsUsed(String database) {
		this.runner.withPropertyValues("distributed-lock.url=" + url() + database).run((context) -> {
			assertThat(serversOfLocks(context, data, locks)).isEmpty();
			locks.commands().select(3);
			assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
			locks.commands().select(0);
		});
	}

	@Test
	void userAndPasswordOfTheUrlArePercentDecoded() {
		locks.commands()
			.aclSetuser("some@one",
					AclSetuserArgs.Builder.on().addPassword("a@b#c/d").allKeys().allChannels().allCommands());
		this.runner
			.withPropertyValues("distributed-lock.url=redis://some%40one:a%40b%23c%2Fd@127.0.0.1:" + locks.port())
			.run((context) -> {
				assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
				assertThat(locks.commands().clientList()).contains("user=some@one");
			});
	}

	@Test
	void emptyUrlIsNone() {
		this.runner.withPropertyValues("distributed-lock.url=", "distributed-lock.ssl-bundle=")
			.run((context) -> assertThat(serversOfLocks(context, data, locks)).containsExactly(data));
	}

	@Test
	void connectionsAndThreadsOfTheUrlEndWithTheContext() {
		List<Thread> threads = lettuceThreads();
		this.runner.withPropertyValues("distributed-lock.url=" + url()).run((context) -> {
			serversOfLocks(context, locks);
			assertThat(connections()).isPositive();
			assertThat(lettuceThreads()).hasSizeGreaterThan(threads.size());
			context.stop();
			assertThat(context.getBean(DefaultLockRegistry.class).isRunning()).isFalse();
			await().until(() -> connections() == 0);
			context.start();
			assertThat(serversOfLocks(context, data, locks)).containsExactly(locks);
		});
		await().until(() -> connections() == 0);
		await().untilAsserted(() -> assertThat(threads).containsAll(lettuceThreads()));
	}

	@Test
	void urlBesideAQualifiedConnectionFactoryIsRefused() {
		this.runner.withUserConfiguration(LocksOnly.class)
			.withPropertyValues("distributed-lock.url=" + url())
			.run((context) -> {
				FailureAnalysis analysis = analyse(context);
				assertThat(analysis.getDescription()).contains("'distributed-lock.url'", "@LockConnectionFactory");
				assertThat(analysis.getAction()).contains("Leave out one of them");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					rediss://localhost | unknown | names 'unknown', and there is no such SSL bundle | spring.ssl.bundle.pem.unknown.*
					redis://localhost  | any     | is not an address with TLS                       | rediss://
					``                 | any     | has no effect without an address                 | 'distributed-lock.url'
					""")
	void sslBundleThatCannotBeUsedIsExplained(String url, String bundle, String problem, String remedy) {
		this.runner.withPropertyValues("distributed-lock.url=" + url, "distributed-lock.ssl-bundle=" + bundle)
			.run((context) -> {
				FailureAnalysis analysis = analyse(context);
				assertThat(analysis.getDescription()).contains("'distributed-lock.ssl-bundle'", problem);
				assertThat(analysis.getAction()).contains(remedy);
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			127.0.0.1:6379                                     | must begin with redis://
			http://me:hush@localhost:6379                      | must begin with redis://
			redis-socket:///hush                               | must begin with redis://
			redis://                                           | Expected authority at index 8
			redis://me:hush@                                   | needs a host
			redis://me:hush@:6379                              | host or port cannot be read
			redis://me:hu sh@localhost:6379                    | Illegal character
			redis://me:hush#hush@localhost:6379                | it has a '#'
			redis://me:hush/hush@localhost:6379                | needs a host
			redis://12:34/hush@localhost:6379                  | numbers as port and database
			redis://me:hush@localhost:six                      | host or port cannot be read
			redis://me:hush@localhost:6379/hush                | numbers as port and database
			redis://me:hush@my_redis:6379                      | have no '_'
			redis://me:hush@one:6379,other:6379                | host or port cannot be read
			redis://me:hush@localhost?hush=1                   | it has a parameter that is none of
			redis://me:hush@localhost?database=hush            | parameter database is not a number
			redis://me:hush@localhost?database=3hush           | parameter database is not a number
			redis://me:hush@localhost?database                 | parameter database is not a number
			redis://me:hush@localhost?DATABASE=                | parameter database is not a number
			redis://me:hush@localhost?database=9999999999      | parameter database is not a number
			redis://me:hush@localhost?clientName=a;database=b  | parameter database is not a number
			redis://me:hush@localhost/2?database=hush          | parameter database is not a number
			redis://me:hush@localhost/1?database=2             | a database in its path, and another one
			redis://me:hush@localhost:1?sentinelMasterId=hush  | sentinelMasterId needs redis-sentinel://
			redis-sentinel://me:hush@one:1/1?sentinelMasterId=a&database=2  | a database in its path, and another one
			redis-sentinel://me:hush@one:1?sentinelMasterId=a&database=hush | parameter database is not a number
			rediss://me:hush@localhost?verifyPeer=hush         | needs a host, and numbers
			redis-sentinel://me:hush@localhost:26379           | sentinelMasterId
			redis-sentinel://me:hush@one:hush/0?sentinelMasterId=a | sentinelMasterId
			redis-sentinel://me:hush@one:1,/a_b:1?sentinelMasterId=a | sentinelMasterId
			""")
	void badUrlIsExplainedWithoutItsPassword(String url, String problem, CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.url=" + url).run((context) -> {
			FailureAnalysis analysis = analyse(context);
			assertThat(analysis.getDescription())
				.startsWith("Property 'distributed-lock.url' is not an address of Redis: ")
				.contains(problem);
			assertThat(analysis.getAction()).contains("redis://user:password@host:port/database");
			StringWriter trace = new StringWriter();
			context.getStartupFailure().printStackTrace(new PrintWriter(trace));
			assertThat(trace.toString()).doesNotContain("hush");
		});
		assertThat(output).doesNotContain("hush");
	}

	@Test
	void passwordIsNotInTheTextOfTheProperties() {
		LockProperties properties = new LockProperties();
		properties.setUrl(url());
		assertThat(properties).asString().doesNotContain(SECRET);
	}

	private static String url() {
		return "redis://:%s@127.0.0.1:%d".formatted(SECRET, locks.port());
	}

	/**
	 * Return how many connections there are but the test's own.
	 */
	private static long connections() {
		return locks.commands().clientList().lines().filter((line) -> !line.contains("cmd=client")).count();
	}

	private static List<Thread> lettuceThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lettuce-"))
			.toList();
	}

	/**
	 * Return what the Actuator endpoint says, whose type depends on the version of Spring
	 * Boot.
	 */
	private static String health(ApplicationContext context) throws ReflectiveOperationException {
		Object endpoint = context.getBean("healthEndpoint");
		Object health = endpoint.getClass().getMethod("health").invoke(endpoint);
		return String.valueOf(new BeanWrapperImpl(health).getPropertyValue("status"));
	}

	private static FailureAnalysis analyse(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		return new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
	}

	private static LettuceConnectionFactory factory(RedisServer server) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server.host(), server.port());
		if (server == locks) {
			factory.getStandaloneConfiguration().setPassword(SECRET);
		}
		return factory;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WholeApplication {

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactories {

		@Bean
		@Primary
		LettuceConnectionFactory data() {
			return factory(data);
		}

		@Bean
		@LockConnectionFactory
		LettuceConnectionFactory locks() {
			return factory(locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LocksOnly {

		@Bean(defaultCandidate = false)
		@LockConnectionFactory
		RedisConnectionFactory locks() {
			return factory(locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryOfTwoQualified {

		@Bean
		@LockConnectionFactory
		LettuceConnectionFactory one() {
			return factory(data);
		}

		@Bean
		@Primary
		@LockConnectionFactory
		LettuceConnectionFactory other() {
			return factory(locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoQualified {

		@Bean
		@LockConnectionFactory
		LettuceConnectionFactory one() {
			return factory(data);
		}

		@Bean
		@LockConnectionFactory
		LettuceConnectionFactory other() {
			return factory(locks);
		}

	}

}
