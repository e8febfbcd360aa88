// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.lockstarter.LockMode;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.Fence;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.fence.LockFence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Which database fences, and what fails where it cannot.
 */
class LockFenceAutoConfigurationTest {

	private static final String CREATE = "distributed-lock.fence.create-table=true";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LockTransactionAutoConfiguration.class, LockFenceAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	private final ApplicationContextRunner withDatabase = this.runner.withUserConfiguration(Database.class);

	@Test
	void tableIsMadeIfAPropertySaysSo() {
		this.withDatabase.withBean(Sold.class).withPropertyValues(CREATE).run((context) -> {
			context.getBean(Sold.class).sell();
			assertThat(rows(context, "lock_fence")).isOne();
			context.getBean(LockFence.class).createTable();
			assertThat(rows(context, "lock_fence")).as("made once").isOne();
		});
	}

	@Test
	void tableMayBeInASchemaAndRowsHaveThePrefixOfKeys() {
		this.withDatabase.withBean(Sold.class)
			.withPropertyValues(CREATE, "distributed-lock.fence.table=shop.fences", "distributed-lock.key-prefix=sale")
			.run((context) -> {
				context.getBean(Sold.class).sell();
				assertThat(JdbcClient.create(context.getBean("dataSource", DataSource.class))
					.sql("select name from shop.fences")
					.query(String.class)
					.single()).isEqualTo("sale:stock");
			});
	}

	@Test
	void missingTableFailsTheStartWithItsDefinition() {
		this.withDatabase.withBean(Sold.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageStartingWith("The table 'lock_fence' for fence = TRANSACTION cannot be used: ")
				.hasMessageContaining(
						"CREATE TABLE IF NOT EXISTS lock_fence ( name VARCHAR(255) NOT NULL PRIMARY KEY,"));
	}

