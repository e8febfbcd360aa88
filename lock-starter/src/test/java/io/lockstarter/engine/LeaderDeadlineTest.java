// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.leader.ManualElection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leaders on a registry whose time passes when the test says so.
 */
class LeaderDeadlineTest {

	private final ManualEngine engine = new ManualEngine();

	private final ManualElection manual = new ManualElection(this.engine.registry(), "reports", LockOptions.defaults());

	@Test
	void leaderIsRenewedForAsLongAsTheStoreAnswers() {
		this.manual.election().start();
		this.engine.tick(Duration.ofHours(3));
		assertThat(this.manual.election().isLeader()).isTrue();
		assertThat(this.manual.events()).hasSize(1);
	}

	@Test
	void leaderThatIsNotRenewedIsRevokedAtItsDeadlineAndNotLater() {
		this.manual.election().start();
		this.engine.store().renewals().hold();
		this.engine.tick(ManualEngine.TERM.minusNanos(1));
		assertThat(this.manual.election().isLeader()).isTrue();
		assertThat(this.manual.events()).hasSize(1);
		this.engine.tick(Duration.ofNanos(1));
		assertThat(this.manual.election().isLeader()).isFalse();
		assertThat(this.manual.events()).last().asString().startsWith("revoked reports ").endsWith(" EXPIRED");
	}

	@Test
	void candidateWaitsOverAnOutage() {
		this.engine.store().acquires().answer((command) -> {
			throw new LockStoreException("down", false, true, null);
		});
		this.manual.election().start();
		this.engine.tick(Duration.ofMinutes(5));
		assertThat(this.manual.election().isLeader()).isFalse();
		this.engine.store().acquires().answer((command) -> this.engine.store().granted());
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.manual.election().isLeader()).isTrue();
	}

	@Test
	void leaderThatYieldsLeadsAgainWithALargerToken() {
		this.manual.election().start();
		long token = this.manual.election().lease().map(LeaseInfo::fencingToken).orElseThrow();
		this.manual.election().yieldLeadership();
		this.manual.passPause();
		assertThat(this.manual.election().lease()).map(LeaseInfo::fencingToken)
			.hasValueSatisfying((next) -> assertThat(next).isGreaterThan(token));
	}

}
