// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lockstarter.LockLostException;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockFenceAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import io.lockstarter.docs.AnnotationExamples.Warehouse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the examples of docs/fenced-transactions.md.
 */
class FenceExamplesTest {

	@ParameterizedTest
	@MethodSource("ways")
	void lateTransactionDoesNotRun(Consumer<FenceExamples> way) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class,
					LockInterceptorAutoConfiguration.class, LockFenceAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory", "distributed-lock.fence.create-table=true")
			.withBean(Warehouse.class)
			.withBean(FenceExamples.class)
			.withUserConfiguration(Database.class)
			.run((context) -> {
				FenceExamples examples = context.getBean(FenceExamples.class);
				way.accept(examples);
				JdbcClient.create(context.getBean(DataSource.class))
					.sql("update lock_fence set token = token + 3600000000 where name = 'lock:stock:42'")
					.update();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> way.accept(examples));
				assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of("stock:42"));
			});
	}

	static Stream<Consumer<FenceExamples>> ways() {
		return Stream.of((examples) -> examples.buyOnce(42), (examples) -> examples.buyFenced(42));
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
		TransactionOperations transaction(PlatformTransactionManager manager) {
			return new TransactionTemplate(manager);
		}

	}

}
