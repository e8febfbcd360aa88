// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.leader.RevocationCause;

/**
 * A JVM that is a candidate, and says what it is, until its parent says {@code end}.
 */
final class LeadershipApplication {

	static final String ROLE = "clerk";

	private LeadershipApplication() {
	}

	/**
	 * Begin the election.
	 * @param args port of Redis, the ttl
	 */
	public static void main(String... args) throws InterruptedException {
		var commands = JvmProcess.listenToParent();
		Duration patience = Duration.ofSeconds(10);
		try (Instance instance = new Instance(Integer.parseInt(args[0]), Instance.settings(patience, patience))) {
			LeaderElection election = LeaderElection.of(instance.registry(), ROLE,
					LockOptions.defaults().withTtl(Duration.parse(args[1])));
			election.addListener(new LeadershipListener() {

				@Override
				public void onGranted(String role, LeaseInfo lease) {
					System.out.println("granted " + lease.fencingToken());
				}

				@Override
				public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
					System.out.println("revoked " + cause);
				}

			});
			election.start();
			System.out.println("candidate");
			commands.take();
			CountDownLatch released = new CountDownLatch(1);
			election.stop(released::countDown);
			released.await();
		}
	}

}
