// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

/**
 * An election whose callbacks and pauses are up to the test, and what its listener was
 * told.
 */
public final class ManualElection implements LeadershipListener {

	private final List<String> events = new ArrayList<>();

	private final Queue<Runnable> callbacks = new ArrayDeque<>();

	private final Queue<Runnable> pauses = new ArrayDeque<>();

	private final LeaderElection election;

	private boolean slow;

	public ManualElection(LockRegistry registry, String role, LockOptions options) {
		this.election = new LeaderElection(() -> registry, role, options, this::call, this.pauses::add);
		this.election.addListener(this);
	}

	private void call(Runnable callback) {
		this.callbacks.add(callback);
		if (!this.slow) {
			runCallbacks();
		}
	}

	public LeaderElection election() {
		return this.election;
	}

	public List<String> events() {
		return this.events;
	}

	/**
	 * Let callbacks wait until the test runs them.
	 */
	public void holdCallbacks() {
		this.slow = true;
	}

	public void runCallbacks() {
		for (Runnable callback = this.callbacks.poll(); callback != null; callback = this.callbacks.poll()) {
			callback.run();
		}
	}

	public int pauses() {
		return this.pauses.size();
	}

	/**
	 * Let the pause before the next attempt pass.
	 */
	public void passPause() {
		this.pauses.remove().run();
	}

	@Override
	public void onGranted(String role, LeaseInfo lease) {
		this.events.add("granted " + role + " " + lease.fencingToken());
	}

	@Override
	public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
		this.events.add("revoked " + role + " " + lease.fencingToken() + " " + cause);
	}

}
