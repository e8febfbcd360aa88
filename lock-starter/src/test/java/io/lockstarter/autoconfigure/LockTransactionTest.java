// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * The lock spans the transaction of the same method: others see what was committed before
 * they get the lock.
 */
class LockTransactionTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
		.withUserConfiguration(Database.class);

	@Test
	void lockIsReleasedOnlyAfterTheCommit() {
		this.runner.run((context) -> {
			context.getBean(Accounts.class).deposit(5);
			assertThat(context.getBean(Events.class).list()).containsExactly("acquired, 0 committed", "in transaction",
					"committed", "released, 1 committed");
		});
	}

	@Test
	void lockIsReleasedOnlyAfterTheRollback() {
		this.runner.run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Accounts.class).deposit(-1));
			assertThat(context.getBean(Events.class).list()).containsExactly("acquired, 0 committed", "in transaction",
					"rolled back", "released, 0 committed");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Database {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcClient jdbc(DataSource dataSource) {
			JdbcClient jdbc = JdbcClient.create(dataSource);
			jdbc.sql("create table deposit (amount int)").update();
			return jdbc;
		}

		@Bean
		Events events() {
			return new Events(new ArrayList<>());
		}

		@Bean
		LockRegistry registry(JdbcClient jdbc, Events events) throws InterruptedException {
			LockRegistry registry = mock();
			LeasedLock lock = mock();
			given(registry.obtain(anyString(), any())).willReturn(lock);
			given(lock.leases()).willReturn(List.of(mock(Lease.class)));
			willAnswer((call) -> events.add("acquired, " + committed(jdbc))).given(lock).acquire();
			willAnswer((call) -> events.add("released, " + committed(jdbc))).given(lock).unlock();
			return registry;
		}

		@Bean
		Accounts accounts(JdbcClient jdbc, Events events) {
			return new Accounts(jdbc, events);
		}

		private static String committed(JdbcClient jdbc) {
			return jdbc.sql("select count(*) from deposit").query(Integer.class).single() + " committed";
		}

	}

	record Events(List<String> list) {

		boolean add(String event) {
			return this.list.add(event);
		}

	}

	static class Accounts {

		private final JdbcClient jdbc;

		private final Events events;

		Accounts(JdbcClient jdbc, Events events) {
			this.jdbc = jdbc;
			this.events = events;
		}

		@Transactional
		@DistributedLock("account")
		public void deposit(int amount) {
			this.jdbc.sql("insert into deposit values (?)").param(amount).update();
			this.events.add("in transaction");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					Accounts.this.events.add((status == STATUS_COMMITTED) ? "committed" : "rolled back");
				}

			});
			if (amount < 0) {
				throw new IllegalStateException("negative");
			}
		}

	}

}
