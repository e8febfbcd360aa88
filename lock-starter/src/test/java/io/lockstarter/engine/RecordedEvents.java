// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;

/**
 * What listeners were told.
 */
final class RecordedEvents implements LockListener {

	private final List<Loss> losses = new CopyOnWriteArrayList<>();

	private final List<LeaseInfo> unconfirmed = new CopyOnWriteArrayList<>();

	private final List<LockStoreException> failures = new CopyOnWriteArrayList<>();

	private final List<LeaseInfo> abandoned = new CopyOnWriteArrayList<>();

	private final List<String> clockSteps = new CopyOnWriteArrayList<>();

	@Override
	public void lost(LeaseInfo lease, LossCause cause) {
		this.losses.add(new Loss(lease, cause, lease.isValid()));
	}

	@Override
	public void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
		this.unconfirmed.add(lease);
		this.failures.add(failure);
	}

	@Override
	public void abandoned(LeaseInfo lease) {
		this.abandoned.add(lease);
	}

	@Override
	public void clockSetBack(String key, Duration remaining, Duration setBack) {
		this.clockSteps.add(key + " stays for " + remaining + ", " + setBack);
	}

	List<Loss> losses() {
		return this.losses;
	}

	List<LeaseInfo> unconfirmed() {
		return this.unconfirmed;
	}

	List<LockStoreException> failures() {
		return this.failures;
	}

	List<LeaseInfo> abandoned() {
		return this.abandoned;
	}

	List<String> clockSteps() {
		return this.clockSteps;
	}

	/**
	 * A loss that was told.
	 *
	 * @param lease the lost lease
	 * @param cause why it was lost
	 * @param valid whether the lease still said that it is held
	 */
	record Loss(LeaseInfo lease, LossCause cause, boolean valid) {
	}

}
