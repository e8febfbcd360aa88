package io.lockstarter.sample;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The shop's HTTP API.
 */
@RestController
@RequestMapping("/products/{id}")
class ShopController {

	private final ShopService shop;

	ShopController(ShopService shop) {
		this.shop = shop;
	}

	@GetMapping
	Sale sale(@PathVariable long id) {
		return this.shop.sale(id);
	}

	@PostMapping("/buy")
	Order buy(@PathVariable long id) {
		return this.shop.buy(id);
	}

	@PostMapping("/buy-unlocked")
	Order buyUnlocked(@PathVariable long id) {
		return this.shop.buyUnlocked(id);
	}

	@PostMapping("/reset")
	Sale reset(@PathVariable long id) {
		return this.shop.reset(id);
	}

}
