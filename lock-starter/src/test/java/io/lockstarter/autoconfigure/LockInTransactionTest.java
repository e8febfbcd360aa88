// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * When a lock is released that was taken inside a transaction; with H2 and Redis.
 */
class LockInTransactionTest {

	private static final String PREFIX = LockInTransactionTest.class.getSimpleName();

	private static ConfigurableApplicationContext context;

	private static Accounts accounts;

	private static Transactions transactions;

	@BeforeAll
	static void start() {
		RedisServer redis = RedisServers.shared();
		context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off")
			.run("--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port(),
					"--distributed-lock.key-prefix=" + PREFIX, "--distributed-lock.wait-time=0s");
		accounts = context.getBean(Accounts.class);
		transactions = context.getBean(Transactions.class);
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@AfterEach
	void nothingIsLeft() {
		transactions.failure = null;
		assertThat(isLocked("a")).as("a is locked").isFalse();
		assertThat(isLocked("b")).as("b is locked").isFalse();
		assertThat(context.getBean(LockRegistry.class).obtain("a").holdCount()).isZero();
		assertThat(context.getBean(LockRegistry.class).obtain("b").holdCount()).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = { "AUTO", "AFTER_TRANSACTION" })
	void lockOutlivesItsMethodUpToTheCommit(ReleasePhase phase) {
		List<String> events = new ArrayList<>();
		inTransaction(Propagation.REQUIRED, () -> {
			call(phase, "a");
			assertThat(isLocked("a")).isTrue();
			onCompletion((status) -> events.add("completed while locked: " + isLocked("a")));
		});
		assertThat(events).containsExactly("completed while locked: true");
	}

	@Test
	void callbackThatIsRegisteredAfterTheLockRunsUnderIt() {
		List<String> events = new ArrayList<>();
		inTransaction(Propagation.REQUIRED,
				() -> accounts.auto("a", () -> onCompletion((status) -> events.add("locked: " + isLocked("a")))));
		assertThat(events).containsExactly("locked: true");
	}

	@Test
	void lockOutlivesItsMethodUpToTheRollback() {
		new TransactionTemplate(transactions).executeWithoutResult((status) -> {
			accounts.auto("a", Accounts.NOTHING);
			status.setRollbackOnly();
			assertThat(isLocked("a")).isTrue();
		});
	}

	@Test
	void methodThatFailsKeepsItsLockUpToTheCompletionToo() {
		inTransaction(Propagation.REQUIRED, () -> {
			assertThatIllegalStateException().isThrownBy(() -> accounts.auto("a", () -> {
				throw new IllegalStateException("caught outside");
			}));
			assertThat(isLocked("a")).isTrue();
		});
	}

	@Test
	void lockOfAfterMethodDoesNotOutliveIt() {
		inTransaction(Propagation.REQUIRED, () -> {
			accounts.afterMethod("a", Accounts.NOTHING);
			assertThat(isLocked("a")).isFalse();
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "NOT_SUPPORTED", "SUPPORTS", "NEVER" })
	void scopeWithoutAnActualTransactionIsNone(Propagation propagation) {
		inTransaction(propagation, () -> {
			accounts.auto("a", Accounts.NOTHING);
			assertThat(isLocked("a")).isFalse();
			assertThatIllegalStateException()
				.isThrownBy(() -> accounts.afterTransaction("a", () -> assertThat(false).isTrue()))
				.withMessageContaining("AFTER_TRANSACTION, but the call is not made in a transaction");
		});
	}

	@Test
	void lockAroundTheTransactionOfItsOwnMethodIsReleasedAfterTheCommit() {
		accounts.transactional("a", () -> onCompletion((status) -> assertThat(isLocked("a")).isTrue()));
	}

	@Test
	void eachCallDefersItsOwnHold() {
		inTransaction(Propagation.REQUIRED, () -> {
			accounts.auto("a", () -> accounts.auto("a", Accounts.NOTHING));
			accounts.auto("a", () -> accounts.afterMethod("a", Accounts.NOTHING));
			assertThat(context.getBean(LockRegistry.class).obtain("a").holdCount()).isEqualTo(3);
		});
	}

	@Test
	void severalKeysOutliveTheirMethodTogether() {
		inTransaction(Propagation.REQUIRED, () -> {
			accounts.auto("b", Accounts.NOTHING);
			LockScope outer = accounts.nested("a", "b");
			assertThat(outer.isValid()).isTrue();
			assertThat(isLocked("a")).isTrue();
			assertThat(isLocked("b")).isTrue();
		});
	}

	@Test
	void holdOfAnOuterSectionIsLeftAlone() {
		context.getBean(LockRegistry.class).call("a", LockOptions.defaults(), (scope) -> {
			inTransaction(Propagation.REQUIRED, () -> accounts.auto("a", Accounts.NOTHING));
			assertThat(isLocked("a")).isTrue();
			return "";
		});
	}

	@Test
	void suspendedTransactionKeepsItsLockAndTheInnerOneReleasesItsOwn() {
		inTransaction(Propagation.REQUIRED, () -> {
			accounts.auto("a", Accounts.NOTHING);
			inTransaction(Propagation.REQUIRES_NEW, () -> {
				accounts.auto("a", Accounts.NOTHING);
				accounts.auto("b", Accounts.NOTHING);
			});
			assertThat(isLocked("a")).isTrue();
			assertThat(isLocked("b")).isFalse();
		});
	}

	@Test
	void savepointThatIsRolledBackDoesNotReleaseTheLock() {
		inTransaction(Propagation.REQUIRED, () -> {
			assertThatIllegalStateException().isThrownBy(() -> inTransaction(Propagation.NESTED, () -> {
				accounts.auto("a", Accounts.NOTHING);
				throw new IllegalStateException("to the savepoint");
			}));
			assertThat(isLocked("a")).isTrue();
		});
	}

	@ParameterizedTest
	@EnumSource
	void lockIsReleasedHoweverTheTransactionFails(Failure failure) {
		transactions.failure = failure;
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> inTransaction(Propagation.REQUIRED, () -> {
				accounts.auto("a", Accounts.NOTHING);
				assertThat(isLocked("a")).isTrue();
				if (failure == Failure.ROLLBACK) {
					throw new IllegalStateException("to be rolled back");
				}
			}))
			.withMessage(failure.name());
	}

	@Test
	void commitThatIsRefusedByAnotherCallbackReleasesTheLock() {
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(Propagation.REQUIRED, () -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new IllegalStateException("refused");
				}

			});
			accounts.auto("a", Accounts.NOTHING);
		})).withMessage("refused");
	}

	@Test
	void callbackThatFailsAfterTheCompletionDoesNotKeepTheLock() {
		inTransaction(Propagation.REQUIRED, () -> {
			onCompletion((status) -> {
				throw new IllegalStateException("logged by Spring");
			});
			accounts.auto("a", Accounts.NOTHING);
		});
	}

	@Test
	void callsFromCallbacksAreReleasedToo() {
		List<String> events = new ArrayList<>();
		inTransaction(Propagation.REQUIRED,
				() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						accounts.auto("a", () -> events.add("before commit"));
						assertThat(isLocked("a")).isTrue();
					}

					@Override
					public void afterCommit() {
						accounts.auto("b", () -> events.add("after commit"));
						assertThat(isLocked("b")).isTrue();
					}

					@Override
					public void afterCompletion(int status) {
						accounts.auto("b", () -> events.add("after completion"));
						events.add("a locked: " + isLocked("a"));
					}

				}));
		assertThat(events).containsExactly("before commit", "after commit", "after completion", "a locked: true");
	}

	@Test
	void transactionCompletedByAnotherThreadReleasesTheLockAndTheFirstThreadMayTakeItAgain() {
		AtomicReference<List<TransactionSynchronization>> callbacks = new AtomicReference<>();
		inTransaction(Propagation.REQUIRED, () -> {
			accounts.auto("a", () -> accounts.auto("a", Accounts.NOTHING));
			callbacks.set(TransactionSynchronizationManager.getSynchronizations());
			TransactionSynchronizationManager.clearSynchronization();
			TransactionSynchronizationManager.initSynchronization();
		});
		assertThat(isLocked("a")).as("taken out of the transaction").isTrue();
		completeOnAnotherThread(callbacks.get());
		assertThat(isLocked("a")).isFalse();
		accounts.auto("a", Accounts.NOTHING);
	}

	@ParameterizedTest
	@EnumSource
	void transactionCompletedByAnotherThreadReleasesAllKeysButThoseOfAnOuterSection(LockMode mode) {
		AtomicReference<List<TransactionSynchronization>> callbacks = new AtomicReference<>();
		context.getBean(LockRegistry.class).call("b", LockOptions.defaults(), (scope) -> {
			inTransaction(Propagation.REQUIRED, () -> {
				if (mode == LockMode.SHARED) {
					accounts.shared("a", "b", "c");
				}
				else {
					accounts.all("a", "b", "c");
				}
				callbacks.set(TransactionSynchronizationManager.getSynchronizations());
				TransactionSynchronizationManager.clearSynchronization();
				TransactionSynchronizationManager.initSynchronization();
			});
			assertThat(List.of("a", "b", "c")).allMatch(LockInTransactionTest::isLocked);
			completeOnAnotherThread(callbacks.get());
			assertThat(isLocked("a")).isFalse();
			assertThat(isLocked("c")).isFalse();
			assertThat(scope.isValid()).isTrue();
			return "";
		});
		accounts.auto("a", Accounts.NOTHING);
	}

	private static void completeOnAnotherThread(List<TransactionSynchronization> callbacks) {
		Thread reaper = new Thread(() -> callbacks
			.forEach((callback) -> callback.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)));
		reaper.start();
		try {
			reaper.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void call(ReleasePhase phase, String key) {
		switch (phase) {
			case AUTO -> accounts.auto(key, Accounts.NOTHING);
			case AFTER_TRANSACTION -> accounts.afterTransaction(key, Accounts.NOTHING);
			case AFTER_METHOD -> accounts.afterMethod(key, Accounts.NOTHING);
		}
	}

	private static void inTransaction(Propagation propagation, Runnable action) {
		TransactionTemplate template = new TransactionTemplate(transactions);
		template.setPropagationBehavior(propagation.value());
		template.executeWithoutResult((status) -> action.run());
	}

	private static void onCompletion(Consumer<Integer> action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				action.accept(status);
			}

		});
	}

	private static boolean isLocked(String key) {
		return RedisServers.shared().commands().exists("{%s}lock:%s".formatted(PREFIX, key)) == 1;
	}

	enum Failure {

		COMMIT, COMMIT_AND_ROLLBACK, ROLLBACK

	}

	static class Accounts {

		static final Runnable NOTHING = () -> {
		};

		@DistributedLock("#{#key}")
		public void auto(String key, Runnable action) {
			action.run();
		}

		@DistributedLock(key = "#{#key}", releasePhase = ReleasePhase.AFTER_METHOD)
		public void afterMethod(String key, Runnable action) {
			action.run();
		}

		@DistributedLock(key = "#{#key}", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		public void afterTransaction(String key, Runnable action) {
			action.run();
		}

		@Transactional
		@DistributedLock("#{#key}")
		public void transactional(String key, Runnable action) {
			action.run();
		}

		@DistributedLock({ "#{#one}", "#{#two}", "#{#three}" })
		public void all(String one, String two, String three) {
		}

		@DistributedLock(key = { "#{#one}", "#{#two}", "#{#three}" }, mode = LockMode.SHARED)
		public void shared(String one, String two, String three) {
		}

		@DistributedLock("#{#one}")
		@DistributedLock("#{#two}")
		public LockScope nested(String one, String two) {
			return LockScope.current();
		}

	}

	/**
	 * Fails when it is told to.
	 */
	@SuppressWarnings("serial")
	static class Transactions extends JdbcTransactionManager {

		private Failure failure;

		Transactions(DataSource dataSource) {
			super(dataSource);
			setRollbackOnCommitFailure(true);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			if (this.failure == Failure.COMMIT || this.failure == Failure.COMMIT_AND_ROLLBACK) {
				throw new TransactionSystemException(this.failure.name());
			}
			super.doCommit(status);
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			super.doRollback(status);
			if (this.failure == Failure.ROLLBACK || this.failure == Failure.COMMIT_AND_ROLLBACK) {
				throw new TransactionSystemException(this.failure.name());
			}
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
		Transactions transactionManager(DataSource dataSource) {
			return new Transactions(dataSource);
		}

		@Bean
		Accounts accounts() {
			return new Accounts();
		}

	}

}
