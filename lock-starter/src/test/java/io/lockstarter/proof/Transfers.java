// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;

/**
 * Money that moves between a few accounts, each transfer under the locks of two of them,
 * in whatever order they are named. Half of the tellers are at each of two instances, and
 * some of them do not block.
 */
final class Transfers {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private static final int TELLERS = 6;

	private static final int BLOCKING = 4;

	private static final long DEPOSIT = 1_000;

	private final Instance one;

	private final Instance other;

	private final List<String> accounts;

	// Neither atomic nor volatile: only right under the locks.
	private final long[] balances;

	/**
	 * Open accounts.
	 * @param accounts the keys to lock
	 */
	Transfers(Instance one, Instance other, List<String> accounts) {
		this.one = one;
		this.other = other;
		this.accounts = accounts;
		this.balances = new long[accounts.size()];
		Arrays.fill(this.balances, DEPOSIT);
	}

	/**
	 * Let all tellers work at once, until they have ended.
	 * @param transfers how many each of them makes
	 */
	void run(int transfers) {
		List<CompletableFuture<Void>> tellers = new ArrayList<>();
		for (int i = 0; i < TELLERS; i++) {
			int teller = i;
			tellers.add(CompletableFuture.runAsync(() -> work(teller, transfers),
					(task) -> new Thread(task, "teller").start()));
		}
		CompletableFuture.allOf(tellers.toArray(CompletableFuture<?>[]::new)).orTimeout(90, TimeUnit.SECONDS).join();
	}

	/**
	 * Return how much money there is less than in the beginning.
	 */
	long lost() {
		return DEPOSIT * this.balances.length - Arrays.stream(this.balances).sum();
	}

	private void work(int teller, int transfers) {
		Instance instance = (teller % 2 == 0) ? this.one : this.other;
		Random random = new Random(teller);
		for (int i = 0; i < transfers; i++) {
			int[] pair = random.ints(0, this.balances.length).distinct().limit(2).toArray();
			List<String> keys = Arrays.stream(pair).mapToObj(this.accounts::get).toList();
			if (teller < BLOCKING) {
				LeasedLock lock = instance.registry().obtainAll(keys, PATIENT);
				lock.lock();
				move(pair, lock::unlock);
			}
			else {
				List<Lease> leases = instance.registry().acquireAllAsync(keys, PATIENT).join();
				move(pair, () -> leases.forEach(Lease::close));
			}
		}
	}

	private void move(int[] pair, Runnable release) {
		try {
			long from = this.balances[pair[0]];
			long to = this.balances[pair[1]];
			Thread.onSpinWait();
			this.balances[pair[0]] = from - 1;
			this.balances[pair[1]] = to + 1;
		}
		finally {
			release.run();
		}
	}

}
