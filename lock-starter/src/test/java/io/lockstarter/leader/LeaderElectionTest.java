// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * When leadership is granted and revoked, and what happens in between.
 */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("FutureReturnValueIgnored") // stubbed calls of a mock
class LeaderElectionTest {

	private static final Duration FOREVER = Duration.ofDays(365);

	private final LockRegistry registry = mock();

	private final Queue<CompletableFuture<Lease>> attempts = new ArrayDeque<>();

	private final List<LockOptions> options = new ArrayList<>();

	private final ManualElection manual = new ManualElection(this.registry, "reports", LockOptions.defaults());

	private final LeaderElection election = this.manual.election();

	private final ScriptedLease lease = new ScriptedLease(7);

	@BeforeEach
	void script() {
		given(this.registry.acquireAsync(eq("leader:reports"), any())).willAnswer((call) -> {
			CompletableFuture<Lease> attempt = new CompletableFuture<>();
			this.options.add(call.getArgument(1));
			this.attempts.add(attempt);
			return attempt;
		});
	}

	private void grant(Lease granted) {
		assertThat(this.attempts.remove().complete(granted)).isTrue();
	}

	private void lead() {
		this.election.start();
		grant(this.lease);
	}

	@Test
	void candidateWaitsWithoutLimitForALeaseThatIsRenewedWithoutLimit() {
		this.election.start();
		assertThat(this.options).singleElement().satisfies((used) -> {
			assertThat(used.waitTime()).isEqualTo(LockOptions.UNLIMITED);
			assertThat(used.maxHold()).isEqualTo(LockOptions.UNLIMITED);
			assertThat(used.renew()).isTrue();
			assertThat(used.name()).isEqualTo("leader:reports");
		});
		assertThat(this.election.isRunning()).isTrue();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.lease()).isEmpty();
		assertThat(this.manual.events()).isEmpty();
	}

	@Test
	void optionsOfTheCallerCount() {
		LockOptions given = LockOptions.defaults()
			.withTtl(Duration.ofSeconds(5))
			.withMaxHold(Duration.ofHours(1))
			.withName("mine");
		new ManualElection(this.registry, "reports", given).election().start();
		assertThat(this.options).containsExactly(given.withWaitTime(LockOptions.UNLIMITED));
	}

	@Test
	void leaderHasItsLeaseAndItsListenersKnow() {
		lead();
		assertThat(this.election.isLeader()).isTrue();
		assertThat(this.election.lease()).map(LeaseInfo::fencingToken).contains(7L);
		assertThat(this.manual.events()).containsExactly("granted reports 7");
		assertThat(this.election).hasToString("LeaderElection[role=reports, leader=true]");
	}

	@Test
	void leadershipIsNotAwaitedForLongerThanTheLimit() throws InterruptedException {
		assertThat(this.election.awaitLeadership(FOREVER)).as("not started").isFalse();
		this.election.start();
		assertThat(this.election.awaitLeadership(Duration.ZERO)).isFalse();
		assertThat(this.election.awaitLeadership(Duration.ofMillis(-1))).isFalse();
		assertThat(this.election.awaitLeadership(Duration.ofMillis(1))).isFalse();
		grant(this.lease);
		assertThat(this.election.awaitLeadership(Duration.ZERO)).isTrue();
		this.lease.lose(LossCause.TAKEN);
		assertThat(this.election.awaitLeadership(Duration.ofMillis(1))).isFalse();
	}

	@Test
	@Timeout(60)
	void whoAwaitsLeadershipIsWokenByIt() throws Exception {
		this.election.start();
		FutureTask<Boolean> waiter = awaitInAnotherThread();
		grant(this.lease);
		assertThat(waiter.get()).isTrue();
	}

	@Test
	@Timeout(60)
	void whoAwaitsLeadershipIsWokenWhenTheElectionStops() throws Exception {
		this.election.start();
		FutureTask<Boolean> waiter = awaitInAnotherThread();
		this.election.stop();
		assertThat(waiter.get()).isFalse();
	}

	@Test
	void whoAwaitsLeadershipMayBeInterrupted() {
		this.election.start();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.election.awaitLeadership(Duration.ZERO));
		assertThat(Thread.interrupted()).isFalse();
		assertThat(this.election.isRunning()).isTrue();
	}

	private FutureTask<Boolean> awaitInAnotherThread() {
		FutureTask<Boolean> waiter = new FutureTask<>(() -> this.election.awaitLeadership(FOREVER));
		Thread thread = new Thread(waiter);
		thread.start();
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		return waiter;
	}

	@Test
	void secondStartIsNoSecondCandidate() {
		this.election.start();
		this.election.start();
		assertThat(this.attempts).hasSize(1);
		grant(this.lease);
		this.election.start();
		assertThat(this.attempts).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void lossRevokesAndTheInstanceIsACandidateAgainAfterAPause(LossCause cause) {
		lead();
		this.lease.lose(cause);
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 " + cause);
		assertThat(this.attempts).isEmpty();
		this.manual.passPause();
		grant(new ScriptedLease(8));
		assertThat(this.manual.events()).last().isEqualTo("granted reports 8");
		assertThat(this.election.lease()).map(LeaseInfo::fencingToken).contains(8L);
	}

	@Test
	void leadershipIsOverAtTheDeadlineBeforeAnybodyIsTold() {
		lead();
		this.lease.expire();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.tryEnter()).isEmpty();
	}

	@Test
	void leaderThatGivesUpWhatItHasLostTellsOfTheLoss() {
		lead();
		this.lease.expire();
		this.election.yieldLeadership();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 EXPIRED");
		this.manual.passPause();
		ScriptedLease next = new ScriptedLease(8);
		grant(next);
		next.expire();
		this.election.stop();
		assertThat(this.manual.events()).last().isEqualTo("revoked reports 8 EXPIRED");
	}

	@Test
	void leaseThatWasLostBeforeItArrivedIsGrantedAndRevoked() {
		this.election.start();
		Lease lost = mock();
		given(lost.onLost(any())).willAnswer((call) -> {
			call.<Consumer<LossCause>>getArgument(0).accept(LossCause.EXPIRED);
			return (Lease.Registration) () -> {
			};
		});
		given(lost.closeAsync()).willReturn(CompletableFuture.completedFuture(null));
		grant(lost);
		assertThat(this.manual.events()).containsExactly("granted reports 0", "revoked reports 0 EXPIRED");
		assertThat(this.manual.pauses()).isOne();
	}

	@Test
	void callbacksComeInTheirOrderAlthoughTheFirstIsSlow() {
		this.manual.holdCallbacks();
		lead();
		this.lease.lose(LossCause.TAKEN);
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.manual.events()).isEmpty();
		assertThat(this.manual.pauses()).as("not a candidate before the listeners know").isZero();
		this.manual.runCallbacks();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 TAKEN");
		assertThat(this.manual.pauses()).isOne();
	}

	@Test
	void listenerThatComesAfterTheEndIsNotToldOfIt() {
		this.manual.holdCallbacks();
		lead();
		this.election.yieldLeadership();
		List<String> told = new ArrayList<>();
		this.election.addListener(new Noting(told));
		this.manual.runCallbacks();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 YIELDED");
		assertThat(told).isEmpty();
		this.manual.passPause();
		grant(new ScriptedLease(8));
		this.manual.runCallbacks();
		assertThat(told).containsExactly("granted");
	}

	@Test
	void listenerThatIsRemovedAndAddedAgainBeforeTheStartIsNotified() {
		this.manual.holdCallbacks();
		List<String> told = new ArrayList<>();
		Noting listener = new Noting(told);
		this.election.addListener(listener);
		this.election.removeListener(listener);
		this.election.addListener(listener);
		this.manual.runCallbacks();
		lead();
		this.manual.runCallbacks();
		assertThat(told).containsExactly("granted");
	}

	@Test
	void failedListenerIsLoggedAndTheOthersAreNotified(CapturedOutput output) {
		ManualElection other = new ManualElection(this.registry, "reports", LockOptions.defaults());
		List<String> told = new ArrayList<>();
		other.election().addListener(new LeadershipListener() {

			@Override
			public void onGranted(String role, LeaseInfo granted) {
				throw new IllegalStateException("planted");
			}

			@Override
			public void onRevoked(String role, LeaseInfo revoked, RevocationCause cause) {
				throw new AssertionError("planted");
			}

		});
		other.election().addListener(new Noting(told));
		other.election().start();
		grant(this.lease);
		other.election().stop();
		assertThat(told).containsExactly("granted", "revoked");
		assertThat(this.lease.isClosed()).isTrue();
		assertThat(output).contains("A leadership listener of 'reports' failed").contains("planted");
	}

	@Test
	void leaderThatYieldsReleasesAndStandsAgainAfterAPause() {
		lead();
		this.election.yieldLeadership();
		assertThat(this.lease.isClosed()).isTrue();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 YIELDED");
		assertThat(this.attempts).isEmpty();
		this.manual.passPause();
		assertThat(this.attempts).hasSize(1);
	}

	@Test
	void whoDoesNotLeadHasNothingToYield() {
		this.election.start();
		this.election.yieldLeadership();
		assertThat(this.manual.events()).isEmpty();
		assertThat(this.attempts).singleElement().satisfies((attempt) -> assertThat(attempt).isNotDone());
	}

	@Test
	void stopReleasesAfterTheListenersKnow() {
		this.manual.holdCallbacks();
		lead();
		AtomicInteger stopped = new AtomicInteger();
		this.election.stop(stopped::incrementAndGet);
		assertThat(this.election.isRunning()).isFalse();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.lease.isClosed()).isFalse();
		assertThat(stopped).hasValue(0);
		this.manual.runCallbacks();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 STOPPED");
		assertThat(this.lease.isClosed()).isTrue();
		assertThat(stopped).hasValue(1);
		this.manual.passPause();
		assertThat(this.attempts).isEmpty();
	}

	@Test
	void stoppedCandidateGivesUp() {
		this.election.start();
		CompletableFuture<Lease> attempt = this.attempts.remove();
		AtomicInteger stopped = new AtomicInteger();
		this.election.stop(stopped::incrementAndGet);
		assertThat(attempt).isCancelled();
		assertThat(stopped).hasValue(1);
		assertThat(this.manual.pauses()).isZero();
		assertThat(this.manual.events()).isEmpty();
	}

	@Test
	void leaseThatArrivesAfterTheStopIsReleased() {
		CompletableFuture<Lease> late = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return false;
			}

		};
		given(this.registry.acquireAsync(any(), any())).willReturn(late);
		this.election.start();
		this.election.stop();
		late.complete(this.lease);
		assertThat(this.lease.isClosed()).isTrue();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.manual.events()).isEmpty();
	}

	@Test
	void stoppedElectionCanStartAgain() {
		lead();
		this.election.stop();
		this.election.start();
		grant(new ScriptedLease(8));
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 STOPPED",
				"granted reports 8");
		this.manual.passPause();
		assertThat(this.attempts).as("the pause of the first time").isEmpty();
	}

	@Test
	void electionThatStartsAgainWaitsUntilItHasReleased() {
		this.manual.holdCallbacks();
		lead();
		this.election.stop();
		this.election.start();
		assertThat(this.attempts).isEmpty();
		this.manual.runCallbacks();
		this.manual.passPause();
		assertThat(this.attempts).hasSize(1);
	}

	@Test
	void failedAttemptIsLoggedAndRepeatedAfterAPause(CapturedOutput output) {
		this.election.start();
		this.attempts.remove().completeExceptionally(new LockStoreException("NOPERM", false, null));
		assertThat(output).contains("Leadership of 'reports' cannot be acquired, and is tried again: ")
			.contains("NOPERM");
		assertThat(this.attempts).isEmpty();
		this.manual.passPause();
		this.attempts.remove().completeExceptionally(new IllegalStateException("shut down"));
		this.manual.passPause();
		grant(this.lease);
		assertThat(this.election.isLeader()).isTrue();
	}

	@Test
	void registryThatThrowsIsTriedAgain() {
		given(this.registry.acquireAsync(any(), any())).willThrow(new IllegalStateException("planted"))
			.willReturn(CompletableFuture.completedFuture(this.lease));
		this.election.start();
		assertThat(this.election.isLeader()).isFalse();
		this.manual.passPause();
		assertThat(this.election.isLeader()).isTrue();
	}

	@Test
	void sectionOfTheLeaderHasItsToken() {
		List<Object> seen = new ArrayList<>();
		assertThat(this.election.runIfLeader((scope) -> seen.add("not yet"))).isFalse();
		lead();
		assertThat(this.election.runIfLeader((scope) -> {
			seen.add(scope.fencingToken());
			seen.add(LockScope.current().lease("leader:reports").isValid());
		})).isTrue();
		assertThat(seen).containsExactly(7L, true);
		assertThat(this.election.isLeader()).isTrue();
		assertThat(this.lease.isClosed()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leadershipIsReleasedWhenItsSectionsHaveEnded(boolean stops) {
		lead();
		Lease first = this.election.tryEnter().orElseThrow();
		Lease second = this.election.tryEnter().orElseThrow();
		if (stops) {
			this.election.stop();
		}
		else {
			this.election.yieldLeadership();
		}
		assertThat(this.election.tryEnter()).as("no further section").isEmpty();
		assertThat(first.isValid()).as("those that run keep the lease").isTrue();
		first.close();
		first.close();
		assertThat(this.lease.isClosed()).isFalse();
		second.close();
		assertThat(this.lease.isClosed()).isTrue();
	}

	@Test
	void sectionThatFailsHasEnded() {
		lead();
		assertThatIllegalStateException().isThrownBy(() -> this.election.runIfLeader((scope) -> {
			throw new IllegalStateException("planted");
		}));
		this.election.stop();
		assertThat(this.lease.isClosed()).isTrue();
	}

	@Test
	void lostLeadershipDoesNotWaitForItsSections() {
		lead();
		Lease section = this.election.tryEnter().orElseThrow();
		List<LossCause> told = new ArrayList<>();
		section.onLost(told::add);
		this.lease.lose(LossCause.FORCED);
		assertThat(told).containsExactly(LossCause.FORCED);
		assertThat(section.isValid()).isFalse();
		this.manual.passPause();
		grant(new ScriptedLease(8));
		assertThat(this.election.tryEnter()).map(Lease::fencingToken).contains(8L);
		section.close();
		assertThat(this.election.isLeader()).isTrue();
	}

	@Test
	void sectionThatHasEndedHasNoLeaseAndLeavesNothingBehind() {
		lead();
		int actions = this.lease.actions();
		Lease section = this.election.tryEnter().orElseThrow();
		section.onLost((cause) -> {
		});
		assertThat(this.lease.actions()).isEqualTo(actions + 1);
		assertThat(section.extend(Duration.ofSeconds(1))).isTrue();
		assertThat(section.releaseAsync()).isCompletedWithValue(true);
		assertThat(this.lease.actions()).isEqualTo(actions);
		section.onLost((cause) -> {
		});
		assertThat(this.lease.actions()).isEqualTo(actions);
		assertThat(section.isValid()).isFalse();
		assertThat(section.remaining()).isZero();
		assertThat(section.extend(Duration.ofSeconds(1))).isFalse();
		assertThat(section.extendAsync(Duration.ofSeconds(1))).isCompletedWithValue(false);
		assertThat(section.releaseAsync()).isCompletedWithValue(false);
		assertThatIllegalStateException().isThrownBy(section::checkValid)
			.withMessage("The critical section of the leader of 'leader:reports' has ended");
	}

	@Test
	void callbacksHaveAThreadOfTheirOwn() throws Exception {
		LeaderElection real = LeaderElection.of(this.registry, "reports");
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		real.addListener(new LeadershipListener() {

			@Override
			public void onGranted(String role, LeaseInfo granted) {
				thread.complete(Thread.currentThread());
			}

		});
		real.start();
		grant(this.lease);
		assertThat(thread.get(10, TimeUnit.SECONDS)).satisfies((caller) -> {
			assertThat(caller.getName()).isEqualTo("leader-reports");
			assertThat(caller.isDaemon()).isTrue();
			assertThat(caller.getContextClassLoader()).isSameAs(Thread.currentThread().getContextClassLoader());
		});
		CompletableFuture<Boolean> stopped = new CompletableFuture<>();
		real.stop(() -> stopped.complete(true));
		assertThat(stopped.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.lease.isClosed()).isTrue();
	}

	@Test
	void leadershipIsReleasedWhenItsListenersWereNotifiedLateForWantOfMemory() {
		lead();
		this.manual.beforeUse(() -> {
			throw new OutOfMemoryError("planted");
		});
		this.election.stop();
		assertThat(this.manual.events()).containsExactly("granted reports 7");
		assertThat(this.lease.isClosed()).isFalse();
		this.manual.passLook();
		assertThat(this.manual.events()).containsExactly("granted reports 7", "revoked reports 7 STOPPED");
		assertThat(this.lease.isClosed()).isTrue();
	}

	@Test
	void threadIsKeptWhileTheElectionRunsAndUntilItHasReleased() {
		this.manual.holdCallbacks();
		assertThat(this.manual.hasThread()).isFalse();
		lead();
		this.manual.runCallbacks();
		assertThat(this.manual.hasThread()).isTrue();
		this.election.stop();
		assertThat(this.manual.hasThread()).isTrue();
		this.manual.runCallbacks();
		assertThat(this.lease.isClosed()).isTrue();
		assertThat(this.manual.hasThread()).isFalse();
	}

	@Test
	void sectionThatStopsItsOwnElectionAndWaitsForThatDoesNotWaitForItself() {
		lead();
		Lease other = this.election.tryEnter().orElseThrow();
		AtomicInteger stopped = new AtomicInteger();
		this.election.runIfLeader((scope) -> {
			this.election.stop(stopped::incrementAndGet);
			assertThat(this.lease.isClosed()).as("another section runs").isFalse();
			other.close();
			assertThat(stopped).hasValue(1);
			assertThat(this.lease.isClosed()).isTrue();
			assertThat(scope.isValid()).isFalse();
		});
	}

	@Test
	void sectionThatStopsItsElectionAndDoesNotWaitKeepsTheLease() {
		lead();
		this.election.runIfLeader((scope) -> {
			this.election.stop();
			assertThat(scope.isValid()).isTrue();
		});
		assertThat(this.lease.isClosed()).isTrue();
	}

	/**
	 * Phases of web servers are 1024 and 2048 below the default one.
	 */
	@Test
	void electionStopsBeforeWebServersAndSchedulers() {
		assertThat(LeaderElection.of(this.registry, "reports").getPhase())
			.isGreaterThan(SmartLifecycle.DEFAULT_PHASE - 1024)
			.isGreaterThan(new ThreadPoolTaskScheduler().getPhase());
	}

	@Test
	void mistakesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LeaderElection.of(this.registry, " "))
			.withMessageContaining("The role must not be blank");
		assertThatIllegalArgumentException().isThrownBy(() -> LeaderElection.of(this.registry, "a\nb"))
			.withMessageContaining("control characters");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LeaderElection.of(this.registry, "reports", LockOptions.defaults().withRenew(false)))
			.withMessageContaining("leave renew at true");
	}

	private record Noting(List<String> told) implements LeadershipListener {

		@Override
		public void onGranted(String role, LeaseInfo granted) {
			this.told.add("granted");
		}

		@Override
		public void onRevoked(String role, LeaseInfo revoked, RevocationCause cause) {
			this.told.add("revoked");
		}

	}

}
