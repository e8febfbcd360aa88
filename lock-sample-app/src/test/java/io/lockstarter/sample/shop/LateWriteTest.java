// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockLostException;
import io.lockstarter.test.AutoConfigureDistributedLock;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A buyer loses the lock between reading the stock and writing it, and another buys
 * meanwhile: what each of the shops with a lock does with the late write.
 */
@JdbcTest
@AutoConfigureDistributedLock
@Import({ Books.class, LockOnlyShop.class, LockedShop.class, FencedShop.class, LateWriteTest.Interruption.class })
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class LateWriteTest {

	private static final long PRODUCT = 10100101;

	@Autowired
	private Books books;

	@Autowired
	private Interruption interruption;

	@Autowired
	private LockTester locks;

	@BeforeEach
	void offer() {
		this.books.offer(PRODUCT, 10);
	}

	@Test
	void theLockAloneLetsALateWriteOverwriteWhatTheOtherHasWritten(@Autowired LockOnlyShop shop) {
		lateBuyer(shop);
		assertThat(this.books.sale(PRODUCT)).isEqualTo(new Sale(PRODUCT, 10, 9, 2));
	}

	@Test
	void theCommitOfALateBuyerIsRefusedAndNothingWritten(@Autowired LockedShop shop) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lateBuyer(shop))
			.withMessageStartingWith("Lock 'stock:%d' was lost".formatted(PRODUCT));
		assertThat(this.books.sale(PRODUCT)).isEqualTo(new Sale(PRODUCT, 10, 9, 1));
	}

	@Test
	void theFenceRefusesALateWrite(@Autowired FencedShop shop) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lateBuyer(shop))
			.withMessageEndingWith("the database has seen a larger token, so another holder was there");
		assertThat(this.books.sale(PRODUCT)).isEqualTo(new Sale(PRODUCT, 10, 9, 1));
	}

	private void lateBuyer(Shop shop) {
		this.interruption.next = () -> {
			this.locks.lose("stock:" + PRODUCT);
			CompletableFuture.runAsync(() -> shop.buy(PRODUCT, Duration.ZERO)).join();
		};
		shop.buy(PRODUCT, Duration.ZERO);
	}

	/**
	 * What happens while a buyer thinks.
	 */
	static class Interruption implements Thinking {

		private Runnable next = () -> {
		};

		@Override
		public void think(Duration time) {
			Runnable now = this.next;
			this.next = () -> {
			};
			now.run();
		}

	}

}
