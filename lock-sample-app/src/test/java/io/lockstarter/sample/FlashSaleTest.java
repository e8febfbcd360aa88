package io.lockstarter.sample;

import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.UseMainMethod;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A crowd that buys from one instance, on an embedded Redis.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, useMainMethod = UseMainMethod.ALWAYS,
		properties = "sale.think-time=10ms")
class FlashSaleTest {

	private static final int BUYERS = 150;

	private Crowd crowd;

	@Autowired
	private Warehouse warehouse;

	@BeforeEach
	void reset(@LocalServerPort int port) {
		this.crowd = new Crowd(port);
		assertThat(this.crowd.reset().body())
			.isEqualTo("{\"productId\":10100101,\"stock\":100,\"orders\":0,\"oversold\":0}");
	}

	@Test
	void withTheLockEveryItemIsSoldOnce() {
		assertThat(this.crowd.buy(BUYERS, "buy")).isEqualTo(Map.of(200, 100L, 409, 50L));
		assertThat(this.warehouse.sale(Crowd.PRODUCT)).isEqualTo(new Sale(Crowd.PRODUCT, 0, 100, 0));
	}

	@Test
	void withoutTheLockMoreIsSoldThanThereIs() {
		this.crowd.buy(BUYERS, "buy-unlocked");
		Sale sale = this.warehouse.sale(Crowd.PRODUCT);
		assertThat(sale.oversold()).isPositive();
		assertThat(sale.orders()).isEqualTo(100 + sale.oversold());
	}

}
