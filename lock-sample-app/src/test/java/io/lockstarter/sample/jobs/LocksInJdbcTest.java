// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.test.AutoConfigureDistributedLock;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in a slice with a database: a test in a transaction keeps them up to its end.
 */
@JdbcTest
@AutoConfigureDistributedLock
@Import(LocksInJdbcTest.Ledger.class)
class LocksInJdbcTest {

	@Autowired
	private Ledger ledger;

	@Autowired
	private LockTester locks;

	@Test
	void lockIsKeptUpToTheEndOfTheTransactionOfTheTest() {
		assertThat(this.ledger.balance()).isEqualTo(1);
		assertThat(this.locks.isHeld("ledger")).isTrue();
		assertThat(this.ledger.balance()).as("again by the same thread").isEqualTo(1);
	}

	@Test
	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	void lockIsReleasedByATestWithoutTransaction() {
		assertThat(this.ledger.balance()).isEqualTo(1);
		assertThat(this.locks.isHeld("ledger")).isFalse();
		this.locks.hold("ledger");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.ledger::balance);
	}

	static class Ledger {

		private final JdbcTemplate jdbc;

		Ledger(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock(key = "ledger", waitTime = "10ms")
		public int balance() {
			return this.jdbc.queryForList("SELECT 1", Integer.class).get(0);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	static class Application {

	}

}
