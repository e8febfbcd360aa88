// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;

import io.lockstarter.LockOptions;
import io.lockstarter.integration.spring.LockStarterLockRegistry;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/**
 * A JVM that wants to be the leader, and says what it is, until its parent says
 * {@code end}.
 */
final class LeaderApplication {

	static final String ROLE = "clerk";

	private LeaderApplication() {
	}

	/**
	 * Begin the election.
	 * @param args port of Redis, the ttl
	 */
	public static void main(String... args) throws InterruptedException {
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		Duration patience = Duration.ofSeconds(10);
		try (Instance instance = new Instance(Integer.parseInt(args[0]), Instance.settings(patience, patience))) {
			LockStarterLockRegistry locks = new LockStarterLockRegistry(instance.registry(), "leader:",
					LockOptions.defaults().withTtl(Duration.parse(args[1])));
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(locks,
					new DefaultCandidate("candidate", ROLE) {

						@Override
						public void onGranted(Context context) {
							System.out.println("granted");
						}

						@Override
						public void onRevoked(Context context) {
							System.out.println("revoked");
						}

					});
			initiator.setHeartBeatMillis(50);
			initiator.setBusyWaitMillis(50);
			initiator.setPublishFailedEvents(true);
			initiator.setLeaderEventPublisher(new DefaultLeaderEventPublisher((event) -> {
				if (event.getClass().getSimpleName().equals("OnFailedToAcquireMutexEvent")) {
					System.out.println("follower");
				}
			}));
			initiator.start();
			while (!commands.take().equals("end")) {
				System.out.println("unknown command");
			}
			initiator.stop();
		}
	}

}
