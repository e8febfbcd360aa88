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
package io.lockstarter.docs;

import io.lockstarter.LockLostEvent;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The example of the README.
 */
@Service
public class StockService {

	private final StockTable stock;

	StockService(StockTable stock) {
		this.stock = stock;
	}

	@Transactional
	@DistributedLock("stock:#{#productId}")
	public void sell(long productId) {
		this.stock.write(productId, this.stock.read(productId) - 1);
	}

	@EventListener
	void lockLost(LockLostEvent event) {
		System.err.println("Check " + event.lease().key() + ", whose lock was lost: " + event.cause());
	}

	/**
	 * A table with the units of each product.
	 */
	interface StockTable {

		int read(long productId);

		void write(long productId, int units);

	}

}
