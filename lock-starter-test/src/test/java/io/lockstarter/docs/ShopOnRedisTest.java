// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.test.AutoConfigureDistributedLock;
import io.lockstarter.test.AutoConfigureDistributedLock.Store;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.then;

/**
 * The example of docs/testing-your-service.md on Redis. Runs where Docker is up.
 */
@Tag("boot4")
@SpringJUnitConfig(Shop.class)
@AutoConfigureDistributedLock(store = Store.REDIS)
@TestPropertySource(properties = "shop.wait-time=10ms")
@Testcontainers(disabledWithoutDocker = true)
class ShopOnRedisTest {

	@Container
	@ServiceConnection(name = "redis")
	static final GenericContainer<?> redis = new GenericContainer<>("redis:7.0").withExposedPorts(6379);

	@Autowired
	private Shop shop;

	@Autowired
	private LockTester locks;

	@MockitoBean
	private Shop.Stock stock;

	@Test
	void sellingFailsWhileAnotherInstanceSells() {
		this.locks.hold("stock:42");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.shop.sell(42));
		then(this.stock).shouldHaveNoInteractions();
	}

}
