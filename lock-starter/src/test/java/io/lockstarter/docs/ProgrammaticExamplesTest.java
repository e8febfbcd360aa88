// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockLostEvent;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LossCause;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Runs the examples of docs/programmatic-use.md and the README.
 */
@SpringJUnitConfig
@ImportAutoConfiguration({ LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class })
@TestPropertySource(properties = "distributed-lock.store=memory")
class ProgrammaticExamplesTest {

	@Autowired
	private LockRegistry registry;

	@Autowired
	private ProgrammaticExamples examples;

	@Autowired
	private HeldStock work;

	@Autowired
	private StockService stockService;

	@Autowired
	private ReportService reportService;

	@Autowired
	private ApplicationContext context;

	@BeforeEach
	void forget() {
		this.work.tokens.clear();
		this.work.held.clear();
	}

	@Test
	void eachSectionRunsUnderItsLock() throws Exception {
		assertThat(this.examples.sell(42)).isEqualTo(1);
		this.examples.reprice(42, 10);
		assertThat(this.examples.restock(42)).isTrue();
		this.examples.move(42, 43);
		assertThat(this.examples.sellLater(42).get(10, TimeUnit.SECONDS)).isEqualTo(1);
		assertThat(this.work.held).hasSize(5).allMatch((held) -> held);
		assertThat(this.work.tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void holderEndsOnAnotherThreadWhatItBegan() throws Exception {
		LockOptions once = LockOptions.defaults().withWaitTime(Duration.ZERO);
		this.examples.begin("7");
		assertThat(this.registry.tryAcquire("order:7", once)).isEmpty();
		CompletableFuture.runAsync(() -> this.examples.end("7")).get(10, TimeUnit.SECONDS);
		this.registry.tryAcquire("order:7", once).orElseThrow().close();
	}

	@Test
	void prefixIsPartOfTheKey() {
		ProgrammaticExamples.Stock remote = mock();
		List<Lease> held = new ArrayList<>();
		given(remote.decrement(42)).will((call) -> {
			held.addAll(LockScope.current().leases());
			return 1;
		});
		assertThat(new ProgrammaticExamples(this.registry, remote, Runnable::run).sellIn("eu", 42)).isEqualTo(1);
		assertThat(held).extracting(Lease::key).containsExactly("eu:stock:42");
	}

	@Test
	void countSharesItsKey() throws InterruptedException {
		LockOptions shared = LockOptions.defaults().withMode(LockMode.SHARED);
		try (Lease reader = this.registry.acquire("catalog:acme", shared)) {
			assertThat(this.examples.count("acme")).isEqualTo(5);
			assertThat(reader.isValid()).isTrue();
		}
	}

	@Test
	void exportTakesOneOfFivePermits() {
		assertThat(this.examples.export("acme")).isEqualTo(4);
	}

	@Test
	void reportIsMadeByOneCallerAtATime() throws InterruptedException {
		try (Lease busy = this.registry.acquire("report", LockOptions.defaults())) {
			assertThat(this.examples.reportOnce()).isFalse();
			assertThat(busy.isValid()).isTrue();
		}
		assertThat(this.examples.reportOnce()).isTrue();
	}

	@Test
	void eachPageOfAReportExtendsTheLease() throws InterruptedException {
		this.examples.reportInPages(3);
		assertThat(this.work.tokens).hasSize(3);
		assertThat(new HashSet<>(this.work.tokens)).hasSize(1);
	}

	@Test
	void lostLeaseReachesTheEventListener() throws InterruptedException {
		try (Lease lease = this.registry.acquire("stock:42", LockOptions.defaults())) {
			this.context.publishEvent(new LockLostEvent(lease, LossCause.TAKEN));
		}
		assertThat(this.examples.lost).containsExactly("stock:42");
	}

	@Test
	void examplesOfTheReadmeLock() throws InterruptedException {
		this.stockService.sell(42);
		this.stockService.sell(42);
		assertThat(this.work.unitsOf42).isEqualTo(98);
		long token = this.reportService.report();
		assertThat(this.reportService.report()).isGreaterThan(token);
	}

	static class HeldStock implements ProgrammaticExamples.Stock, StockService.StockTable {

		final List<Long> tokens = new ArrayList<>();

		final List<Boolean> held = new ArrayList<>();

		int unitsOf42 = 100;

		@Override
		public int read(long productId) {
			assertThat(LockScope.current().lease("stock:" + productId).isValid()).isTrue();
			return this.unitsOf42;
		}

		@Override
		public void write(long productId, int units) {
			this.unitsOf42 = units;
		}

		private final LockRegistry registry;

		HeldStock(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		public int decrement(long productId) {
			look(productId);
			return 1;
		}

		@Override
		public void reprice(long productId, int price, long fencingToken) {
			look(productId);
			this.tokens.add(fencingToken);
		}

		@Override
		public void restock(long productId, long fencingToken) {
			look(productId);
			this.tokens.add(fencingToken);
		}

		@Override
		public void move(long from, long to) {
			look(to);
		}

		@Override
		public void report(long fencingToken) {
			this.tokens.add(fencingToken);
		}

		@Override
		public int export(String tenant) {
			return this.registry.permits("export:" + tenant, 5).available().join();
		}

		// Another thread finds the lock busy.
		private void look(long productId) {
			this.held
				.add(CompletableFuture.supplyAsync(() -> !this.registry.obtain("stock:" + productId).tryLock()).join());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Beans {

		@Bean
		HeldStock heldStock(LockRegistry registry) {
			return new HeldStock(registry);
		}

		@Bean
		StockService stockService(HeldStock stock) {
			return new StockService(stock);
		}

		@Bean
		ReportService reportService(LockRegistry registry) {
			return new ReportService(registry);
		}

		@Bean
		ProgrammaticExamples examples(LockRegistry registry, HeldStock stock) {
			return new ProgrammaticExamples(registry, stock, (task) -> new Thread(task).start());
		}

	}

}
