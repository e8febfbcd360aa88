// SPDX-License-Identifier: Apache-2.0
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
