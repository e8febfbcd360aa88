// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.time.Duration;
import java.util.List;

import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.sample.shop.Protection;
import io.lockstarter.sample.shop.Shop;
import io.lockstarter.sample.shop.SoldOutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.stereotype.Service;

/**
 * Where the buyers of a crowd go: the same shops, with somebody who takes notes.
 */
@Service
class PurchaseDesk {

	private static final Log logger = LogFactory.getLog(PurchaseDesk.class);

	private final List<Shop> shops;

	private final Visits visits;

	PurchaseDesk(List<Shop> shops, Visits visits) {
		this.shops = shops;
		this.visits = visits;
	}

	Receipt buy(Purchase purchase) {
		Visit visit = this.visits.begin(purchase.protection());
		Outcome outcome = Outcome.FAILED;
		try {
			outcome = buy(shop(purchase.protection()), Duration.ofMillis(purchase.thinkMillis()), visit);
		}
		finally {
			visit.end(outcome);
			this.visits.end(visit);
		}
		return new Receipt(outcome, visit.waited());
	}

	private Shop shop(Protection protection) {
		return this.shops.stream().filter((shop) -> shop.protection() == protection).findAny().orElseThrow();
	}

	private static Outcome buy(Shop shop, Duration thinkTime, Visit visit) {
		try {
			shop.buy(Stage.PRODUCT, thinkTime);
			return Outcome.SOLD;
		}
		catch (SoldOutException ex) {
			return Outcome.SOLD_OUT;
		}
		catch (LockNotAcquiredException ex) {
			return Outcome.BUSY;
		}
		catch (LockStoreException | RedisConnectionFailureException | RedisSystemException | QueryTimeoutException ex) {
			// Redis cannot be reached: said once, and not by each buyer.
			logger.debug("A purchase failed", ex);
			return Outcome.FAILED;
		}
		catch (LockLostException ex) {
			boolean fence = shop.protection() == Protection.FENCE;
			visit.refuse(String.valueOf(ex.getMessage()));
			logger.warn("Refused by the %s: %s".formatted(fence ? "fence" : "commit check", ex.getMessage()));
			return fence ? Outcome.REFUSED : Outcome.COMMIT_REFUSED;
		}
	}

	/**
	 * What a buyer of a crowd wants.
	 *
	 * @param protection which shop to go to
	 * @param thinkMillis how long the shop thinks, in milliseconds
	 */
	record Purchase(Protection protection, int thinkMillis) {
	}

	/**
	 * What a buyer of a crowd gets.
	 *
	 * @param outcome how it ended
	 * @param waitedMicros how long the buyer waited to get in
	 */
	record Receipt(Outcome outcome, long waitedMicros) {
	}

}
