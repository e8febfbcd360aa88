/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
