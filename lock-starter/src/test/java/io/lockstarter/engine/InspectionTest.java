// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoreStatus.State;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore.Acquire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * What an instance shows of itself and of its store.
 */
class InspectionTest {

	private static final String KEY = ManualEngine.KEY;

	private static final String PROBE = "lock-starter:health:app";

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(5));

	// by the network: nobody answers
	private final LockStoreException refused = new LockStoreException("connection refused", false, false, false, null);

	private final ManualEngine engine = new ManualEngine();

	private final DefaultLockRegistry registry = this.engine.registry();

	private final ScriptedStore store = this.engine.store();

	// What is held

	@Test
	void aHeldLockIsShownWithItsTimes() {
		long token = this.engine.lease().fencingToken();
		this.engine.tick(Duration.ofSeconds(5));
		HeldLock held = this.registry.held().get(0);
		assertThat(held.key()).isEqualTo(KEY);
		assertThat(held.ownerId()).isEqualTo("app:1");
		assertThat(held.fencingToken()).isEqualTo(token);
		assertThat(Duration.between(held.since(), held.deadline())).isEqualTo(ManualEngine.TERM);
		// the test's clock stands still while this is asked
		assertThat(held.since()).isCloseTo(Instant.now().minusSeconds(5), within(2, ChronoUnit.MINUTES));
		assertThat(held.thread()).as("of an asynchronous caller").isNull();
	}

	@Test
	void locksAreShownInTheOrderOfTheirKeysAndNotWhenTheyAreOver() {
		this.engine.lease("b", LockOptions.defaults());
		this.engine.lease("a", LockOptions.defaults());
		this.engine.lease("c", LockOptions.defaults()).close();
		assertThat(this.registry.held()).extracting(HeldLock::key).containsExactly("a", "b");
		this.store.renewals().hold();
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.registry.held()).isEmpty();
	}

	@Test
	@SuppressWarnings("LockNotBeforeTry")
	void threadsThatHoldAndWaitAreShown() throws InterruptedException {
		DefaultLockRegistry real = new DefaultLockRegistry("real", new MemoryLockStore(), RegistrySettings.defaults(),
				List.of());
		CountDownLatch done = new CountDownLatch(1);
		Thread holder = new Thread(() -> real.call(KEY, LockOptions.defaults(), (scope) -> awaitUninterruptibly(done)));
		holder.start();
		await().untilAsserted(() -> assertThat(real.held()).extracting(HeldLock::thread).containsExactly(holder));
		Thread waiter = new Thread(() -> {
			LeasedLock lock = real.obtain(KEY);
			lock.lock();
			lock.unlock();
		});
		waiter.start();
		await().untilAsserted(() -> assertThat(real.waiting()).hasSize(1));
		WaitingCaller waiting = real.waiting().get(0);
		assertThat(waiting.thread()).isSameAs(waiter);
		assertThat(waiting.until()).as("of lock(), which waits for as long as it takes").isNull();
		done.countDown();
		waiter.join();
		holder.join();
	}

	@Test
	void callersAreShownInTheOrderInWhichTheyGetTheKey() {
		this.engine.lease();
		CompletableFuture<?> first = this.engine.request(KEY, PATIENT);
		this.engine.tick(Duration.ofSeconds(1));
		CompletableFuture<?> second = this.engine.request();
		List<WaitingCaller> waiting = this.registry.waiting();
		assertThat(waiting).extracting(WaitingCaller::key).containsExactly(KEY, KEY);
		assertThat(Duration.between(waiting.get(0).since(), waiting.get(1).since())).isEqualTo(Duration.ofSeconds(1));
		assertThat(Duration.between(waiting.get(1).since(), waiting.get(1).until())).isEqualTo(Duration.ofSeconds(10));
		assertThat(waiting).extracting(WaitingCaller::thread).containsOnlyNulls();
		first.cancel(false);
		assertThat(this.registry.waiting()).hasSize(1);
		assertThat(second).isNotDone();
	}

	@Test
	void aStoreThatCannotBeInspectedSaysSo() {
		assertThat(this.registry.inspect(KEY)).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(UnsupportedOperationException.class)
			.withMessageContaining("cannot be inspected");
	}

	// The store

	@Test
	void whatAnAcquirerNeedsIsTried() {
		LockMonitor monitor = mock();
		ManualEngine engine = new ManualEngine(ManualEngine.settings(), new ScriptedStore(), List.of(monitor));
		assertThat(engine.registry().checkStore().join().state()).isEqualTo(State.ANSWERING);
		assertThat(engine.store().journal()).containsExactly(
				new Acquire(PROBE, "app", "app:1", Duration.ofSeconds(3), false, 1, false),
				ManualEngine.orphan(PROBE, "app", "app:1"));
		assertThat(engine.registry().held()).isEmpty();
		verifyNoInteractions(monitor);
	}

	@Test
	void aStoreThatServesIsAskedOnceInFiveSeconds() {
		for (int i = 0; i < 10; i++) {
			assertThat(status().state()).isEqualTo(State.ANSWERING);
		}
		assertThat(this.store.acquires().count()).isOne();
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		assertThat(this.store.acquires().count()).isEqualTo(2);
	}

	@Test
	void aCommandThatFailedIsAReasonToAskAlsoIfOthersAreAnswered() {
		Lease held = this.engine.lease();
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires().fail(this.refused);
		assertThat(this.engine.request("other", LockOptions.defaults().withWaitTime(Duration.ZERO))).isDone();
		held.close();
		assertThat(status().state()).isEqualTo(State.REFUSING);
	}

	@Test
	void aStoreThatNeverAnsweredIsUnavailableAtOnce() {
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		assertThat(status()).returns(State.UNAVAILABLE, StoreStatus::state).returns(null, StoreStatus::lastAnswer);
	}

	@Test
	void aStoreToWhichThereIsNoConnectionYetIsUnavailable() {
		ManualEngine connecting = new ManualEngine(ManualEngine.settings(), new ScriptedStore().connecting());
		connecting.store().acquires().hold();
		connecting.store().releases().hold();
		CompletableFuture<StoreStatus> asked = connecting.registry().checkStore();
		connecting.tick(Duration.ofSeconds(3));
		assertThat(asked.join()).returns(State.UNAVAILABLE, StoreStatus::state)
			.returns("the first connection to the store is still being made", StoreStatus::failure);
		assertThat(connecting.registry().checkStore().join().state()).isEqualTo(State.UNAVAILABLE);
		connecting.store().connected();
		connecting.store().acquires().last().answer(connecting.store().granted());
		connecting.store().releases().last().answer(true);
		assertThat(connecting.registry().checkStore().join().state()).isEqualTo(State.ANSWERING);
	}

	@Test
	void aStoreThatAnswersButGrantsNothingRefuses() {
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires()
			.fail(new LockStoreException("Redis refused to acquire %s: OOM".formatted(PROBE), false, null));
		this.engine.tick(Duration.ofSeconds(5));
		StoreStatus refusing = status();
		assertThat(refusing.state()).isEqualTo(State.REFUSING);
		assertThat(refusing.failure()).isEqualTo("Redis refused to acquire a lock: OOM");
		assertThat(refusing.unavailableSince()).isNotNull();
		this.store.acquires().answer((command) -> this.store.granted());
		assertThat(status()).returns(State.ANSWERING, StoreStatus::state)
			.returns(null, StoreStatus::failure)
			.returns(null, StoreStatus::unavailableSince);
	}

	@Test
	void aStoreThatRefusesEachCommandRefuses() {
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		LockStoreException replica = new LockStoreException("the server is a replica", false, true, true, null);
		this.store.acquires().fail(replica);
		this.store.releases().fail(replica);
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status()).returns(State.REFUSING, StoreStatus::state)
			.returns("the server is a replica", StoreStatus::failure);
		this.store.acquires().fail(new LockStoreException("LOADING", false, true, false, null));
		assertThat(status()).as("about to serve").returns(State.SILENT, StoreStatus::state);
	}

	@Test
	void aPartThatRefusesIsFoundWhileAnotherIsSilent() {
		this.store.parts(3);
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires()
			.forward((command) -> (this.store.partition(command.key()) == 2)
					? CompletableFuture.completedFuture(this.store.granted())
					: CompletableFuture.failedFuture(this.refused));
		this.store.releases()
			.forward((command) -> (this.store.partition(command.key()) == 0)
					? CompletableFuture.failedFuture(this.refused) : CompletableFuture.completedFuture(true));
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status().state()).isEqualTo(State.REFUSING);
	}

	@Test
	void aStoreThatIsSilentIsUnavailableWhenLeasesMayBeLost() {
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		assertThat(this.engine.request(KEY, LockOptions.defaults().withWaitTime(Duration.ZERO))).isDone();
		StoreStatus silent = status();
		assertThat(silent.state()).isEqualTo(State.SILENT);
		assertThat(silent.failure()).isEqualTo("connection refused");
		assertThat(silent.tolerance()).isEqualTo(Duration.ofSeconds(20));
		this.engine.tick(Duration.ofSeconds(20));
		assertThat(status().state()).isEqualTo(State.SILENT);
		this.engine.tickMillis(1);
		StoreStatus unavailable = status();
		assertThat(unavailable.state()).isEqualTo(State.UNAVAILABLE);
		assertThat(unavailable.unavailableSince()).isCloseTo(silent.unavailableSince(), within(1, ChronoUnit.MINUTES));
	}

	@Test
	void aStoreThatGrantedALockAndFellSilentBeforeItWasAskedIsSilent() {
		this.engine.lease().close();
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		assertThat(status().state()).isEqualTo(State.SILENT);
		this.engine.tick(Duration.ofSeconds(20).plusMillis(1));
		assertThat(status().state()).isEqualTo(State.UNAVAILABLE);
	}

	@Test
	void aPartThatNeverGrantedALockIsUnavailableThoughAnotherDid() {
		this.store.parts(3);
		this.engine.lease().close();
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		assertThat(status().state()).isEqualTo(State.UNAVAILABLE);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLeaseThatWasNotToBeRenewedIsNoneThatTheStoreLost(boolean renew) {
		LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(3));
		Lease lease = this.engine.lease(KEY,
				renew ? options.withMaxHold(Duration.ofSeconds(3)) : options.withRenew(false));
		assertThat(lease.isRenewed()).isEqualTo(renew);
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.engine.tick(Duration.ofSeconds(6));
		assertThat(this.engine.events().losses()).hasSize(1);
		assertThat(lease.isRenewed()).isFalse();
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		assertThat(status().state()).isEqualTo(State.SILENT);
	}

	@Test
	void aLeaseThatWasToBeRenewedSaysSoWhenItIsLost() {
		Lease lease = this.engine.lease(KEY, LockOptions.defaults().withMaxHold(Duration.ofMinutes(5)));
		this.store.renewals().fail(this.refused);
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.engine.events().losses()).hasSize(1);
		assertThat(lease.isRenewed()).isTrue();
	}

	@Test
	void twoThirdsOfTheShortestTtlInUseCount() {
		this.engine.lease(KEY, LockOptions.defaults().withTtl(Duration.ofSeconds(3)));
		assertThat(status().tolerance()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void aStoreInWhoseSilenceALeaseWasLostIsUnavailableUntilItAnswers() {
		this.engine.lease(KEY, LockOptions.defaults().withTtl(Duration.ofSeconds(6)));
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		this.store.renewals().fail(this.refused);
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status().state()).isEqualTo(State.SILENT);
		this.engine.tick(Duration.ofSeconds(1));
		assertThat(this.registry.held()).isEmpty();
		assertThat(status()).returns(State.UNAVAILABLE, StoreStatus::state)
			.returns(Duration.ofSeconds(20), StoreStatus::tolerance);
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.releases().answer((command) -> true);
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status().state()).as("of another silence").isEqualTo(State.SILENT);
	}

	@Test
	void aLeaseWhoseDeadlinePassedInAPauseIsLostBeforeThatIsReported() {
		this.engine.lease(KEY, LockOptions.defaults().withTtl(Duration.ofSeconds(6)));
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires().fail(this.refused);
		this.store.releases().fail(this.refused);
		this.store.renewals().fail(this.refused);
		this.engine.tickMillis(5_930);
		assertThat(status().state()).isEqualTo(State.SILENT);
		this.engine.time().pause(Duration.ofMillis(20));
		assertThat(status().state()).isEqualTo(State.UNAVAILABLE);
		assertThat(this.engine.events().losses()).isEmpty();
	}

	@Test
	void eachPartOfTheStoreIsAsked() {
		this.store.parts(3);
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		assertThat(this.store.acquires().commands()).extracting((command) -> this.store.partition(command.key()))
			.containsExactly(0, 1, 2);
		assertThat(this.store.releases().count()).isEqualTo(3);
		this.store.acquires()
			.forward((command) -> (this.store.partition(command.key()) == 1)
					? CompletableFuture.failedFuture(this.refused)
					: CompletableFuture.completedFuture(this.store.granted()));
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status()).returns(State.REFUSING, StoreStatus::state)
			.returns("connection refused (in 1 of 3 parts)", StoreStatus::failure);
		this.engine.lease("c", LockOptions.defaults());
		assertThat(status().state()).as("a part that answers says nothing of another").isEqualTo(State.REFUSING);
	}

	@Test
	void aPartThatIsSilentIsNotForgottenWhenOthersAnswer() {
		this.store.parts(3);
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.acquires()
			.forward((command) -> (this.store.partition(command.key()) == 1)
					? CompletableFuture.failedFuture(this.refused)
					: CompletableFuture.completedFuture(this.store.granted()));
		this.store.releases()
			.forward((command) -> (this.store.partition(command.key()) == 1)
					? CompletableFuture.failedFuture(this.refused) : CompletableFuture.completedFuture(true));
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(status().state()).isEqualTo(State.SILENT);
		this.engine.tick(Duration.ofSeconds(20).plusMillis(1));
		assertThat(status().state()).isEqualTo(State.UNAVAILABLE);
	}

	@Test
	void aLeaseThatWasLostInASilentPartCountsThoughOthersWereAnsweredSince() {
		this.store.parts(3);
		this.store.partitions((key) -> key.equals(KEY) ? 1 : Math.floorMod(key.charAt(key.length() - 1), 3));
		this.engine.lease(KEY, LockOptions.defaults().withTtl(Duration.ofSeconds(6)));
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.store.renewals().fail(this.refused);
		this.store.acquires()
			.forward((command) -> (this.store.partition(command.key()) == 1)
					? CompletableFuture.failedFuture(this.refused)
					: CompletableFuture.completedFuture(this.store.granted()));
		this.store.releases()
			.forward((command) -> (this.store.partition(command.key()) == 1)
					? CompletableFuture.failedFuture(this.refused) : CompletableFuture.completedFuture(true));
		this.engine.tick(Duration.ofSeconds(6));
		assertThat(this.registry.held()).isEmpty();
		this.engine.tick(Duration.ofSeconds(1));
		this.engine.lease("c", LockOptions.defaults());
		assertThat(status().state()).isEqualTo(State.UNAVAILABLE);
	}

	@Test
	void aQuestionThatCannotBeAskedIsAskedAgain() {
		this.store.parts(3);
		this.store.partitions((key) -> {
			throw new IllegalStateException("no slots\n2026");
		});
		assertThat(status()).returns(State.UNAVAILABLE, StoreStatus::state)
			.satisfies((status) -> assertThat(status.failure()).contains("no slots\\u000a2026"));
		this.store.partitions((key) -> Math.floorMod(key.hashCode(), 3));
		assertThat(status().state()).isEqualTo(State.ANSWERING);
	}

	@Test
	void onlyOneQuestionIsOnItsWay() {
		this.store.acquires().hold();
		CompletableFuture<StoreStatus> first = this.registry.checkStore();
		CompletableFuture<StoreStatus> second = this.registry.checkStore();
		assertThat(this.store.acquires().count()).isOne();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(first.join().state()).isEqualTo(State.ANSWERING);
		assertThat(second.join().state()).isEqualTo(State.ANSWERING);
	}

	@Test
	void aQuestionThatIsNotAnsweredEndsWithTheCommandTimeout() {
		assertThat(status().state()).isEqualTo(State.ANSWERING);
		this.engine.tick(Duration.ofSeconds(5));
		this.store.acquires().hold();
		this.store.releases().hold();
		CompletableFuture<StoreStatus> asked = this.registry.checkStore();
		this.engine.tick(Duration.ofSeconds(3));
		assertThat(asked.join().state()).isEqualTo(State.SILENT);
		assertThat(asked.join().failure()).contains("did not answer within 2000 ms");
	}

	@Test
	void aStoreThatHangsIsUnavailableHoweverLongTheCommandTimeoutIs() {
		ManualEngine patient = new ManualEngine(RegistrySettings.defaults()
			.withTtl(ManualEngine.TTL)
			.withCommandTimeout(Duration.ofMinutes(5))
			.withSlice(Duration.ofMillis(5))
			.withShutdownGrace(Duration.ZERO));
		assertThat(patient.registry().checkStore().join().state()).isEqualTo(State.ANSWERING);
		patient.tick(Duration.ofSeconds(5));
		patient.store().acquires().hold();
		patient.store().releases().hold();
		CompletableFuture<StoreStatus> asked = patient.registry().checkStore();
		patient.tick(Duration.ofSeconds(3));
		assertThat(asked.join()).returns(State.SILENT, StoreStatus::state)
			.returns("no answer within 3 s", StoreStatus::failure);
		patient.tick(Duration.ofSeconds(20));
		assertThat(patient.registry().checkStore().join().state()).isEqualTo(State.UNAVAILABLE);
		assertThat(patient.store().acquires().count()).as("one question at a time").isEqualTo(2);
		patient.store().acquires().last().answer(patient.store().granted());
		patient.store().releases().last().answer(true);
		assertThat(patient.registry().checkStore().join().state()).isEqualTo(State.ANSWERING);
	}

	@Test
	void locksOfHealthChecksAreNotListed() {
		MemoryLockStore memory = new MemoryLockStore();
		DefaultLockRegistry real = new DefaultLockRegistry("real", memory, RegistrySettings.defaults(), List.of());
		var unused = memory
			.acquire(new Acquire("lock-starter:health:other", "other", "other:1", ManualEngine.TTL, false, 1))
			.join();
		real.acquireAsync(KEY, LockOptions.defaults()).join();
		assertThat(real.scan(null, 10).join().locks()).extracting(StoredLock::key).containsExactly(KEY);
	}

	@Test
	void aRegistryThatIsShutDownSaysSo() {
		this.registry.stop();
		assertThat(status().state()).isEqualTo(State.STOPPED);
		assertThat(this.registry.held()).isEmpty();
		assertThat(this.registry.waiting()).isEmpty();
	}

	private static boolean awaitUninterruptibly(CountDownLatch done) {
		try {
			return done.await(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private StoreStatus status() {
		return this.registry.checkStore().join();
	}

}
