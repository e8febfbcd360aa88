package io.lockstarter.docs;

import io.lockstarter.LockLostEvent;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * An example of the README.
 */
@Service
public class StockService {

	@DistributedLock(key = "stock:#{#productId}", ttl = "30s", waitTime = "2s")
	public int sell(long productId, int quantity) {
		// Read the stock, calculate, write it back: nobody else does meanwhile.
		return quantity;
	}

	@EventListener
	void lockLost(LockLostEvent event) {
		System.err.println("Check " + event.lease().key() + ", whose lock was lost: " + event.cause());
	}

}
