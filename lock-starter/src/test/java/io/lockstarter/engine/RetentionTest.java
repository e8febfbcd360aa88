// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.ScriptedStore.Leave;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.LeasedLock;
import io.lockstarter.LeasedReadWriteLock;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Keys that stay with the instance when they are released.
 */
class RetentionTest {

	private static final String KEY = ManualEngine.KEY;

	private static final String INSTANCE = ManualEngine.INSTANCE;

	private static final Duration RETENTION = Duration.ofMillis(200);

	private static final LockOptions RETAINED = LockOptions.defaults().withRetention(RETENTION);

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private int commandsBefore;

	@BeforeEach
	void useTheKeyOnce() {
		this.engine.startListening();
		useOnce(this.engine, KEY);
		this.commandsBefore = this.store.journal().size();
	}

	private static void useOnce(ManualEngine engine, String key) {
		engine.lease(key, RETAINED).close();
		assertThat(engine.registry().retained()).doesNotContain(key);
	}

	// Reuse

	@Test
	void nextAcquirerNeedsNoCommand() {
		Lease first = this.engine.lease(KEY, RETAINED);
		assertThat(first.releaseAsync()).isCompletedWithValue(true);
		assertThat(retained()).containsExactly(KEY);
		assertThat(this.engine.registry().held()).isEmpty();
		Lease second = this.engine.lease(KEY, RETAINED);
		assertThat(second.isValid()).isTrue();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(second.ownerId()).isEqualTo(first.ownerId());
		assertThat(retained()).isEmpty();
		assertThat(commands()).hasSize(1);
	}

	@Test
	void whoeverTriesOnceFindsItFree() {
		this.engine.lease(KEY, RETAINED).close();
		assertThat(this.engine.lease(KEY, ONCE).isValid()).isTrue();
		assertThat(commands()).hasSize(1);
	}

	@Test
	void retentionOfTheRegistryIsTheDefault() {
		ManualEngine other = new ManualEngine(ManualEngine.settings().withRetention(RETENTION));
		other.startListening();
		other.lease().close();
		other.lease().close();
		assertThat(other.registry().retained()).contains(KEY);
		other.lease(KEY, LockOptions.defaults().withRetention(Duration.ZERO)).close();
		assertThat(other.registry().retained()).doesNotContain(KEY);
	}

	@Test
	void ownerIdSaysThatTheKeyMayBeRetained() {
		assertThat(this.engine.lease(KEY, RETAINED).ownerId()).startsWith(INSTANCE + ":0");
		assertThat(this.engine.lease("other", LockOptions.defaults()).ownerId()).doesNotStartWith(INSTANCE + ":0");
	}

	@Test
	void leaseOfAnOwnerIdThatDoesNotSaySoIsNotRetained() {
		Lease first = this.engine.lease();
		CompletableFuture<Lease> second = this.engine.request(KEY, RETAINED);
		first.close();
		second.join().close();
		assertThat(retained()).isEmpty();
		assertThat(commands()).hasSize(2).last().isInstanceOf(Release.class);
	}

	@Test
	void storeIsAskedOnceInAPollIntervalByTheSameOwnerId() {
		Lease first = this.engine.lease(KEY, RETAINED);
		this.engine.tickMillis(4_999);
		first.close();
		Lease second = this.engine.lease(KEY, RETAINED);
		this.engine.tickMillis(1);
		second.close();
		assertThat(commands()).hasSize(1);
		Lease third = this.engine.lease(KEY, RETAINED);
		assertThat(commands()).hasSize(2);
		assertThat(third.ownerId()).isEqualTo(first.ownerId());
	}

	@Test
	void lossThatARenewalTellsLateIsNotReused() {
		this.store.renewals().hold();
		Lease first = this.engine.lease(KEY, RETAINED);
		this.engine.tickMillis(10_000);
		first.close();
		assertThat(retained()).containsExactly(KEY);
		this.store.renewals().last().answer(List.of(false));
		assertThat(retained()).isEmpty();
		assertThat(this.engine.lease(KEY, RETAINED).ownerId()).isNotEqualTo(first.ownerId());
	}

	@Test
	void whoWantsAnotherTtlAcquiresAnew() {
		Lease first = this.engine.lease(KEY, RETAINED);
		first.close();
		Lease second = this.engine.lease(KEY, RETAINED.withTtl(Duration.ofSeconds(60)));
		assertThat(second.ownerId()).isNotEqualTo(first.ownerId());
		assertThat(commands()).hasSize(3).element(1).isEqualTo(release(first));
	}

