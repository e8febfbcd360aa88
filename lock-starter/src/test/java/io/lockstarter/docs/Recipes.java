// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnUnavailable;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/**
 * The examples of docs/recipes.md.
 */
final class Recipes {

	private Recipes() {
	}

	static class Nightly {

		private int runs;

		@Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
		@DistributedLock(key = "invoices", waitTime = "0s", ttl = "2m", minHold = "1m", onBusy = OnBusy.SKIP)
		public void sendInvoices() {
			this.runs++;
		}

		public int runs() {
			return this.runs;
		}

	}

	record Event(String id, String order) {
	}

	static class Webhook {

		private final Set<String> seen = ConcurrentHashMap.newKeySet();

		private final List<String> paid = new CopyOnWriteArrayList<>();

		public List<String> paid() {
			return this.paid;
		}

		@Transactional
		@DistributedLock("webhook:#{#event.id}")
		public void receive(Event event) {
			if (this.seen.contains(event.id())) {
				return;
			}
			this.paid.add(event.order());
			this.seen.add(event.id());
		}

	}

	static class Cache {

		private final Map<String, String> reports = new ConcurrentHashMap<>();

		@Nullable String get(String month) {
			return this.reports.get(month);
		}

		String put(String month, String report) {
			this.reports.put(month, report);
			return report;
		}

	}

	static class Reports {

		private final Cache cache;

		private final SlowReports slow;

		Reports(Cache cache, SlowReports slow) {
			this.cache = cache;
			this.slow = slow;
		}

		public String report(String month) {
			String cached = this.cache.get(month);
			return (cached != null) ? cached : this.slow.report(month);
		}

	}

	static class SlowReports {

		private final List<String> computed = new CopyOnWriteArrayList<>();

		private final Cache cache;

		SlowReports(Cache cache) {
			this.cache = cache;
		}

		@DistributedLock(key = "report:#{#month}", waitTime = "30s", onUnavailable = OnUnavailable.PROCEED)
		public String report(String month) {
			String cached = this.cache.get(month);
			return (cached != null) ? cached : this.cache.put(month, compute(month));
		}

		public List<String> computed() {
			return this.computed;
		}

		private String compute(String month) {
			this.computed.add(month);
			return "report of " + month;
		}

	}

	static class Imports {

		@DistributedLock(key = "import:#{#tenant}", waitTime = "0s", onBusy = OnBusy.SKIP)
		public Optional<Integer> importOrders(String tenant) {
			return Optional.of(read(tenant));
		}

		private int read(String tenant) {
			return tenant.length();
		}

	}

	static class Partner {

		@DistributedPermit(key = "partner", limit = "5", waitTime = "10s")
		public String rate(String currency) {
			return currency;
		}

	}

	static class Fenced {

		private final LockRegistry registry;

		Fenced(LockRegistry registry) {
			this.registry = registry;
		}

		long write() throws InterruptedException {
			try (Lease lease = this.registry.acquire("stock:42", LockOptions.defaults())) {
				return lease.fencingToken();
			}
		}

	}

}
