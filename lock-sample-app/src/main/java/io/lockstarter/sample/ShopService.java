package io.lockstarter.sample;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Buying with the lock and without, and starting a sale anew.
 */
@Service
public class ShopService {

	private final Warehouse warehouse;

	private final LockRegistry locks;

	ShopService(Warehouse warehouse, LockRegistry locks) {
		this.warehouse = warehouse;
		this.locks = locks;
	}

	/**
	 * Buy one item while nobody else does, in whatever instance. It is the proxy of this
	 * bean that holds the lock, so a call from within this class would go without.
	 * @param productId what to buy
	 * @return the order
	 */
	@DistributedLock(key = "stock:#{#productId}", ttl = "30s", waitTime = "5s")
	public Order buy(long productId) {
		return this.warehouse.sellOne(productId);
	}

	Order buyUnlocked(long productId) {
		return this.warehouse.sellOne(productId);
	}

	/**
	 * Start a new sale. Under the lock of the buyers, or one of them could write back the
	 * stock of the old sale.
	 */
	Sale reset(long productId) {
		return this.locks.call("stock:" + productId, LockOptions.defaults(), () -> {
			this.warehouse.restock(productId);
			return this.warehouse.sale(productId);
		});
	}

	Sale sale(long productId) {
		return this.warehouse.sale(productId);
	}

}
