// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.test.AutoConfigureDistributedLock;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * The examples of docs/testing-your-service.md with Spring.
 */
@SpringJUnitConfig(Shop.class)
@AutoConfigureDistributedLock
@TestPropertySource(properties = "shop.wait-time=10ms")
class ShopTest {

	@Autowired
	private Shop shop;

	@Autowired
	private LockTester locks;

	@MockitoBean
	private Shop.Stock stock;

	@Test
	void sellsUnderTheLockOfTheProduct() {
		given(this.stock.decrement(42)).willAnswer((call) -> {
			LockScope.current().lease("stock:42").checkValid();
			return 7;
		});
		assertThat(this.shop.sell(42)).isEqualTo(7);
		assertThat(this.locks.acquired("stock:42")).hasSize(1);
		assertThat(this.locks.isHeld("stock:42")).isFalse();
	}

	@Test
	void sellingFailsWhileAnotherInstanceSells() {
		this.locks.hold("stock:42");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.shop.sell(42));
		then(this.stock).shouldHaveNoInteractions();
	}

	@Test
	void sellingFailsIfTheLockIsLost() {
		given(this.stock.decrement(42)).willAnswer((call) -> {
			this.locks.lose("stock:42");
			return 7;
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.sell(42));
	}

	@Test
	void laterHolderHasTheLargerToken() {
		given(this.stock.decrement(42)).willAnswer((call) -> {
			Lease other = this.locks.takeOver("stock:42");
			assertThat(other.fencingToken()).isGreaterThan(LockScope.current().fencingToken());
			return 7;
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.sell(42));
	}

	@Test
	void sellingFailsWithoutRedis() {
		LockTester.Outage outage = this.locks.makeUnavailable();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.shop.sell(42));
		outage.close();
		assertThat(this.shop.sell(42)).isZero();
	}

}
