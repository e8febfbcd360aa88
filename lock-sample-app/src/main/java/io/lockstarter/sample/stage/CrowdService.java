// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.sample.shop.SaleService;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Service;

/**
 * Sends crowds of buyers to all instances, one crowd at a time.
 */
@Service
class CrowdService {

	private static final Log logger = LogFactory.getLog(CrowdService.class);

	// A lease, not a lock: it is acquired by one thread and released by another, a moment
	// after its result can be read.
	private static final LockOptions ONE_AT_A_TIME = LockOptions.defaults()
		.withWaitTime(Duration.ofMillis(500))
		.withName("CrowdService.send");

	private final LockRegistry locks;

	private final SaleService sales;

	private final CrowdRepository crowds;

	private final Instances instances;

	private final Stage stage;

	private final AsyncTaskExecutor executor;

	private final int stock;

	private volatile @Nullable CrowdTally shopping;

	CrowdService(LockRegistry locks, SaleService sales, CrowdRepository crowds, Instances instances, Stage stage,
			AsyncTaskExecutor applicationTaskExecutor, @Value("${sale.stock}") int stock) {
		this.locks = locks;
		this.sales = sales;
		this.crowds = crowds;
		this.instances = instances;
		this.stage = stage;
		this.executor = applicationTaskExecutor;
		this.stock = stock;
	}

	/**
	 * Open a new sale and send a crowd there. It goes on shopping after this method has
	 * returned.
	 * @return whether it was sent; {@code false} if another crowd is still shopping
	 */
	boolean send(CrowdRequest request) throws InterruptedException {
		Optional<Lease> lease = this.locks.tryAcquire("stage:crowd", ONE_AT_A_TIME);
		lease.ifPresent((only) -> send(request, only));
		return lease.isPresent();
	}

	private void send(CrowdRequest request, Lease only) {
		try {
			this.sales.restart(Stage.PRODUCT, this.stock);
			this.executor.execute(() -> {
				try (only) {
					shop(request);
				}
			});
		}
		catch (RuntimeException ex) {
			only.close();
			throw ex;
		}
	}

	/**
	 * Hear of a mishap, if there is one in this report.
	 */
	void heard(InstanceReport report) {
		CrowdTally tally = this.shopping;
		if (tally != null) {
			report.present().stream().map(Visit.Snapshot::mishap).filter(Objects::nonNull).forEach(tally::befell);
		}
	}

	private void shop(CrowdRequest request) {
		CrowdTally tally = new CrowdTally(request, this.instances.living().size());
		this.shopping = tally;
		BuyerTask buyer = new BuyerTask(request, tally, this.instances);
		this.stage.show("crowd", tally.report());
		ExecutorService buyers = Executors.newFixedThreadPool(request.atOnce());
		try {
			for (int i = 0; i < request.atOnce(); i++) {
				buyers.execute(buyer);
			}
			buyers.shutdown();
			while (!buyers.awaitTermination(100, TimeUnit.MILLISECONDS)) {
				this.stage.show("crowd", tally.report());
			}
		}
		catch (InterruptedException ex) {
			logger.info("The crowd went home: this instance ends");
			Thread.currentThread().interrupt();
			return;
		}
		finally {
			buyers.shutdownNow();
			this.shopping = null;
		}
		int oversold = this.sales.sale(Stage.PRODUCT).oversold();
		this.stage.show("crowd", this.crowds.add(tally.report(), oversold));
	}

}
