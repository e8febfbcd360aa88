package io.lockstarter.sample.jobs;

import java.util.concurrent.CompletableFuture;

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

	private final MenuService menu;

	private final InvoiceService invoices;

	JobsController(MenuService menu, InvoiceService invoices) {
		this.menu = menu;
		this.invoices = invoices;
	}

	@GetMapping("/menu")
	MenuItem menu() {
		return this.menu.build(ROOT);
	}

	@PostMapping("/invoices")
	CompletableFuture<Invoice> invoice() {
		return this.invoices.write(CUSTOMER);
	}

}
