// SPDX-License-Identifier: Apache-2.0
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
