// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import io.lockstarter.sample.shop.Protection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link CrowdTally}.
 */
class CrowdTallyTest {

	private final CrowdTally tally = new CrowdTally(new CrowdRequest(Protection.LOCK, 200, 1, 0), 2);

	@Test
	void everyBuyerIsCountedOnce() {
		this.tally.count(new PurchaseDesk.Receipt(Outcome.SOLD, 1));
		this.tally.count(new PurchaseDesk.Receipt(Outcome.SOLD_OUT, 1));
		this.tally.count(new PurchaseDesk.Receipt(Outcome.REFUSED, 1));
		this.tally.count(new PurchaseDesk.Receipt(Outcome.BUSY, 1));
		this.tally.count(new PurchaseDesk.Receipt(Outcome.FAILED, 1));
		this.tally.count(new PurchaseDesk.Receipt(Outcome.COMMIT_REFUSED, 1));
		this.tally.countLost();
		CrowdReport report = this.tally.report();
		assertThat(report.done()).isEqualTo(7);
		assertThat(report.sold()).isEqualTo(1);
		assertThat(report.refused()).isEqualTo(1);
		assertThat(report.commitsRefused()).isEqualTo(1);
		assertThat(report.failed()).isEqualTo(3);
		assertThat(report.soldPerSecond()).isPositive();
	}

	@Test
	void ninetyNineOfAHundredWaitedNoLongerThanP99() {
		for (int wait = 200; wait >= 1; wait--) {
			this.tally.count(new PurchaseDesk.Receipt(Outcome.SOLD, wait));
		}
		assertThat(this.tally.report().p99WaitMicros()).isEqualTo(198);
	}

	@Test
	void aMishapIsRememberedOnce() {
		this.tally.befell(Mishap.PAUSE);
		this.tally.befell(Mishap.PAUSE);
		assertThat(this.tally.report().mishaps()).containsExactly(Mishap.PAUSE);
	}

	@Test
	void nobodyHasWaitedInAnEmptyShop() {
		assertThat(this.tally.report().p99WaitMicros()).isZero();
		assertThat(this.tally.report().soldPerSecond()).isZero();
	}

	@Test
	void aCrowdHasItsLimits() {
		assertThatIllegalArgumentException().isThrownBy(() -> new CrowdRequest(Protection.LOCK, 5001, 1, 0))
			.withMessage("buyers must be between 1 and 5000, but is 5001");
		assertThatIllegalArgumentException().isThrownBy(() -> new CrowdRequest(Protection.LOCK, 1, 0, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> new CrowdRequest(Protection.LOCK, 1, 1, -1));
	}

}
