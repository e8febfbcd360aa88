// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Nothing is committed under a lost lock, wherever the transaction begins; with H2 and
 * Redis.
 */
class LostLeaseInTransactionTest {

	private static final String LOCK = "{" + LostLeaseInTransactionTest.class.getSimpleName() + "}lock:account";

	@ParameterizedTest
	@EnumSource
	void commitUnderALostLockIsRolledBack(Way way) {
		try (ConfigurableApplicationContext context = start()) {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> way.deposit(accounts, true))
				.satisfies((lost) -> assertThat(lost.key()).isEqualTo("account"));
			assertThat(accounts.deposits()).isZero();
			way.deposit(accounts, false);
			assertThat(accounts.deposits()).as("control: the lock was not lost").isOne();
			assertThat(RedisServers.shared().commands().exists(LOCK)).isZero();
		}
	}

	/**
	 * Shows that it takes the check, and that those who were called in a transaction have
	 * a second one.
	 */
	@ParameterizedTest
	@MethodSource("ways")
	void withoutTheCheckOnlyDeferredLocksAreSafe(Way way) {
		try (ConfigurableApplicationContext context = start(
				"--spring.autoconfigure.exclude=" + LockTransactionAutoConfiguration.class.getName())) {
			Accounts accounts = context.getBean(Accounts.class);
			if (way == Way.LOCK_IN_TRANSACTION) {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> way.deposit(accounts, true));
				assertThat(accounts.deposits()).isZero();
			}
			else {
				way.deposit(accounts, true);
				assertThat(accounts.deposits()).isOne();
			}
		}
	}

	/**
	 * The check before the commit asks nobody: what no renewal has seen yet is found by
	 * the release.
	 */
	@Test
	void deletionThatNobodyHasNoticedFailsTheCallButNotTheCommit() {
		try (ConfigurableApplicationContext context = start()) {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> accounts.failing(() -> RedisServers.shared().commands().del(LOCK)));
			assertThat(accounts.deposits()).isOne();
		}
	}

	@Test
	void deletionIsNoticedBeforeTheCommitIfTheMethodAsksAtItsEnd() {
		try (ConfigurableApplicationContext context = start()) {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> accounts.failing(() -> {
				RedisServers.shared().commands().del(LOCK);
				askRedis();
			}));
			assertThat(accounts.deposits()).isZero();
			accounts.failing(LostLeaseInTransactionTest::askRedis);
			assertThat(accounts.deposits()).as("control: the lock was not lost").isOne();
		}
	}

	private static void askRedis() {
		LockScope.current().leases().forEach((lease) -> lease.extend(Duration.ofSeconds(30)));
	}

	static Stream<Way> ways() {
		return Stream.of(Way.LOCK_IN_TRANSACTION, Way.TRANSACTIONAL_METHOD, Way.TRANSACTION_IN_CALL);
	}

	private static ConfigurableApplicationContext start(String... arguments) {
		RedisServer redis = RedisServers.shared();
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.data.redis.host=" + redis.host(),
					"spring.data.redis.port=" + redis.port(),
					"distributed-lock.key-prefix=" + LostLeaseInTransactionTest.class.getSimpleName())
			.run(arguments);
	}

	/**
	 * Delete the lock. A new connection renews at once, and so finds out without waiting
	 * for the next renewal.
	 */
	private static void delete() {
		RedisCommands<String, String> redis = RedisServers.shared().commands();
		redis.del(LOCK);
		redis.clientKill(KillArgs.Builder.typeNormal().skipme());
	}

	private static void lose() {
		delete();
		LockScope scope = LockScope.current();
		await().pollInterval(Duration.ofMillis(10)).until(() -> !scope.isValid());
	}

	enum Way {

		/** Of the method itself: the lock is around the transaction. */
		TRANSACTIONAL_METHOD {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.transactional(lose);
			}

		},

		/** The transaction is around the lock, and commits after the method. */
		LOCK_IN_TRANSACTION {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.transaction(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
					accounts.deposit();
					accounts.locked(lose);
				});
			}

		},

		/** A transaction within the method commits there. */
		TRANSACTION_IN_METHOD {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.lockAround(TransactionDefinition.PROPAGATION_REQUIRED, lose);
			}

		},

		/** An independent transaction within the method, which is called in another. */
		NEW_TRANSACTION_IN_METHOD {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.transaction(TransactionDefinition.PROPAGATION_REQUIRED,
						() -> accounts.lockAround(TransactionDefinition.PROPAGATION_REQUIRES_NEW, lose));
			}

		},

		/** The lock of the outer method is lost, not that of the inner one. */
		TRANSACTION_IN_NESTED_LOCKS {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.twoLocksAround(lose);
			}

		},

		/** The release at the end of the method does not free the transaction. */
		AFTER_METHOD_IN_TRANSACTION {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.transaction(TransactionDefinition.PROPAGATION_REQUIRED,
						() -> accounts.lockAroundNestedOfAfterMethod(lose));
			}

		},

		/** The action of {@code LockRegistry.call}. */
		TRANSACTION_IN_CALL {

			@Override
			void deposit(Accounts accounts, boolean lose) {
				accounts.registry().<Object, RuntimeException>call("account", Accounts.OPTIONS, (scope) -> {
					accounts.transaction(TransactionDefinition.PROPAGATION_REQUIRED, () -> accounts.deposit(lose));
					return "";
				});
			}

		};

		abstract void deposit(Accounts accounts, boolean lose);

	}

	static class Accounts {

		static final LockOptions OPTIONS = LockOptions.defaults();

		private final PlatformTransactionManager manager;

		private final JdbcClient jdbc;

		private final LockRegistry registry;

		Accounts(PlatformTransactionManager manager, JdbcClient jdbc, LockRegistry registry) {
			this.manager = manager;
			this.jdbc = jdbc;
			this.registry = registry;
		}

		@Transactional
		@DistributedLock("account")
		public void transactional(boolean lose) {
			deposit(lose);
		}

		@Transactional
		@DistributedLock(key = "account", onLost = OnLost.FAIL)
		public void failing(Runnable end) {
			deposit();
			end.run();
		}

		@DistributedLock("account")
		public void locked(boolean lose) {
			if (lose) {
				lose();
			}
		}

		@DistributedLock("account")
		public void lockAround(int propagation, boolean lose) {
			transaction(propagation, () -> deposit(lose));
		}

		@DistributedLock("account")
		@DistributedLock(key = "another")
		public void twoLocksAround(boolean lose) {
			transaction(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				deposit();
				if (lose) {
					delete();
					await().pollInSameThread().pollInterval(Duration.ofMillis(10)).until(Accounts::isOuterLost);
				}
			});
		}

		@DistributedLock(key = "account", releasePhase = ReleasePhase.AFTER_METHOD)
		public void lockAroundNestedOfAfterMethod(boolean lose) {
			transaction(TransactionDefinition.PROPAGATION_NESTED, () -> deposit(lose));
		}

		private static boolean isOuterLost() {
			try {
				LockScope.checkAll();
				return false;
			}
			catch (LockLostException ex) {
				return LockScope.current().isValid();
			}
		}

		LockRegistry registry() {
			return this.registry;
		}

		void deposit(boolean lose) {
			deposit();
			if (lose) {
				lose();
			}
		}

		void deposit() {
			this.jdbc.sql("insert into deposit values (5)").update();
		}

		void transaction(int propagation, Runnable action) {
			TransactionTemplate template = new TransactionTemplate(this.manager);
			template.setPropagationBehavior(propagation);
			template.executeWithoutResult((status) -> action.run());
		}

		int deposits() {
			return this.jdbc.sql("select count(*) from deposit").query(Integer.class).single();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Application {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of());
			return manager;
		}

		@Bean
		JdbcClient jdbc(DataSource dataSource) {
			JdbcClient jdbc = JdbcClient.create(dataSource);
			jdbc.sql("create table deposit (amount int)").update();
			return jdbc;
		}

		@Bean
		Accounts accounts(PlatformTransactionManager manager, JdbcClient jdbc, LockRegistry registry) {
			return new Accounts(manager, jdbc, registry);
		}

	}

}
