// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostEvent;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.Permits;
import io.lockstarter.standalone.StandaloneLocks;

import org.springframework.context.event.EventListener;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The examples of docs/programmatic-use.md.
 */
class ProgrammaticExamples {

	final List<String> lost = new ArrayList<>();

	private final LockRegistry registry;

	private final Stock stock;

	private final Executor executor;

	ProgrammaticExamples(LockRegistry registry, Stock stock, Executor executor) {
		this.registry = registry;
		this.stock = stock;
		this.executor = executor;
	}

	/**
	 * What the examples do under their locks.
	 */
	interface Stock {

		int decrement(long productId);

		void reprice(long productId, int price, long fencingToken);

		void restock(long productId, long fencingToken);

		void move(long from, long to);

		void report(long fencingToken);

		int export(String tenant);

	}

	public int sell(long productId) {
		return this.registry.call("stock:" + productId, (scope) -> this.stock.decrement(productId));
	}

	public int sellStandalone(LettuceConnectionFactory factory, long productId) {
		try (StandaloneLocks locks = StandaloneLocks.in(factory).waitTime(Duration.ofSeconds(2)).open()) {
			return locks.registry().call("stock:" + productId, (scope) -> this.stock.decrement(productId));
		}
	}

	public void reprice(long productId, int price) throws InterruptedException {
		LockOptions options = LockOptions.defaults().withWaitTime(Duration.ofSeconds(2));
		try (Lease lease = this.registry.acquire("stock:" + productId, options)) {
			this.stock.reprice(productId, price, lease.fencingToken());
			lease.checkValid();
		}
	}

	public boolean reportOnce() throws InterruptedException {
		Optional<Lease> lease = this.registry.tryAcquire("report");
		if (lease.isEmpty()) {
			return false;
		}
		try (Lease held = lease.get()) {
			this.stock.report(held.fencingToken());
			return true;
		}
	}

	public void reportInPages(int pages) throws InterruptedException {
		LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(20)).withRenew(false);
		try (Lease lease = this.registry.acquire("report", options)) {
			for (int page = 0; page < pages && lease.extend(Duration.ofSeconds(20)); page++) {
				this.stock.report(lease.fencingToken());
			}
		}
	}

	public int count(String shop) {
		LockOptions shared = LockOptions.defaults().withMode(LockMode.SHARED);
		return this.registry.call("catalog:" + shop, shared, (scope) -> this.stock.export(shop));
	}

	public int export(String tenant) {
		Permits permits = this.registry.permits("export:" + tenant, 5);
		return permits.call((permit) -> this.stock.export(tenant));
	}

	public boolean restock(long productId) throws InterruptedException {
		LeasedLock lock = this.registry.obtain("stock:" + productId);
		if (!lock.tryLock(2, TimeUnit.SECONDS)) {
			return false;
		}
		try {
			this.stock.restock(productId, lock.lease().fencingToken());
			return true;
		}
		finally {
			lock.unlock();
		}
	}

	public void begin(String orderId) {
		LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofMinutes(30));
		this.registry.withHolder(orderId).obtain("order:" + orderId, options).lock();
	}

	public void end(String orderId) {
		this.registry.withHolder(orderId).obtain("order:" + orderId).unlock();
	}

	public int sellIn(String shop, long productId) {
		LockRegistry locks = this.registry.withPrefix(shop + ":");
		return locks.call("stock:" + productId, (scope) -> this.stock.decrement(productId));
	}

	public void move(long from, long to) throws InterruptedException {
		LeasedLock both = this.registry.obtainAll(List.of("stock:" + from, "stock:" + to), LockOptions.defaults());
		both.acquire();
		try {
			this.stock.move(from, to);
		}
		finally {
			both.unlock();
		}
	}

	public CompletableFuture<Integer> sellLater(long productId) {
		return this.registry.acquireAsync("stock:" + productId, LockOptions.defaults()).thenApplyAsync((lease) -> {
			try (lease) {
				return this.stock.decrement(productId);
			}
		}, this.executor);
	}

	@EventListener
	void lockLost(LockLostEvent event) {
		this.lost.add(event.lease().key());
	}

}