	@Test
	void missingTableFailsTheCallIfNobodyKnewAtTheStart() {
		this.withDatabase.withBean(Sold.class, Sold::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatIllegalStateException().isThrownBy(() -> context.getBean(Sold.class).sell())
					.withMessageStartingWith("The table 'lock_fence' for fence = TRANSACTION cannot be used: ");
			});
	}

	@Test
	void whoFencesNothingNeedsNoTableAndGetsNone() {
		this.withDatabase.withBean(Unfenced.class).run((context) -> {
			context.getBean(Unfenced.class).sell();
			assertThat(context).hasNotFailed();
		});
		this.withDatabase.withBean(Unfenced.class).withPropertyValues(CREATE).run((context) -> {
			assertThatExceptionOfType(BadSqlGrammarException.class).isThrownBy(() -> rows(context, "lock_fence"));
			context.getBean(LockFence.class).createTable();
			assertThat(rows(context, "lock_fence")).as("made by hand").isZero();
		});
	}

	@Test
	void databaseThatIsDownDoesNotFailTheStart() {
		this.runner.withBean(Sold.class)
			.withBean("dataSource", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:tcp://127.0.0.1:1/x"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void withoutADataSourceTheStartFails() {
		this.runner.withBean(Sold.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("Sold.sell")
				.hasMessageContaining("fence = TRANSACTION needs a DataSource, but there is none"));
	}

	@Test
	void withoutSpringJdbcTheStartFails() {
		this.withDatabase.withBean(Sold.class)
			.withClassLoader(new FilteredClassLoader(JdbcTemplate.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("fence = TRANSACTION needs a DataSource, but there is none"));
	}

	@Test
	void oneOfSeveralDataSourcesHasToBeNamed() {
		ApplicationContextRunner two = this.withDatabase.withUserConfiguration(Second.class)
			.withBean(Sold.class)
			.withPropertyValues(CREATE);
		two.run((context) -> assertThat(context).getFailure()
			.hasMessageContaining("which of the DataSource beans 'dataSource', 'second' it is for"));
		two.withPropertyValues("distributed-lock.fence.data-source=third")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("there is no DataSource bean of that name. Name one of 'dataSource', 'second'"));
		two.withPropertyValues("distributed-lock.fence.data-source=dataSource").run((context) -> {
			context.getBean(Sold.class).sell();
			assertThat(rows(context, "lock_fence")).isOne();
		});
	}

	@Test
	void writingTransactionOnAnotherDataSourceIsRefused() {
		this.withDatabase.withUserConfiguration(Second.class)
			.withBean(Sold.class)
			.withPropertyValues(CREATE, "distributed-lock.fence.data-source=dataSource")
			.run((context) -> {
				Sold sold = context.getBean(Sold.class);
				TransactionTemplate second = new TransactionTemplate(
						context.getBean("secondManager", PlatformTransactionManager.class));
				assertThatIllegalStateException().isThrownBy(() -> sold.sell(() -> second.execute((status) -> "")))
					.withMessageStartingWith("A transaction is not on the DataSource that fences its lock");
				second.setReadOnly(true);
				sold.sell(() -> second.execute((status) -> ""));
				assertThat(rows(context, "lock_fence")).isOne();
			});
	}

	@Test
	void transactionOfAnotherDataSourceMayBeAround() {
		this.withDatabase.withUserConfiguration(Second.class)
			.withBean(Sold.class)
			.withPropertyValues(CREATE, "distributed-lock.fence.data-source=dataSource")
			.run((context) -> {
				new TransactionTemplate(context.getBean("secondManager", PlatformTransactionManager.class))
					.executeWithoutResult((status) -> context.getBean(Sold.class).sell());
				assertThat(rows(context, "lock_fence")).isOne();
			});
	}

	@Test
	void proxyThatKnowsTransactionsIsLookedBehind() {
		this.withDatabase.withBean(Sold.class)
			.withUserConfiguration(Aware.class)
			.withPropertyValues(CREATE)
			.run((context) -> {
				context.getBean(Sold.class).sell();
				assertThat(rows(context, "lock_fence")).isOne();
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { Shared.class, Permitted.class })
	void lockThatOthersHaveTooIsRefused(Class<?> type) {
		assertInvalid(type, "fence = TRANSACTION is for locks that one has alone");
	}

	@Test
	void callThatMayGoOnWithoutItsLockIsRefused() {
		assertInvalid(Proceeding.class, "fence = TRANSACTION and onUnavailable = PROCEED contradict each other");
	}

	@Test
	void methodWhoseWorkGoesOnElsewhereIsRefused() {
		assertInvalid(Later.class, "fence = TRANSACTION needs transactions of the thread that runs the method");
	}

	private void assertInvalid(Class<?> type, String message) {
		this.withDatabase.withBean(type)
			.withPropertyValues(CREATE)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining(message));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "table=lock fence | which is no name of a table",
					"table=x;drop table y | which is no name of a table", "max-pause=59s | must be a minute or longer",
					"purge-interval=0s | must be positive" })
	void mistakesInPropertiesFailTheStart(String property, String message) {
		this.withDatabase.withBean(Sold.class)
			.withPropertyValues(CREATE, "distributed-lock.fence.purge-interval=1h",
					"distributed-lock.fence." + property.strip())
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("Property 'distributed-lock.fence." + property.strip().replaceAll("=.*", "'"))
				.hasMessageContaining(message));
	}

	@Test
	void oldRowsAreDeletedAgainAndAgain() {
		this.withDatabase.withBean(Sold.class)
			.withPropertyValues(CREATE, "distributed-lock.fence.purge-interval=20ms",
					"distributed-lock.fence.max-pause=2m")
			.run((context) -> {
				long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
				JdbcClient jdbc = JdbcClient.create(context.getBean(DataSource.class));
				for (int i = 0; i < 2; i++) {
					jdbc.sql("insert into lock_fence values ('lock:old', ?), (?, ?)")
						.params(now - Duration.ofMinutes(3).toNanos() / 1000, "lock:new" + i, now)
						.update();
					int left = i + 1;
					await().pollInterval(Duration.ofMillis(10)).until(() -> rows(context, "lock_fence") == left);
				}
			});
	}

	private static int rows(AssertableApplicationContext context, String table) {
		return JdbcClient.create(context.getBean("dataSource", DataSource.class))
			.sql("select count(*) from " + table)
			.query(Integer.class)
			.single();
	}

	static class Sold {

		@Transactional("transactionManager")
		@DistributedLock(value = "stock", fence = Fence.TRANSACTION)
		public void sell() {
		}

		@Transactional("transactionManager")
		@DistributedLock(value = "stock", fence = Fence.TRANSACTION)
		public void sell(Runnable inside) {
			inside.run();
		}

	}

	static class Unfenced {

		@Transactional
		@DistributedLock("stock")
		public void sell() {
		}

	}

	static class Shared {

		@DistributedLock(key = "stock", mode = LockMode.SHARED, fence = Fence.TRANSACTION)
		public void sell() {
		}

	}

	static class Permitted {

		@FencedPermit
		public void sell() {
		}

	}

	static class Proceeding {

		@DistributedLock(key = "stock", onUnavailable = OnUnavailable.PROCEED, fence = Fence.TRANSACTION)
		public void sell() {
		}

	}

	static class Later {

		@DistributedLock(key = "stock", fence = Fence.TRANSACTION)
		public CompletableFuture<String> sell() {
			return CompletableFuture.completedFuture("");
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedPermit(key = "stock", limit = "2")
	@interface FencedPermit {

		@AliasFor(annotation = DistributedLock.class)
		Fence fence() default Fence.TRANSACTION;

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Database {

		@Bean
		DataSource dataSource() {
			DataSource dataSource = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
				.generateUniqueName(true)
				.build();
			JdbcClient.create(dataSource).sql("create schema shop").update();
			return dataSource;
		}

		@Bean
		@Primary
		PlatformTransactionManager transactionManager(@Qualifier("dataSource") DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Aware {

		@Bean
		@Primary
		DataSource aware(@Qualifier("dataSource") DataSource dataSource) {
			return new TransactionAwareDataSourceProxy(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Second {

		@Bean
		DataSource second() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		PlatformTransactionManager secondManager(@Qualifier("second") DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

}
