// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shows the small examples.
 */
@RestController
class JobsController {

	private static final long ROOT = 1;

	private static final long CUSTOMER = 7;

	private static final int PAYMENTS = 12;

	private static final int READERS = 4;

	private static final Executor LATER = CompletableFuture.delayedExecutor(150, TimeUnit.MILLISECONDS);

	private final MenuService menu;

	private final InvoiceService invoices;

	private final PaymentService payments;

	private final PriceService prices;

	JobsController(MenuService menu, InvoiceService invoices, PaymentService payments, PriceService prices) {
		this.menu = menu;
		this.invoices = invoices;
		this.payments = payments;
		this.prices = prices;
	}

	@GetMapping("/menu")
	MenuItem menu() {
		return this.menu.build(ROOT);
	}

	@PostMapping("/invoices")
	CompletableFuture<Invoice> invoice() {
		return this.invoices.write(CUSTOMER);
	}

	@PostMapping("/payments")
	CompletableFuture<List<Payment>> payments() {
		return all(Stream.generate(this.payments::pay).limit(PAYMENTS));
	}

	/**
	 * Lets some read the prices, one change them, and some come to read a moment later.
	 */
	@PostMapping("/prices")
	CompletableFuture<List<PriceService.Visit>> prices() {
		Stream<CompletableFuture<PriceService.Visit>> before = Stream.generate(this.prices::read).limit(READERS);
		Stream<CompletableFuture<PriceService.Visit>> after = Stream.generate(() -> CompletableFuture.runAsync(() -> {
		}, LATER).thenCompose((later) -> this.prices.read())).limit(READERS);
		return all(Stream.concat(before, Stream.concat(Stream.of(1).map((one) -> this.prices.change()), after)));
	}

	private static <T> CompletableFuture<List<T>> all(Stream<CompletableFuture<T>> results) {
		List<CompletableFuture<T>> all = results.toList();
		return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
			.thenApply((done) -> all.stream().map(CompletableFuture::join).toList());
	}

}