	@Test
	void whoSharesTheKeyAcquiresAnew() {
		Lease first = this.engine.lease(KEY, RETAINED);
		first.close();
		assertThat(this.engine.lease(KEY, LockOptions.defaults().withMode(LockMode.SHARED)).isValid()).isTrue();
		assertThat(commands()).hasSize(3).element(1).isEqualTo(release(first));
	}

	@Test
	void whoWantsSeveralKeysGivesItBackFirst() {
		Lease first = this.engine.lease(KEY, RETAINED);
		first.close();
		List<Lease> leases = this.engine.registry().acquireAllAsync(List.of(KEY, "other"), RETAINED).join();
		assertThat(commands()).hasSize(3).element(1).isEqualTo(release(first));
		leases.forEach(Lease::close);
		leases = this.engine.registry().acquireAllAsync(List.of(KEY, "other"), RETAINED).join();
		leases.forEach(Lease::close);
		assertThat(retained()).isEmpty();
	}

	// The end

	@Test
	void itEndsWithItsTime() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.close();
		this.engine.tickMillis(199);
		assertThat(retained()).containsExactly(KEY);
		this.engine.tickMillis(1);
		assertThat(retained()).isEmpty();
		assertThat(commands()).containsExactly(acquire(0), release(lease));
	}

	@Test
	void itEndsWhenTheNextHolderWouldHaveTooLittleTime() {
		LockOptions unrenewed = RETAINED.withTtl(Duration.ofMillis(300));
		this.store.renewals().hold();
		Lease lease = this.engine.lease(KEY, unrenewed);
		this.engine.tickMillis(100);
		lease.close();
		this.engine.tickMillis(50);
		assertThat(retained()).isEmpty();
		assertThat(commands()).last().isEqualTo(release(lease));
	}

	@Test
	void nothingRetainedIsRenewed() {
		LockOptions longer = LockOptions.defaults().withRetention(Duration.ofSeconds(14));
		this.engine.lease(KEY, longer).close();
		this.engine.tickMillis(13_999);
		assertThat(retained()).containsExactly(KEY);
		assertThat(this.store.renewals().count()).isZero();
	}

	@Test
	void itEndsAtARecall() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.close();
		this.store.signals().contended(KEY);
		assertThat(retained()).isEmpty();
		assertThat(commands()).containsExactly(acquire(0), release(lease));
		this.store.signals().contended(KEY);
		assertThat(commands()).hasSize(2);
	}

	@Test
	void keyThatIsContendedWhileItIsHeldIsNotRetained() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		this.store.signals().contended(KEY);
		lease.close();
		assertThat(retained()).isEmpty();
		assertThat(commands()).last().isEqualTo(release(lease));
	}

	@Test
	void keyThatOthersWaitForWhenItIsAcquiredIsNotRetained() {
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), true));
		this.engine.lease(KEY, RETAINED).close();
		assertThat(retained()).isEmpty();
	}

	// Which keys

	@Test
	void keyThatIsUsedOnceIsNotRetained() {
		Lease lease = this.engine.lease("once", RETAINED);
		lease.close();
		assertThat(retained()).isEmpty();
		assertThat(commands()).last().isEqualTo(new Release("once", INSTANCE, lease.ownerId(), false));
	}

	@Test
	void keyThatIsNotUsedAgainWithinItsRetentionIsNotRetained() {
		for (int i = 0; i < 3; i++) {
			this.engine.tickMillis(200);
			this.engine.lease(KEY, RETAINED).close();
			assertThat(retained()).isEmpty();
		}
		this.engine.tickMillis(199);
		this.engine.lease(KEY, RETAINED).close();
		assertThat(retained()).containsExactly(KEY);
	}

	@Test
	void keyThatIsHandedOnIsRetained() {
		Lease first = this.engine.lease("handed on", RETAINED);
		CompletableFuture<Lease> second = this.engine.request("handed on", RETAINED);
		first.close();
		second.join().close();
		assertThat(retained()).containsExactly("handed on");
	}

	@Test
	void keyThatIsHandedOnForMoreThanItsTokensIsRetained() {
		Lease lease = this.engine.lease("handed on", RETAINED);
		for (int i = 0; i < 8; i++) {
			CompletableFuture<Lease> next = this.engine.request("handed on", RETAINED);
			this.engine.tickMillis(1);
			lease.close();
			lease = next.join();
		}
		assertThat(this.store.acquires().commands()).as("the last one prolonged it")
			.extracting(Acquire::key)
			.filteredOn("handed on"::equals)
			.hasSize(2);
		lease.close();
		assertThat(retained()).containsExactly("handed on");
	}

	@Test
	void keyThatIsRecalledInVainIsNotRetainedForAWhileThatDoubles() {
		recallAfter(0);
		for (int pause : new int[] { 2, 4, 8, 16, 32, 64, 64 }) {
			this.engine.tick(Duration.ofSeconds(pause).minusMillis(1));
			use(2);
			assertThat(retained()).as("within %d s", pause).isEmpty();
			this.engine.tickMillis(1);
			recallAfter(0);
		}
		this.engine.tick(Duration.ofSeconds(128));
		use(1);
		recallAfter(0);
		this.engine.tick(Duration.ofSeconds(2));
		use(1);
		recallAfter(0);
	}

	@Test
	void keyThatIsReusedAsOftenAsItIsRecalledIsRetained() {
		for (int i = 0; i < 100; i++) {
			this.engine.tickMillis(100);
			recallAfter(1);
		}
	}

	@Test
	void reusesPayForRecallsThatComeEarly() {
		for (int i = 0; i < 20; i++) {
			this.engine.tickMillis(1);
			use(1);
		}
		recallAfter(0);
		recallAfter(5);
		for (int i = 1; i < RetentionPolicy.MOST_CREDIT; i++) {
			this.engine.tickMillis(100);
			recallAfter(0);
		}
		recallAfter(0);
		use(2);
		assertThat(retained()).as("all credit is used up").isEmpty();
	}

	@Test
	void reusesUpToTheEndOfARetentionPayForRecalls() {
		use(3);
		this.engine.tickMillis(200);
		assertThat(retained()).isEmpty();
		use(1);
		recallAfter(0);
		recallAfter(0);
		use(1);
		assertThat(retained()).containsExactly(KEY);
	}

	@Test
	void reusesUpToAReleaseThatOthersWaitForPayForRecalls() {
		use(2);
		Lease lease = this.engine.lease(KEY, RETAINED);
		this.store.signals().contended(KEY);
		lease.close();
		assertThat(retained()).isEmpty();
		recallAfter(0);
		use(1);
		assertThat(retained()).containsExactly(KEY);
	}

	@Test
	void creditIsForgottenAfterAMinute() {
		recallAfter(3);
		this.engine.tick(Duration.ofSeconds(64));
		use(1);
		recallAfter(0);
		use(2);
		assertThat(retained()).isEmpty();
	}

	private void use(int times) {
		for (int i = 0; i < times; i++) {
			this.engine.lease(KEY, RETAINED).close();
		}
	}

	private void recallAfter(int reuses) {
		use(1 + reuses);
		assertThat(retained()).containsExactly(KEY);
		this.store.signals().contended(KEY);
		assertThat(retained()).isEmpty();
	}

	@Test
	void itEndsWhenSignalsAreLost() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.close();
		this.store.signals().listening(false);
		assertThat(commands()).last().isEqualTo(release(lease));
		use(2);
		assertThat(retained()).isEmpty();
	}

	@Test
	void nothingIsRetainedBeforeSignalsAreReceived() {
		ManualEngine other = new ManualEngine();
		other.store().deaf();
		other.lease(KEY, RETAINED).close();
		other.lease(KEY, RETAINED).close();
		assertThat(other.registry().retained()).isEmpty();
		assertThat(other.store().listenCount()).isOne();
		other.store().signals().listening(true);
		other.lease(KEY, RETAINED).close();
		other.lease(KEY, RETAINED).close();
		assertThat(other.registry().retained()).containsExactly(KEY);
	}

	@Test
	void keyThatWasAskedForBeforeSignalsAreReceivedIsNotRetained() {
		ManualEngine other = new ManualEngine();
		other.store().deaf();
		Lease first = other.lease(KEY, RETAINED);
		CompletableFuture<Lease> early = other.request(KEY, RETAINED);
		first.close();
		other.lease("other", RETAINED).close();
		other.tickMillis(1);
		other.store().signals().listening(true);
		early.join().close();
		assertThat(other.registry().retained()).as("others may wait").isEmpty();
	}

	@Test
	void itEndsAtAReconnect() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.close();
		this.store.connection().reconnected();
		this.engine.tickMillis(0);
		assertThat(retained()).isEmpty();
		assertThat(commands()).last().isEqualTo(release(lease));
	}

	@Test
	void forceReleaseEndsItWithoutALoss() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.close();
		this.store.signals().forced(KEY, lease.ownerId());
		assertThat(retained()).isEmpty();
		assertThat(this.engine.events().losses()).isEmpty();
		assertThat(this.engine.lease(KEY, RETAINED).ownerId()).isNotEqualTo(lease.ownerId());
	}

	@Test
	void stopEndsIt() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.close();
		this.engine.registry().stop();
		assertThat(commands()).last().isEqualTo(release(lease));
	}

	@Test
	void leaseThatNobodyUsedIsNotRetained() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, RETAINED);
		request.cancel(false);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(retained()).isEmpty();
		assertThat(commands()).last().isInstanceOf(Release.class);
	}

	@Test
	void leaseThatWasExtendedIsNotRetained() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		assertThat(lease.extend(Duration.ofMinutes(1))).isTrue();
		lease.close();
		assertThat(retained()).isEmpty();
	}

	@Test
	void leaseThatIsKeptIsNotRetained() {
		Lease lease = this.engine.lease(KEY, RETAINED);
		lease.holdAtLeast(Duration.ofSeconds(1));
		lease.close();
		assertThat(retained()).isEmpty();
		assertThat(commands()).last().isInstanceOf(List.class).asString().contains(Renew.class.getSimpleName());
	}

	// Of others

	@Test
	void whoeverTriesOnceRecallsWhatAnotherInstanceMayRetain() {
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:07", Duration.ofSeconds(30)));
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		assertThat(request).isNotDone();
		assertThat(acquire(0).enqueue()).isFalse();
		assertThat(acquire(1).enqueue()).as("joins, which tells the holder").isTrue();
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.signals().reserved(KEY);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoeverWaitsForLessThanThatRecallsItAsWell() {
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:07", Duration.ofSeconds(30)));
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE.withWaitTime(Duration.ofMillis(10)));
		this.engine.tickMillis(50);
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.signals().reserved(KEY);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void recallEndsInTimeAlthoughSignalsAreLost() {
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:07", Duration.ofSeconds(30)));
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(50);
		this.store.signals().listening(false);
		this.engine.tickMillis(52);
		assertThat(request).isCompletedExceptionally();
	}

	@Test
	void whatIsNotGivenBackIsBusy() {
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:07", Duration.ofSeconds(30)));
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(99);
		assertThat(request).isNotDone();
		this.engine.tickMillis(3);
		assertThat(request).failsWithin(Duration.ZERO)
			.withThrowableOfType(java.util.concurrent.ExecutionException.class)
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(acquire(2).enqueue()).isFalse();
		assertThat(commands()).last().isEqualTo(new Leave(KEY, INSTANCE));
	}

	@Test
	void whoeverTriesOnceWithoutSignalsAsksOnceMore() {
		ManualEngine other = new ManualEngine();
		other.store().deaf();
		other.store().acquires().answer((command) -> ScriptedStore.busy("other:07", Duration.ofSeconds(30)));
		CompletableFuture<Lease> request = other.request(KEY, ONCE);
		assertThat(other.store().acquires().commands()).extracting(Acquire::enqueue).containsExactly(false, true);
		other.store().acquires().answer((command) -> other.store().granted());
		other.tickMillis(102);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	@ParameterizedTest
	@ValueSource(strings = { "other:7", "other:10", "other" })
	void otherHoldersAreNotRecalled(String holder) {
		this.store.acquires().answer((command) -> ScriptedStore.busy(holder, Duration.ofSeconds(30)));
		assertThat(this.engine.request(KEY, ONCE)).isCompletedExceptionally();
		assertThat(commands()).hasSize(1);
	}

	@Test
	void whoeverTriesSeveralKeysOnceRecallsEachOfThem() {
		List<String> given = new ArrayList<>();
		this.store.jointAcquires()
			.answer((commands) -> new AcquireAllReply(List.of(), "a",
					ScriptedStore.busy("other:07", Duration.ofSeconds(30))));
		this.store.acquires().answer((command) -> {
			if (!command.enqueue()) {
				return ScriptedStore.busy("other:07", Duration.ofSeconds(30));
			}
			given.add(command.key());
			return this.store.granted();
		});
		CompletableFuture<List<Lease>> request = this.engine.registry().acquireAllAsync(List.of("a", "b"), ONCE);
		assertThat(request).isCompletedWithValueMatching((leases) -> leases.stream().allMatch(Lease::isValid));
		assertThat(given).containsExactly("a", "b");
	}

	@Test
	void tryLockOfAnotherInstanceGetsWhatNobodyUses() {
		SimulatedPlatform platform = new SimulatedPlatform(1);
		MemoryLockStore memory = MemoryStores.on(platform);
		DefaultLockRegistry first = new DefaultLockRegistry("first", memory, ManualEngine.settings(), List.of(),
				List.of(), platform);
		DefaultLockRegistry second = new DefaultLockRegistry("second", memory, ManualEngine.settings(), List.of(),
				List.of(), platform);
		for (int i = 0; i < 3; i++) {
			CompletableFuture<Lease> held = first.acquireAsync(KEY, RETAINED);
			platform.run();
			var unused = held.join().releaseAsync();
			platform.run();
		}
		assertThat(first.retained()).containsExactly(KEY);
		CompletableFuture<Lease> tried = second.acquireAsync(KEY, ONCE);
		platform.run();
		assertThat(tried).isCompletedWithValueMatching(Lease::isValid);
		assertThat(first.retained()).isEmpty();
		first.stop();
		second.stop();
	}

	// Misuse

	@Test
	void storeThatTellsNoHoldersIsRefused() {
		LockStore silent = mock(LockStore.class);
		given(silent.maxTtl()).willReturn(Duration.ofDays(1));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new DefaultLockRegistry("a", silent, ManualEngine.settings().withRetention(RETENTION),
					List.of(), List.of(), this.engine.time()))
			.withMessageContaining("retention");
		DefaultLockRegistry registry = new DefaultLockRegistry("a", silent, ManualEngine.settings(), List.of(),
				List.of(), this.engine.time());
		assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(KEY, RETAINED))
			.withMessageContaining("retention");
	}

	@Test
	void readWriteLockRetainsItsWriteLock() {
		LeasedReadWriteLock lock = this.engine.registry().obtainReadWrite(KEY, RETAINED);
		use(lock.writeLock());
		assertThat(retained()).containsExactly(KEY);
		use(lock.readLock());
		assertThat(retained()).isEmpty();
	}

	@Test
	void leaseThatIsNotRenewedBeyondItsTtlIsNotRetained() {
		for (LockOptions options : List.of(RETAINED.withRenew(false), RETAINED.withMaxHold(Duration.ofSeconds(10)))) {
			Lease lease = this.engine.lease(KEY, options);
			lease.close();
			assertThat(retained()).isEmpty();
		}
	}

	@Test
	void retentionAndWhatContradictsItIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> RETAINED.withMinHold(Duration.ofSeconds(1)))
			.withMessageContainingAll("retention", "minHold");
		assertThatIllegalArgumentException().isThrownBy(() -> RETAINED.withMode(LockMode.SHARED))
			.withMessageContainingAll("retention", "SHARED");
		assertThatIllegalArgumentException().isThrownBy(() -> RETAINED.withTtl(RETENTION))
			.withMessageContainingAll("retention", "ttl", "200 ms");
		assertThatIllegalArgumentException().isThrownBy(() -> this.engine.registry().permits(KEY, 2, RETAINED))
			.withMessageContainingAll("retention", "permit");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LockOptions.defaults().withRetention(Duration.ofMillis(-1)))
			.withMessageContaining("retention");
		assertThat(commands()).isEmpty();
	}

	private static void use(LeasedLock lock) {
		lock.lock();
		try {
			assertThat(lock.isHeldByCurrentThread()).isTrue();
		}
		finally {
			lock.unlock();
		}
	}

	private List<String> retained() {
		return this.engine.registry().retained();
	}

	private Release release(Lease lease) {
		return new Release(KEY, INSTANCE, lease.ownerId(), false);
	}

	private Acquire acquire(int index) {
		return commands().stream().filter(Acquire.class::isInstance).map(Acquire.class::cast).toList().get(index);
	}

	private List<Object> commands() {
		return this.store.journal().subList(this.commandsBefore, this.store.journal().size());
	}

}
