// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.store.LockStore;
import io.lockstarter.memory.MemoryLockStore;
import org.h2.Driver;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link AutoConfigureDistributedLock} on tests of several kinds.
 */
class AutoConfigureDistributedLockTest {

	@Nested
	@SpringJUnitConfig(Work.class)
	@AutoConfigureDistributedLock
	@TestPropertySource(properties = { "distributed-lock.wait-time=0s", "distributed-lock.store=redis",
			"distributed-lock.url=redis://nowhere:1", "distributed-lock.migration[0].from=redisson",
			"distributed-lock.migration[0].old-key=old:*" })
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	class WithoutSpringBoot {

		@Autowired
		private Work work;

		@Autowired
		private LockTester tester;

		@Autowired
		private LockStore store;

		@Autowired
		private ObjectProvider<RedisConnectionFactory> redis;

		@Test
		@Order(1)
		void annotatedMethodLocksInMemory() {
			assertThat(this.work.isLocked()).isTrue();
			assertThat(this.tester.acquired("work")).hasSize(1).noneMatch(Lease::isValid);
			assertThat(((DelegatingLockStore) this.store).delegate).isInstanceOf(MemoryLockStore.class);
			assertThat(this.redis.getIfAvailable()).isNull();
		}

		@Test
		@Order(1)
		void tableOfTheFenceWouldBeMade(@Autowired Environment environment) {
			assertThat(environment.getProperty("distributed-lock.fence.create-table")).isEqualTo("true");
		}

		@Test
		@Order(2)
		void heldLockIsBusy() {
			this.tester.hold("work");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.work::isLocked);
			this.tester.makeUnavailable();
		}

		@Test
		@Order(3)
		void nextTestFindsEverythingReset() {
			assertThat(this.tester.acquired()).isEmpty();
			assertThat(this.work.isLocked()).isTrue();
		}

	}

	@Nested
	@SpringJUnitConfig(Work.class)
	@AutoConfigureDistributedLock
	@TestPropertySource(properties = "distributed-lock.fence.create-table=false")
	class WithATableOfItsOwn {

		@Test
		void tableOfTheFenceIsLeftToTheTest(@Autowired Environment environment) {
			assertThat(environment.getProperty("distributed-lock.fence.create-table")).isEqualTo("false");
		}

	}

	/**
	 * Both methods lock the same key, and each keeps it until its rollback.
	 */
	@Nested
	@SpringJUnitConfig(TransactionalWork.class)
	@AutoConfigureDistributedLock
	@TestPropertySource(properties = "distributed-lock.wait-time=0s")
	@Transactional
	class InATransaction {

		@Autowired
		private TransactionalWork work;

		@Test
		void minimumHoldOfOneTest() {
			assertThat(this.work.isLocked()).isTrue();
		}

		@Test
		void doesNotReachTheNextOne() {
			assertThat(this.work.isLocked()).isTrue();
		}

	}

	@Nested
	@SpringJUnitConfig(Work.class)
	@AutoConfigureDistributedLock
	@TestPropertySource(properties = "distributed-lock.enabled=false")
	class Disabled {

		@Autowired
		private LockTester tester;

		@Test
		void testerSaysWhyItCannotHold() {
			assertThatIllegalStateException().isThrownBy(() -> this.tester.hold("k"))
				.withMessageContaining("'distributed-lock.enabled=false'");
		}

	}

	/**
	 * All auto-configurations, with a store of the application.
	 */
	@Nested
	@SpringBootTest(classes = WholeApplication.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureDistributedLock
	class OnAWholeApplication {

		@Autowired
		private Work work;

		@Autowired
		private LockTester tester;

		@Autowired
		private LockStore store;

		@Test
		void storeOfTheApplicationIsUsed() {
			assertThat(this.work.isLocked()).isTrue();
			this.tester.hold("held");
			assertThat(WholeApplication.STORE.inspect("held").join().lock().ownerIds()).isNotEmpty();
			assertThat(((DelegatingLockStore) this.store).delegate).isSameAs(WholeApplication.STORE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Work.class)
	static class WholeApplication {

		static final MemoryLockStore STORE = new MemoryLockStore();

		@Bean
		LockStore applicationLockStore() {
			return STORE;
		}

	}

	static class TransactionalWork {

		@Bean
		static PlatformTransactionManager transactionManager() {
			return new JdbcTransactionManager(
					new SimpleDriverDataSource(new Driver(), "jdbc:h2:mem:AutoConfigureDistributedLockTest"));
		}

		@DistributedLock(key = "job", minHold = "1h")
		public boolean isLocked() {
			return LockScope.find().isPresent();
		}

	}

	static class Work {

		@DistributedLock("work")
		public boolean isLocked() {
			return LockScope.find().isPresent();
		}

	}

}
