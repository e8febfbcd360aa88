// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.service;

import com.baomidou.lock.annotation.Lock4j;
import io.lockstarter.annotation.DistributedLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

/**
 * Beans whose methods are locked by whoever is on the class path: the JVM ignores
 * annotations that are not there.
 */
final class Shop {

	private Shop() {
	}

	static class Stock {

		@Floor.Marked
		@DistributedLock(key = "stock:#{#product}")
		@SchedulerLock(name = "stock:#{#product}")
		@Lock4j(name = "stock", keys = "#product")
		public void take(String product) {
		}

	}

	static class Prices {

		@Floor.Marked
		@DistributedLock(key = "price:#{#product}")
		@SchedulerLock(name = "price:#{#product}")
		@Lock4j(name = "price", keys = "#product")
		public void change(String product) {
		}

	}

	static class Reports {

		@Floor.Marked
		@DistributedLock(key = "report")
		@SchedulerLock(name = "report")
		@Lock4j(name = "report")
		public void write() {
		}

	}

}
