// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.apache.ibatis.annotations.Insert;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.apache.ibatis.session.SqlSessionFactory;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.mapper.MapperFactoryBean;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The fence is the same for JDBC, JPA and MyBatis.
 */
class MappedFenceTest {

	@ParameterizedTest
	@MethodSource("ways")
	void lateTransactionWritesNothing(Class<?> manager, Library library) {
		try (ConfigurableApplicationContext context = start(manager)) {
			FencedShop shop = context.getBean(FencedShop.class);
			JdbcClient jdbc = context.getBean(JdbcClient.class);
			shop.sell(1, () -> {
				library.insert(context, 1);
				assertThat(jdbc.sql("select token from lock_fence").query(Long.class).single())
					.isEqualTo(LockScope.current().fencingToken());
				shop.inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> library.insert(context, 2));
			});
			assertThat(sales(jdbc)).isEqualTo(2);
			jdbc.sql("update lock_fence set token = ?").param(Long.MAX_VALUE).update();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> shop.sell(1, () -> library.insert(context, 3)));
			assertThat(sales(jdbc)).isEqualTo(2);
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
			assertThat(context.getBean(OpenConnections.class).open()).isZero();
			shop.sell(2, () -> library.insert(context, 4));
			assertThat(sales(jdbc)).isEqualTo(3);
			assertThatIllegalStateException().isThrownBy(() -> shop.read(2, () -> library.insert(context, 5)))
				.withMessageContaining("is read-only");
		}
	}

	static Stream<Arguments> ways() {
		return Stream.concat(
				Arrays.stream(Library.values()).map((library) -> Arguments.of(JpaTransactionManager.class, library)),
				Stream.of(Library.JDBC, Library.MYBATIS)
					.map((library) -> Arguments.of(JdbcTransactionManager.class, library)));
	}

	private static int sales(JdbcClient jdbc) {
		return jdbc.sql("select count(*) from sale").query(Integer.class).single();
	}

	private static ConfigurableApplicationContext start(Class<?> manager) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "distributed-lock.store=memory",
					"distributed-lock.fence.create-table=true", "manager=" + manager.getName())
			.run();
	}

	enum Library {

		JDBC((context, id) -> context.getBean(JdbcClient.class).sql("insert into sale values (?)").param(id).update()),

		JPA((context, id) -> context.getBean(EntityManager.class).persist(new Sale(id))),

		MYBATIS((context, id) -> context.getBean(Sales.class).insert(id));

		@SuppressWarnings("ImmutableEnumChecker")
		private final Insertion insertion;

		Library(Insertion insertion) {
			this.insertion = insertion;
		}

		void insert(ApplicationContext context, int id) {
			this.insertion.insert(context, id);
		}

	}

	interface Insertion {

		void insert(ApplicationContext context, int id);

	}

	interface Sales {

		@Insert("insert into sale values (#{id})")
		void insert(int id);

	}

	@Entity(name = "sale")
	static class Sale {

		@Id
		private int id;

		Sale() {
		}

		Sale(int id) {
			this.id = id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Application {

		@Bean
		OpenConnections dataSource() {
			return new OpenConnections(
					new DriverManagerDataSource("jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1"));
		}

		@Bean
		JdbcClient jdbc(DataSource dataSource) {
			return JdbcClient.create(dataSource);
		}

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setManagedTypes(PersistenceManagedTypes.of(Sale.class.getName()));
			factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
			return factory;
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, EntityManagerFactory factory,
				Environment environment) {
			return environment.getProperty("manager", "").equals(JpaTransactionManager.class.getName())
					? new JpaTransactionManager(factory) : new JdbcTransactionManager(dataSource);
		}

		@Bean
		SqlSessionFactoryBean sqlSessionFactory(DataSource dataSource) {
			SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
			factory.setDataSource(dataSource);
			return factory;
		}

		@Bean
		MapperFactoryBean<Sales> sales(SqlSessionFactory factory) {
			MapperFactoryBean<Sales> mapper = new MapperFactoryBean<>(Sales.class);
			mapper.setSqlSessionTemplate(new SqlSessionTemplate(factory));
			return mapper;
		}

		@Bean
		FencedShop shop(PlatformTransactionManager manager) {
			return new FencedShop(manager);
		}

	}

}
