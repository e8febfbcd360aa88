// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockstarter.Lease;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.engine.RecordedEvents.Loss;
import io.lockstarter.engine.ScriptedStore.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * For a moment nothing can be scheduled, or nobody can be called, as there is no thread
 * or no memory. Afterwards every key works.
 */
class MomentWithoutThreadsTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private static final Busy BUSY = ScriptedStore.busy("other:1", Duration.ofHours(1));

	private final ManualEngine engine = new ManualEngine();

	private final ManualTiming time = this.engine.time();

	private final ScriptedStore store = this.engine.store();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter.engine");

	@BeforeEach
	void expectErrors() {
		this.logger.setLevel(Level.OFF);
	}

	@AfterEach
	void expectNoneAnyMore() {
		this.logger.setLevel(null);
	}

	@Test
	void keyOfALostLeaseCanBeAcquiredAlthoughNobodyCouldBeToldOfTheLoss() {
		Lease lease = this.engine.lease();
		AtomicBoolean ran = new AtomicBoolean();
		lease.onLost((cause) -> ran.set(true));
		this.store.renewals().fail(new IllegalStateException("planted"));
		this.time.failToCall(true);
		this.engine.tick(ManualEngine.TERM.plusSeconds(1));
		this.time.failToCall(false);
		assertThat(ran).isFalse();
		assertThat(lease.isValid()).isFalse();
		Lease next = this.engine.lease();
		assertThat(next.isValid()).isTrue();
		this.engine.tick(ManualEngine.TERM.plusSeconds(1));
		assertThat(this.engine.events().losses()).as("the first loss is told along with the next")
			.extracting(Loss::lease, Loss::cause)
			.containsExactly(tuple(lease, LossCause.EXPIRED), tuple(next, LossCause.EXPIRED));
	}

	@Test
	void keyIsFreeBeforeAnybodyIsToldOfTheLoss() {
		List<Integer> leases = new ArrayList<>();
		ScriptedStore monitored = new ScriptedStore();
		AtomicReference<DefaultLockRegistry> registry = new AtomicReference<>();
		ManualEngine other = new ManualEngine(ManualEngine.settings(), monitored, List.of(new LockMonitor() {

			@Override
			public void lost(Lease lease, LossCause cause) {
				leases.add(registry.get().leaseCount());
			}

		}));
		registry.set(other.registry());
		Lease lease = other.lease();
		monitored.connection().forced(lease.key(), lease.ownerId());
		assertThat(leases).containsExactly(0);
	}

	@Test
	void forcedReleaseOfAHeldKeyLeavesItUsableAlthoughNobodyCouldBeTold() {
		Lease lease = this.engine.lease();
		this.time.failToCall(true);
		this.store.connection().forced(lease.key(), lease.ownerId());
		this.time.failToCall(false);
		assertThat(this.engine.lease().isValid()).isTrue();
	}

	@Test
	void whoWaitsIsServedByTheNextSignalAlthoughItsPollCouldNotBeScheduled() {
		this.engine.startListening();
		this.store.acquires().answer((command) -> BUSY);
		CompletableFuture<Lease> waiting = this.engine.request();
		this.time.failToSchedule(true);
		this.engine.tick(Duration.ofSeconds(6));
		this.time.failToSchedule(false);
		assertThat(waiting).isNotDone();
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.signals().reserved(ManualEngine.KEY);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoWaitsIsServedByTheNextReconnectAlthoughItsPollCouldNotBeScheduled() {
		this.store.acquires().answer((command) -> BUSY);
		this.store.deaf();
		CompletableFuture<Lease> waiting = this.engine.request();
		this.time.failToSchedule(true);
		this.engine.tick(Duration.ofSeconds(1));
		this.time.failToSchedule(false);
		this.store.acquires().answer((command) -> this.store.granted());
		this.engine.tick(Duration.ofSeconds(1));
		assertThat(waiting).isNotDone();
		this.store.connection().reconnected();
		this.engine.tick(Duration.ZERO);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void releaseWithAWaiterReachesTheStoreAlthoughThePollCouldNotBeScheduled() {
		this.engine.startListening();
		Lease lease = this.engine.lease();
		CompletableFuture<Lease> waiting = this.engine.request();
		this.store.signals().contended(ManualEngine.KEY);
		this.engine.tick(Duration.ofMillis(6));
		int releases = this.store.releases().count();
		this.time.failToSchedule(true);
		lease.close();
		this.time.failToSchedule(false);
		assertThat(this.store.releases().count()).isEqualTo(releases + 1);
		this.store.signals().reserved(ManualEngine.KEY);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoCannotBeWatchedWhileItWaitsIsToldAndLeavesNothingBehind() {
		this.store.acquires().answer((command) -> BUSY);
		this.time.failToSchedule(true);
		assertThat(this.engine.request()).failsWithin(Duration.ZERO)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(Error.class);
		this.time.failToSchedule(false);
		assertThat(this.engine.registry().waiterCount()).isZero();
		this.store.acquires().answer((command) -> this.store.granted());
		assertThat(this.engine.lease().isValid()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void whatIsGrantedInVainIsReleasedAndNothingElse(LockMode mode) {
		LockOptions options = LockOptions.defaults().withMode(mode);
		for (int look = 1; look <= 30; look++) {
			ManualEngine failing = new ManualEngine();
			failing.store().acquires().hold();
			CompletableFuture<Lease> request = failing.request(ManualEngine.KEY, options);
			var unused = failing.request(ManualEngine.KEY, ONCE.withMode(mode));
			Call<Acquire, AcquireReply> asked = failing.store().acquires().last();
			failing.time().failAtLook(look);
			asked.answer(failing.store().granted());
			failing.time().failAtLook(0);
			failing.tick(Duration.ofSeconds(6));
			assertThat(request).as("look %d", look).isDone();
			assertThat(released(failing, asked)).as("look %d", look).isEqualTo(failing.registry().leaseCount() == 0);
		}
	}

	@Test
	void keyIsReleasedAlthoughItsReleaseFailedHalfWay() {
		for (int look = 1; look <= 10; look++) {
			ManualEngine failing = new ManualEngine();
			Lease lease = failing.lease();
			failing.time().failAtLook(look);
			try {
				lease.close();
			}
			catch (Error ex) {
				assertThat(ex).hasMessage("planted");
			}
			failing.time().failAtLook(0);
			failing.tick(Duration.ofSeconds(1));
			assertThat(released(failing, failing.store().acquires().last()) || lease.isValid()).as("look %d", look)
				.isTrue();
		}
	}

	private static boolean released(ManualEngine engine, Call<Acquire, AcquireReply> asked) {
		return engine.store()
			.releases()
			.commands()
			.stream()
			.anyMatch((release) -> release.ownerId().equals(asked.command().ownerId()));
	}

	@Test
	void whoWantsSeveralKeysIsToldIfTheyCannotBeTriedAgain() {
		this.store.jointAcquires().fail(new LockStoreException("planted", false, true, null));
		this.time.failToSchedule(true);
		CompletableFuture<List<Lease>> once = this.engine.registry().acquireAllAsync(List.of("a", "b"), ONCE);
		assertThat(once).isCompletedExceptionally();
		this.store.acquires().answer((command) -> BUSY);
		this.store.jointAcquires().answer((commands) -> new AcquireAllReply(List.of(), "a", BUSY));
		CompletableFuture<List<Lease>> patient = this.engine.registry()
			.acquireAllAsync(List.of("a", "b"), LockOptions.defaults());
		assertThat(patient).isCompletedExceptionally();
		this.time.failToSchedule(false);
		assertThat(this.engine.registry().waiterCount()).isZero();
	}

	@Test
	void leasesAreRenewedAfterAReconnectThatFollowsOneWhichCouldNotBeActedOn() {
		this.engine.lease();
		this.time.failToSchedule(true);
		assertThatExceptionOfType(Error.class).isThrownBy(this.store.connection()::reconnected);
		this.time.failToSchedule(false);
		int renewals = this.store.renewals().count();
		this.store.connection().reconnected();
		this.engine.tick(Duration.ZERO);
		assertThat(this.store.renewals().count()).isEqualTo(renewals + 1);
	}

	@Test
	void orphanIsReleasedWithTheNextAnswerAlthoughItsRetryCouldNotBeScheduled() {
		this.engine.lease("warm", LockOptions.defaults());
		this.store.releases().fail(new LockStoreException("planted", true, null));
		Lease lease = this.engine.lease();
		this.time.failToSchedule(true);
		lease.close();
		this.time.failToSchedule(false);
		this.store.releases().answer((command) -> true);
		int releases = this.store.releases().count();
		this.store.acquires().hold();
		CompletableFuture<Lease> next = this.engine.request("other", LockOptions.defaults());
		this.store.acquires().last().answer(this.store.granted());
		this.engine.tick(Duration.ZERO);
		assertThat(next).isCompleted();
		assertThat(this.store.releases().commands().subList(releases, this.store.releases().count()))
			.extracting(LockStore.Release::ownerId)
			.containsExactly(lease.ownerId());
	}

}
