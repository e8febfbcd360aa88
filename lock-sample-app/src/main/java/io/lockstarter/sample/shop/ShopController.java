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
package io.lockstarter.sample.shop;

import java.time.Duration;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The shop for customers.
 */
@RestController
@RequestMapping("/products/{id}")
class ShopController {

	private final FencedShop shop;

	private final SaleService sales;

	private final PurchaseLimit limit;

	ShopController(FencedShop shop, SaleService sales, PurchaseLimit limit) {
		this.shop = shop;
		this.sales = sales;
		this.limit = limit;
	}

	@GetMapping
	Sale sale(@PathVariable long id) {
		return this.sales.sale(id);
	}

	@PostMapping("/orders")
	Order buy(@PathVariable long id, HttpServletRequest request) {
		this.limit.check(request.getRemoteAddr());
		return this.shop.buy(id, Duration.ZERO);
	}

}
