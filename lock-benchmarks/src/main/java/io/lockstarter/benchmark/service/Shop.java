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

		@DistributedLock(key = "stock:#{#product}")
		@SchedulerLock(name = "stock:#{#product}")
		@Lock4j(name = "stock", keys = "#product")
		public void take(String product) {
		}

	}

	static class Prices {

		@DistributedLock(key = "price:#{#product}")
		@SchedulerLock(name = "price:#{#product}")
		@Lock4j(name = "price", keys = "#product")
		public void change(String product) {
		}

	}

	static class Reports {

		@DistributedLock(key = "report")
		@SchedulerLock(name = "report")
		@Lock4j(name = "report")
		public void write() {
		}

	}

}
