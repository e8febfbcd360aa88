// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.LeasedLock;
import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.engine.RecordedEvents.Loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for leases that their holder renews for a time of its choice.
 */
class LeaseExtensionTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions RENEWED = LockOptions.defaults();

	private static final LockOptions ONCE = RENEWED.withRenew(false);

	private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

	/**
	 * Five minutes, less 1 % and 2 ms.
	 */
	private static final Duration FIVE_MINUTES_TERM = Duration.ofMillis(296_998);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	@Test
	void aLeaseWithoutRenewalIsHeldForTheGivenTime() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.tickMillis(20_000);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(ttls()).containsExactly(FIVE_MINUTES);
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
		this.engine.tick(FIVE_MINUTES_TERM.minusMillis(1));
		assertThat(lease.isValid()).isTrue();
		assertThat(lease.extend(Duration.ofSeconds(10))).isTrue();
		this.engine.tick(Duration.ofMillis(9_898));
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.EXPIRED, false));
	}

	@Test
	void theDeadlineIsCountedFromWhenTheExtensionWasSent() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		this.engine.tickMillis(1_000);
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM.minusMillis(1_000));
		this.store.renewals().last().answer(List.of(true));
		assertThat(extended).isCompletedWithValue(true);
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM.minusMillis(1_000));
	}

	@Test
	void anExtensionNeverShortens() {
		Lease lease = this.engine.lease(KEY, ONCE);
		lease.extend(FIVE_MINUTES);
		this.engine.tickMillis(1_000);
		assertThat(lease.extend(Duration.ofSeconds(1))).isTrue();
		assertThat(ttls()).containsExactly(FIVE_MINUTES, Duration.ofSeconds(299));
		assertThat(lease.remaining()).isGreaterThanOrEqualTo(FIVE_MINUTES_TERM.minusMillis(1_000));
	}

	@Test
	void theWatchdogGoesOnAndDoesNotShorten() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.engine.tickMillis(5_000);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		this.engine.tickMillis(10_000);
		assertThat(ttls()).containsExactly(FIVE_MINUTES, Duration.ofSeconds(290));
		this.engine.tickMillis(280_000);
		assertThat(ttls()).hasSize(30).endsWith(Duration.ofSeconds(30));
		this.engine.tick(FIVE_MINUTES);
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void anotherConnectionDoesNotShortenIt() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		lease.extend(FIVE_MINUTES);
		this.engine.tickMillis(1_000);
		this.store.connection().reconnected();
		this.engine.tickMillis(0);
		assertThat(ttls()).containsExactly(FIVE_MINUTES, Duration.ofSeconds(299));
	}

	@Test
	void aRenewalThatFollowsAnUnansweredExtensionDoesNotShortenIt() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.engine.tickMillis(9_000);
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		this.engine.tickMillis(1_000);
		assertThat(ttls()).containsExactly(FIVE_MINUTES, Duration.ofSeconds(299));
		this.store.renewals().call(0).answer(List.of(true));
		assertThat(extended).isCompletedWithValue(true);
	}

	@Test
	void aRenewedLeaseKeepsItsTtlAtLeast() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.engine.tickMillis(5_000);
		assertThat(lease.extend(Duration.ofSeconds(1))).isTrue();
		assertThat(ttls()).containsExactly(ManualEngine.TTL);
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM);
	}

	@Test
	void theMaximumHoldDoesNotLimitIt() {
		Lease lease = this.engine.lease(KEY, RENEWED.withMaxHold(Duration.ofSeconds(15)));
		this.engine.tickMillis(20_000);
		assertThat(lease.extend(Duration.ofSeconds(60))).isTrue();
		this.engine.tickMillis(59_000);
		assertThat(lease.isValid()).isTrue();
		this.engine.tickMillis(1_000);
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void aLeaseThatIsLostIsNotExtended() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(lease.extend(FIVE_MINUTES)).isFalse();
		assertThat(this.store.renewals().count()).isZero();
		assertThat(this.engine.events().losses()).hasSize(1);
	}

	@Test
	void aLeaseThatIsClosedIsNotExtended() {
		Lease lease = this.engine.lease(KEY, ONCE);
		lease.close();
		assertThat(lease.extendAsync(FIVE_MINUTES)).isCompletedWithValue(false);
		assertThat(this.store.renewals().count()).isZero();
	}

	@Test
	void aKeyThatIsNotOursAnyMoreIsLost() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.store.renewals().answer((commands) -> List.of(false));
		assertThat(lease.extend(FIVE_MINUTES)).isFalse();
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.TAKEN, false));
	}

	@Test
	void anAnswerAfterTheDeadlineComesTooLate() {
		Lease lease = this.engine.lease(KEY, ONCE.withTtl(Duration.ofSeconds(1)));
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		this.engine.tickMillis(999);
		this.store.renewals().last().answer(List.of(true));
		assertThat(extended).isCompletedWithValue(false);
		lease.close();
		assertThat(this.store.releases().count()).as("the store has it for five minutes").isOne();
	}

	@Test
	void whatMayHaveBeenExtendedIsReleasedUntilThatTimeIsOver() {
		Lease lease = this.engine.lease(KEY, ONCE);
		lease.extend(FIVE_MINUTES);
		this.store.releases().fail(new LockStoreException("refused", true, null));
		lease.close();
		this.engine.tick(Duration.ofMinutes(4));
		int before = this.store.releases().count();
		this.engine.tick(Duration.ofMinutes(2));
		assertThat(this.store.releases().count()).isGreaterThan(before);
	}

	@Test
	void anUnknownOutcomeShortensNothing() {
		Lease lease = this.engine.lease(KEY, ONCE);
		lease.extend(FIVE_MINUTES);
		this.store.renewals().fail(new LockStoreException("no answer", true, null));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(40)))
			.matches(LockStoreException::isOutcomeUnknown)
			.withMessageContaining("no answer");
		assertThat(ttls()).containsExactly(FIVE_MINUTES, FIVE_MINUTES);
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
	}

	@Test
	void anUnansweredExtensionFailsAfterTheCommandTimeout() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		this.engine.tickMillis(2_000);
		assertThat(extended).failsWithin(Duration.ZERO)
			.withThrowableOfType(java.util.concurrent.ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM.minusMillis(2_000));
	}

	@Test
	void aRenewalOfUnknownOutcomeMayStillShortenWhatIsConfirmed() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.store.renewals().hold();
		this.engine.tickMillis(10_000);
		this.store.renewals().last().fail(new IllegalStateException("connection lost"));
		this.store.renewals().answer((commands) -> List.of(true));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES))
			.matches(LockStoreException::isOutcomeUnknown)
			.withMessageContaining("a renewal before, whose outcome is unknown");
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM);
		this.engine.tickMillis(59_999);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		this.engine.tickMillis(1);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
	}

	@Test
	void aRenewalOfUnknownOutcomeMayShortenWhatWasSentBeforeItIsOver() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.store.renewals().hold();
		this.engine.tickMillis(10_000);
		this.store.renewals().last().fail(new IllegalStateException("connection lost"));
		this.store.renewals().answer((commands) -> List.of(true));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		this.engine.tickMillis(59_999);
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		var sent = this.store.renewals().last();
		this.engine.tickMillis(1);
		sent.answer(List.of(true));
		assertThat(extended).isCompletedExceptionally();
		assertThat(lease.remaining()).isLessThan(ManualEngine.TERM);
	}

	@Test
	void anotherConnectionLeavesADoubtAboutWhatWasSentSoonAfter() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.engine.tickMillis(10_000);
		this.store.connection().reordered(0, Duration.ZERO);
		this.engine.tickMillis(59_999);
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		var sent = this.store.renewals().last();
		this.engine.tickMillis(1);
		sent.answer(List.of(true));
		assertThat(extended).isCompletedExceptionally();
	}

	@Test
	void anotherConnectionLeavesNoDoubtAboutWhatWasNeverRenewed() {
		Lease lease = this.engine.lease(KEY, ONCE);
		Lease shared = this.engine.lease("shared", ONCE.withMode(LockMode.SHARED));
		this.store.connection().reordered(this.store.partition(KEY), Duration.ZERO);
		this.engine.tickMillis(1);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(shared.extend(FIVE_MINUTES)).isTrue();
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
		this.store.connection().reordered(this.store.partition(KEY), Duration.ZERO);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES.plusMillis(1)));
	}

	@Test
	void afterAnotherConnectionOnlyTheTtlCounts() {
		Lease lease = this.engine.lease(KEY, ONCE);
		lease.extend(ManualEngine.TTL);
		this.store.connection().reordered(0, Duration.ZERO);
		this.engine.tickMillis(1_000);
		assertThat(lease.extend(ManualEngine.TTL)).as("no longer than any command before").isTrue();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM);
		for (int i = 0; i < 5; i++) {
			this.engine.tickMillis(25_000);
			assertThat(lease.extend(ManualEngine.TTL)).isTrue();
		}
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
	}

	@Test
	void anotherConnectionLeavesNoDoubtAboutWhatIsAcquiredAfterIt() {
		this.engine.lease("first", ONCE).close();
		this.store.connection().reordered(0, Duration.ZERO);
		this.engine.tickMillis(1);
		Lease lease = this.engine.lease(KEY, ONCE);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
	}

	@Test
	void anotherConnectionLeavesNoDoubtAboutWhatWasAcquiredAfterItWhoeverTellsOfItLater() {
		this.engine.lease("first", ONCE).close();
		this.engine.tickMillis(10_000);
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.tickMillis(1_000);
		lease.extend(ManualEngine.TTL);
		this.engine.tickMillis(1_000);
		this.store.connection().reordered(0, Duration.ofMillis(1_001));
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		this.store.connection().reordered(0, Duration.ofSeconds(1));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES.plusMillis(1)));
	}

	@Test
	void anotherConnectionLeavesADoubtAboutWhatIsLongerThanAShorterExtensionBefore() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.tickMillis(25_000);
		assertThat(lease.extend(Duration.ofSeconds(10))).isTrue();
		this.store.connection().reordered(0, Duration.ZERO);
		this.engine.tickMillis(1);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(20)));
	}

	@Test
	void anotherConnectionLeavesADoubtAboutAnOwnerIdThatAcquiresAgain() {
		this.store.acquires().answer((command) -> this.store.granted(1, false));
		Lease first = this.engine.lease(KEY, ONCE);
		CompletableFuture<Lease> next = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(1);
		this.store.connection().reordered(0, Duration.ZERO);
		this.engine.tickMillis(1);
		first.close();
		Lease prolonged = next.join();
		assertThat(prolonged.ownerId()).isEqualTo(first.ownerId());
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> prolonged.extend(FIVE_MINUTES));
	}

	@Test
	void anotherConnectionLeavesNoDoubtAboutOtherPartsOfTheStore() {
		this.store.parts(6);
		this.store.partitions((key) -> key.equals(KEY) ? 3 : 5);
		Lease lease = this.engine.lease(KEY, ONCE);
		Lease other = this.engine.lease("other", ONCE);
		lease.extend(ManualEngine.TTL);
		other.extend(ManualEngine.TTL);
		this.store.connection().reordered(5, Duration.ZERO);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> other.extend(FIVE_MINUTES));
	}

	@Test
	void aRenewalThatHadNoEffectLeavesNoDoubt() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.store.renewals().fail(new LockStoreException("read only", false, null));
		this.engine.tickMillis(10_000);
		this.store.renewals().answer((commands) -> List.of(true));
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(lease.remaining()).isEqualTo(FIVE_MINUTES_TERM);
	}

	static Stream<Named<Consumer<ScriptedStore>>> unknownOutcomes() {
		return Stream.of(
				Named.of("no answer",
						(store) -> store.renewals().fail(new LockStoreException("no answer", true, null))),
				Named.of("an answer that does not tell",
						(store) -> store.renewals().answer((commands) -> Collections.singletonList(null))));
	}

	@ParameterizedTest
	@MethodSource("unknownOutcomes")
	void anExtensionOfUnknownOutcomeMayShortenALongerOneAfterIt(Consumer<ScriptedStore> outcome) {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.tickMillis(25_000);
		outcome.accept(this.store);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(10)));
		this.store.renewals().answer((commands) -> List.of(true));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES))
			.matches(LockStoreException::isOutcomeUnknown)
			.withMessageContaining("may yet set a shorter ttl");
		assertThat(lease.remaining()).as("of ten seconds").isEqualTo(Duration.ofMillis(9_898));
	}

	@ParameterizedTest
	@MethodSource("unknownOutcomes")
	void aRenewalOfUnknownOutcomeMayShortenALongerOneAfterIt(Consumer<ScriptedStore> outcome) {
		Lease lease = this.engine.lease(KEY, RENEWED);
		outcome.accept(this.store);
		this.engine.tickMillis(10_000);
		this.store.renewals().answer((commands) -> List.of(true));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM);
	}

	@Test
	void ofSeveralUnknownOutcomesTheShortestMayStillBeSet() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.tickMillis(25_000);
		this.store.renewals().fail(new LockStoreException("no answer", true, null));
		for (int seconds : new int[] { 10, 20 }) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> lease.extend(Duration.ofSeconds(seconds)));
		}
		this.store.renewals().answer((commands) -> List.of(true));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		assertThat(lease.remaining()).as("of ten seconds").isEqualTo(Duration.ofMillis(9_898));
	}

	@Test
	void eachUnknownOutcomeMayBeSetForAMinute() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		for (int i = 0; i < 2; i++) {
			this.store.renewals().fail(new LockStoreException("no answer", true, null));
			this.engine.tickMillis(15_000);
			this.store.renewals().answer((commands) -> List.of(true));
			this.engine.tickMillis(25_000);
		}
		this.engine.tickMillis(30_000);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		this.engine.tickMillis(15_000);
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
	}

	@Test
	void anotherConnectionLeavesADoubtAboutARenewalThatIsLongerThanOneBefore() {
		Lease lease = this.engine.lease(KEY, RENEWED);
		this.engine.tickMillis(10_000);
		this.store.renewals().fail(new LockStoreException("read only", false, null));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(FIVE_MINUTES));
		this.store.renewals().answer((commands) -> List.of(true));
		this.store.connection().reordered(0, Duration.ZERO);
		this.engine.tickMillis(10_000);
		assertThat(ttls()).endsWith(Duration.ofSeconds(290));
		assertThat(lease.remaining()).as("the renewal before may be executed once more").isEqualTo(ManualEngine.TERM);
	}

	@Test
	void theNextHolderInThisProcessGetsAnOwnerIdOfItsOwn() {
		this.engine.startListening();
		Lease lease = this.engine.lease(KEY, RENEWED);
		CompletableFuture<Lease> waiting = this.engine.request(KEY, RENEWED);
		lease.extend(FIVE_MINUTES);
		lease.close();
		assertThat(waiting.join().ownerId()).isNotEqualTo(lease.ownerId());
		assertThat(waiting.join().remaining()).isEqualTo(ManualEngine.TERM);
		assertThat(waiting.join().fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void anExtensionThatIsUnderWayDoesNotReachTheNextHolder() {
		this.engine.startListening();
		Lease lease = this.engine.lease(KEY, RENEWED);
		CompletableFuture<Lease> waiting = this.engine.request(KEY, RENEWED);
		this.store.renewals().hold();
		CompletableFuture<Boolean> extended = lease.extendAsync(FIVE_MINUTES);
		lease.close();
		this.store.renewals().last().answer(List.of(true));
		assertThat(extended).isCompletedWithValue(false);
		assertThat(waiting.join().remaining()).isEqualTo(ManualEngine.TERM);
	}

	@Test
	void theKeyIsFreeOnceTheExtensionIsOver() {
		this.store.actsAs(this.engine.memoryStore());
		Lease lease = this.engine.lease(KEY, ONCE);
		lease.extend(Duration.ofMinutes(1));
		this.engine.tickMillis(59_000);
		assertThat(this.engine.request(KEY, ONCE.withWaitTime(Duration.ZERO))).isCompletedExceptionally();
		this.engine.tickMillis(1_001);
		assertThat(this.engine.lease(KEY, ONCE.withWaitTime(Duration.ZERO)).isValid()).isTrue();
	}

	@Test
	void aRenewalForALeaseThatEndedSinceTheSweepIsNotSent() {
		List<Lease> leases = IntStream.rangeClosed(0, LockStore.MAX_BATCH)
			.mapToObj((i) -> this.engine.lease(KEY + i, RENEWED))
			.toList();
		AtomicBoolean swept = new AtomicBoolean();
		this.store.renewals().answer((commands) -> {
			if (swept.compareAndSet(false, true)) {
				leases.forEach(Lease::close);
				leases.forEach((lease) -> this.engine.lease(lease.key(), ONCE).extend(FIVE_MINUTES));
			}
			return commands.stream().map((command) -> true).toList();
		});
		this.engine.tickMillis(10_000);
		assertThat(this.store.renewals().commands().stream().flatMap(List::stream).map(Renew::ttl))
			.as("the first batch")
			.filteredOn(ManualEngine.TTL::equals)
			.hasSize(LockStore.MAX_BATCH);
	}

	@Test
	void aLockExtendsTheLeaseOfItsThread() {
		LeasedLock lock = this.engine.registry().obtain(KEY, ONCE);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.extend(FIVE_MINUTES));
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.extend(FIVE_MINUTES)).isTrue();
		assertThat(lock.lease().remaining()).isEqualTo(FIVE_MINUTES_TERM);
		this.engine.time().pause(FIVE_MINUTES);
		assertThat(lock.extend(FIVE_MINUTES)).isFalse();
	}

	@Test
	void aLockOfSeveralKeysExtendsAllLeases() {
		LeasedLock lock = this.engine.registry().obtainAll(List.of("a", "b"), ONCE);
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.extend(FIVE_MINUTES)).isTrue();
		assertThat(lock.leases()).extracting(Lease::remaining).containsExactly(FIVE_MINUTES_TERM, FIVE_MINUTES_TERM);
		this.store.renewals()
			.forward((commands) -> commands.get(0).key().equals("a")
					? CompletableFuture.failedFuture(new LockStoreException("down", true, null))
					: CompletableFuture.completedFuture(List.of(true)));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lock.extend(FIVE_MINUTES));
		this.store.renewals()
			.forward((commands) -> commands.get(0).key().equals("a")
					? CompletableFuture.failedFuture(new LockStoreException("down", true, null))
					: CompletableFuture.completedFuture(List.of(false)));
		assertThat(lock.extend(FIVE_MINUTES)).as("a loss is certain").isFalse();
	}

	@Test
	void anInterruptDoesNotEndTheWaitForTheAnswer() {
		Lease lease = this.engine.lease(KEY, ONCE);
		Thread.currentThread().interrupt();
		assertThat(lease.extend(FIVE_MINUTES)).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.009S", "-PT1S", "P366D" })
	void aTtlOutOfRangeIsRefused(Duration ttl) {
		Lease lease = this.engine.lease(KEY, ONCE);
		assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(ttl)).withMessageContaining("ttl");
		assertThatIllegalArgumentException().isThrownBy(() -> lease.extendAsync(ttl)).withMessageContaining("ttl");
		assertThat(this.store.renewals().count()).isZero();
	}

	@Test
	@SuppressWarnings("NullAway")
	void aTtlIsNeeded() {
		Lease lease = this.engine.lease(KEY, ONCE);
		assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(null)).withMessageContaining("ttl");
		assertThatIllegalArgumentException().isThrownBy(() -> lease.holdAtLeast(null)).withMessageContaining("minHold");
	}

	@Test
	void theMinimumHoldCanBeChosenWhileTheLeaseIsHeld() {
		Lease lease = this.engine.lease(KEY, ONCE);
		this.engine.tickMillis(10_000);
		lease.holdAtLeast(Duration.ofMinutes(2));
		lease.close();
		assertThat(ttls()).containsExactly(Duration.ofMinutes(2));
		assertThat(this.store.releases().count()).isZero();
	}

	@Test
	void theMinimumHoldIsAtMostTheLongestTtlOfTheStore() {
		this.store.maxTtl(Duration.ofMinutes(1));
		Lease lease = this.engine.lease(KEY, ONCE.withMinHold(Duration.ofMinutes(1)));
		assertThatIllegalArgumentException().isThrownBy(() -> lease.holdAtLeast(Duration.ofMillis(60_001)))
			.withMessageStartingWith("minHold must be at most 1 min");
		LockOptions longer = ONCE.withMinHold(Duration.ofMillis(60_001));
		assertThatIllegalArgumentException().isThrownBy(() -> this.engine.registry().obtain("other", longer))
			.withMessageStartingWith("minHold must be at most 1 min");
	}

	@Test
	void aLeaseThatIsSharedHasNoMinimumHold() {
		Lease lease = this.engine.lease(KEY, ONCE.withMode(LockMode.SHARED));
		lease.holdAtLeast(Duration.ZERO);
		assertThatIllegalArgumentException().isThrownBy(() -> lease.holdAtLeast(Duration.ofSeconds(5)))
			.withMessageContaining("shared");
		lease.close();
		lease.holdAtLeast(Duration.ofSeconds(5));
	}

	@Test
	void theMinimumHoldCanBeGivenUp() {
		Lease lease = this.engine.lease(KEY, ONCE.withMinHold(Duration.ofMinutes(2)));
		lease.holdAtLeast(Duration.ZERO);
		lease.close();
		assertThat(this.store.releases().count()).isOne();
		assertThat(this.store.renewals().count()).isZero();
	}

	private List<Duration> ttls() {
		return this.store.renewals()
			.commands()
			.stream()
			.flatMap(List::stream)
			.filter((command) -> command.key().equals(KEY))
			.map(Renew::ttl)
			.toList();
	}

}
