// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.test.AutoConfigureDistributedLock;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;

/**
 * The example of docs/testing-your-service.md with a slice.
 */
@Tag("boot4")
@WebMvcTest
@AutoConfigureDistributedLock
@Import({ ShopControllerTest.ShopController.class, Shop.class })
@TestPropertySource(properties = { "shop.wait-time=10ms", "distributed-lock.problem-details=true" })
class ShopControllerTest {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockTester locks;

	@MockitoBean
	private Shop.Stock stock;

	@Test
	void busyProductIsAConflict() {
		this.locks.hold("stock:42");
		assertThat(this.mvc.post().uri("/products/42/sell")).hasStatus(HttpStatus.CONFLICT);
		then(this.stock).shouldHaveNoInteractions();
	}

	@Test
	void freeProductIsSold() {
		assertThat(this.mvc.post().uri("/products/42/sell")).hasStatusOk();
		assertThat(this.locks.acquired("stock:42")).hasSize(1);
	}

	@RestController
	static class ShopController {

		private final Shop shop;

		ShopController(Shop shop) {
			this.shop = shop;
		}

		@PostMapping("/products/{productId}/sell")
		int sell(@PathVariable("productId") long productId) {
			return this.shop.sell(productId);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	static class Application {

	}

}
