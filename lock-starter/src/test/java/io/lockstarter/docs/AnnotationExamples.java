// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockMode;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.annotation.LockKeyGenerator;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * The examples of docs/annotation.md, and of the pages for permits, readers, jobs and
 * leaders.
 */
final class AnnotationExamples {

	private AnnotationExamples() {
	}

	record Order(String id) {

		static final Order WAITING = new Order("waiting");

	}

	/**
	 * What the examples do under their locks: remember which these are.
	 */
	static class Warehouse {

		final List<List<String>> locked = new ArrayList<>();

		final List<Long> tokens = new ArrayList<>();

		Runnable duringWork = () -> {
		};

		Order take(Object what) {
			this.locked.add(LockScope.find()
				.map((scope) -> scope.leases().stream().map(Lease::key).toList())
				.orElse(List.of()));
			this.duringWork.run();
			return new Order(String.valueOf(what));
		}

		void write(Order order, long fencingToken) {
			this.tokens.add(fencingToken);
		}

	}

	static class Shop {

		private final Warehouse warehouse;

		Shop(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@DistributedLock(key = "stock:#{#productId}", ttl = "30s", waitTime = "2s")
		public Order buy(long productId, int quantity) {
			return this.warehouse.take(productId);
		}

		@DistributedLock("order:#{#order.id}")
		public void ship(Order order) {
			this.warehouse.take(order);
		}

		@DistributedLock("'order:' + #order.id")
		public void cancel(Order order) {
			this.warehouse.take(order);
		}

		@DistributedLock("#{#root.method.name}:#{#p0}")
		public void pick(long shelf) {
			this.warehouse.take(shelf);
		}

		@DistributedLock("${spring.application.name}:#{@tenants.current()}:import")
		public void importOrders() {
			this.warehouse.take("import");
		}

		@DistributedLock({ "account:#{#from}", "account:#{#to}" })
		public void transfer(String from, String to) {
			this.warehouse.take(from);
		}

		@DistributedLock("stock:#{#productIds}")
		public void buyAll(List<Long> productIds) {
			this.warehouse.take(productIds);
		}

		@DistributedLock(keyGenerator = "tenantKeys")
		public void audit(String department) {
			this.warehouse.take(department);
		}

	}

	static class Tenants {

		public String current() {
			return "acme";
		}

	}

	@Component("tenantKeys")
	static class TenantKeys implements LockKeyGenerator {

		@Override
		public Object generate(Object target, Method method, @Nullable Object... arguments) {
			return "acme:" + method.getName() + ":" + arguments[0];
		}

	}

	static class Busy {

		private final Warehouse warehouse;

		Busy(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@DistributedLock(key = "report", waitTime = "0s", onBusy = OnBusy.SKIP)
		public Optional<Order> report() {
			return Optional.of(this.warehouse.take("report"));
		}

		@DistributedLock(key = "stock:#{#productId}", waitTime = "0s", fallback = "later")
		public Order buyOrQueue(long productId) {
			return this.warehouse.take(productId);
		}

		Order later(long productId, LockNotAcquiredException busy) {
			return Order.WAITING;
		}

		@DistributedLock(key = "mail:#{#order.id}", onUnavailable = OnUnavailable.PROCEED)
		public void sendMail(Order order) {
			this.warehouse.take(order);
		}

	}

	static class ShopFailures implements LockFailureHandler {

		@Override
		public @Nullable Object handle(FailedCall call, LockException failure) throws Throwable {
			if (failure instanceof LockNotAcquiredException) {
				throw new IllegalStateException("Somebody else buys right now, please try again", failure);
			}
			throw failure;
		}

	}

	static class Later {

		private final Warehouse warehouse;

		Later(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@DistributedLock("stock:#{#productId}")
		public CompletableFuture<Order> buyLater(long productId) {
			return CompletableFuture.supplyAsync(() -> this.warehouse.take(productId));
		}

		@DistributedLock("stock:#{#productId}")
		public Mono<Order> buyReactively(long productId) {
			return Mono.fromSupplier(() -> this.warehouse.take(productId));
		}

	}

	static class Checkout {

		private final Warehouse warehouse;

		Checkout(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@Transactional
		@DistributedLock("stock:#{#productId}")
		public Order buyInTransaction(long productId) {
			return this.warehouse.take(productId);
		}

		@DistributedLock(key = "number", releasePhase = ReleasePhase.AFTER_METHOD)
		public Order nextNumber() {
			return this.warehouse.take("number");
		}

		@DistributedLock(key = "account:#{#id}", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		public Order book(String id) {
			return this.warehouse.take(id);
		}

	}

	static class Careful {

		private final Warehouse warehouse;

		Careful(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@DistributedLock(key = "stock:#{#productId}", onLost = OnLost.FAIL)
		public Order buyFenced(long productId) {
			LockScope lock = LockScope.current();
			Order order = this.warehouse.take(productId);
			lock.checkValid();
			this.warehouse.write(order, lock.fencingToken());
			return order;
		}

	}

	@Scheduled
	@DistributedLock(waitTime = "0s", minHold = "30s", onBusy = OnBusy.SKIP)
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface ScheduledLock {

		@AliasFor(annotation = Scheduled.class)
		String cron();

		@AliasFor(annotation = DistributedLock.class)
		String key();

		@AliasFor(annotation = DistributedLock.class)
		String minHold() default "30s";

	}

	@DistributedLock(key = "order:#{#order.id}", onLost = OnLost.FAIL)
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class)
		String waitTime() default "2s";

	}

	static class Orders {

		private final Warehouse warehouse;

		Orders(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@OrderLock(waitTime = "5s")
		public void pay(Order order) {
			this.warehouse.take(order);
		}

		@DistributedLock(key = "orders", mode = LockMode.SHARED)
		@DistributedLock("order:#{#order.id}")
		public void archive(Order order) {
			this.warehouse.take(order);
		}

	}

	static class Jobs {

		private final Warehouse warehouse;

		Jobs(Warehouse warehouse) {
			this.warehouse = warehouse;
		}

		@DistributedLock(key = "catalog:#{#shop}", mode = LockMode.SHARED)
		public void printCatalog(String shop) {
			this.warehouse.take(shop);
		}

		@DistributedPermit(key = "export:#{#tenant}", limit = "5", waitTime = "5s")
		public void export(String tenant) {
			this.warehouse.take(tenant);
		}

		@Scheduled(fixedDelayString = "PT1M")
		@LeaderOnly("reports")
		public void report() {
			this.warehouse.take("report");
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(key = "nightly", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void nightly() {
			this.warehouse.take("nightly");
		}

		@ScheduledLock(cron = "0 */5 * * * *", key = "reminders")
		public void remind() {
			this.warehouse.take("reminders");
		}

	}

	static class Inside {

		private final LockRegistry registry;

		private final Warehouse warehouse;

		Inside(LockRegistry registry, Warehouse warehouse) {
			this.registry = registry;
			this.warehouse = warehouse;
		}

		public void buyMany(Collection<Long> productIds) {
			for (long productId : productIds) {
				this.registry.call("stock:" + productId, (scope) -> this.warehouse.take(productId));
			}
		}

	}

}
