// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.leader.RevocationCause;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leaders on a real Redis, in this JVM and in others.
 */
class LeadershipTest {

	private static final Duration TTL = Duration.ofSeconds(2);

	/**
	 * What a busy machine may take in addition.
	 */
	private static final Duration SLACK = Duration.ofSeconds(1);

	@Test
	void anotherInstanceLeadsAtOnceWhenTheLeaderStops() throws Exception {
		try (RedisServer redis = RedisServers.start();
				Instance here = new Instance(redis.port());
				Instance there = new Instance(redis.port())) {
			LeaderElection first = election(here);
			LeaderElection second = election(there);
			List<Long> gaps = new ArrayList<>();
			first.start();
			await().until(first::isLeader);
			for (int i = 0; i < 5; i++) {
				CompletableFuture<Long> granted = granted(second);
				second.start();
				await().until(() -> queued(redis) > 0);
				long token = first.lease().orElseThrow().fencingToken();
				long stopped = System.nanoTime();
				first.stop();
				gaps.add(TimeUnit.NANOSECONDS.toMillis(granted.get(10, TimeUnit.SECONDS) - stopped));
				assertThat(second.lease()).map(LeaseInfo::fencingToken)
					.hasValueSatisfying((next) -> assertThat(next).isGreaterThan(token));
				CompletableFuture<Void> over = new CompletableFuture<>();
				first.start();
				second.stop(() -> over.complete(null));
				over.get(10, TimeUnit.SECONDS);
				await().until(first::isLeader);
			}
			System.out.println("take-over after an orderly stop, in ms: " + gaps);
			assertThat(gaps).as("one of them undisturbed").anyMatch((gap) -> gap <= 100);
			first.stop();
		}
	}

	@Test
	void leaderThatIsForcedOutIsRevokedAndStandsAgain() throws Exception {
		try (RedisServer redis = RedisServers.start(); Instance instance = new Instance(redis.port())) {
			LeaderElection election = election(instance);
			CompletableFuture<RevocationCause> revoked = new CompletableFuture<>();
			election.addListener(new LeadershipListener() {

				@Override
				public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
					revoked.complete(cause);
				}

			});
			election.start();
			await().until(election::isLeader);
			long token = election.lease().orElseThrow().fencingToken();
			assertThat(instance.registry().forceRelease("leader:reports", null).join()).isTrue();
			assertThat(revoked.get(10, TimeUnit.SECONDS)).isEqualTo(RevocationCause.FORCED);
			await().until(election::isLeader);
			assertThat(election.lease().orElseThrow().fencingToken()).isGreaterThan(token);
			election.stop();
		}
	}

	@Test
	@Tag("proof")
	void anotherJvmLeadsWithinTheTtlWhenTheLeaderIsKilled() {
		try (RedisServer redis = RedisServers.start(); JvmProcess first = candidate(redis)) {
			long token = Long.parseLong(first.await("granted"));
			try (JvmProcess second = candidate(redis)) {
				second.await("candidate");
				await().until(() -> queued(redis) > 0);
				long killed = System.nanoTime();
				first.kill();
				assertThat(Long.parseLong(second.await("granted"))).isGreaterThan(token);
				assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(TTL.plus(SLACK));
				second.send("end");
				second.await("revoked STOPPED");
				assertThat(second.awaitEnd()).isZero();
			}
		}
	}

	@Test
	@Tag("proof")
	void leaderThatCannotReachRedisIsRevokedByItsDeadlineAndLeadsAgainLater() throws Exception {
		try (RedisServer redis = RedisServers.start(); JvmProcess leader = candidate(redis)) {
			leader.await("granted");
			redis.pause();
			long paused = System.nanoTime();
			leader.await("revoked EXPIRED");
			assertThat(Duration.ofNanos(System.nanoTime() - paused)).isLessThan(TTL.plus(SLACK));
			redis.resume();
			leader.await("granted");
		}
	}

	private static long queued(RedisServer redis) {
		return redis.keys("*leader:*").stream().filter((key) -> key.contains("queue")).count();
	}

	private static LeaderElection election(Instance instance) {
		return LeaderElection.of(instance.registry(), "reports", LockOptions.defaults().withTtl(TTL));
	}

	private static CompletableFuture<Long> granted(LeaderElection election) {
		CompletableFuture<Long> granted = new CompletableFuture<>();
		election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(String role, LeaseInfo lease) {
				granted.complete(System.nanoTime());
			}

		});
		return granted;
	}

	private static JvmProcess candidate(RedisServer redis) {
		return JvmProcess.start(LeadershipApplication.class, redis.port(), TTL);
	}

}
