// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LeasedReadWriteLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.ReleaseMode;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore.Renew;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The read lock and the write lock of a key: reentrancy, downgrade and upgrade.
 */
@SuppressWarnings("LockNotBeforeTry") // what is between them is the test
class LeasedReadWriteLockTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final LockOptions SHARED = OPTIONS.withMode(LockMode.SHARED);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final MemoryLockStore truth = this.engine.memoryStore();

	private final DefaultLockRegistry registry = this.engine.registry();

	private final LeasedReadWriteLock lock = this.registry.obtainReadWrite(KEY);

	@BeforeEach
	void actAsAStore() {
		this.engine.startListening();
		this.store.actsAs(this.truth);
		this.truth.listen(ManualEngine.INSTANCE, this.store.signals());
	}

	@Test
	void theReadLockIsHeldByManyThreads() {
		this.lock.readLock().lock();
		assertThat(inAnotherThread(this.lock.readLock())).isTrue();
		assertThat(inAnotherThread(this.lock.writeLock())).isFalse();
		this.lock.readLock().unlock();
		assertThat(inAnotherThread(this.lock.writeLock())).isTrue();
	}

	@Test
	void theWriteLockIsHeldAlone() {
		this.lock.writeLock().lock();
		assertThat(inAnotherThread(this.lock.readLock())).isFalse();
		assertThat(inAnotherThread(this.lock.writeLock())).isFalse();
		this.lock.writeLock().unlock();
		assertThat(inAnotherThread(this.lock.readLock())).isTrue();
	}

	@Test
	void theWriteLockIsTheLockOfTheKey() {
		LeasedLock plain = this.registry.obtain(KEY);
		plain.lock();
		assertThat(this.lock.writeLock().holdCount()).isEqualTo(1);
		assertThat(this.lock.writeLock()).isEqualTo(plain);
		assertThat(inAnotherThread(this.lock.readLock())).isFalse();
		this.lock.writeLock().unlock();
		assertThat(plain.isHeldByCurrentThread()).isFalse();
	}

	@Test
	void bothAreReentrant() {
		for (LeasedLock each : List.of(this.lock.readLock(), this.lock.writeLock())) {
			each.lock();
			each.lock();
			assertThat(each.holdCount()).isEqualTo(2);
			each.unlock();
			assertThat(each.isHeldByCurrentThread()).isTrue();
			each.unlock();
			assertThat(each.isHeldByCurrentThread()).isFalse();
			assertThat(holders()).isEmpty();
		}
	}

	@Test
	void aThreadThatReadsAgainIsNotBlockedByOneThatWaitsToWrite() {
		this.lock.readLock().lock();
		CompletableFuture<Lease> writer = this.engine.request(KEY, OPTIONS);
		assertThat(this.lock.readLock().tryLock()).isTrue();
		assertThat(writer).isNotDone();
		this.lock.readLock().unlock();
		this.lock.readLock().unlock();
		assertThat(writer).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void aReadLockCannotBecomeTheWriteLock() throws InterruptedException {
		this.lock.readLock().lock();
		int commands = this.store.journal().size();
		for (LeasedLock exclusive : List.of(this.lock.writeLock(), this.registry.obtain(KEY))) {
			assertThatIllegalStateException().isThrownBy(exclusive::lock)
				.withMessageContaining(KEY)
				.withMessageContaining("shared by thread");
			assertThatIllegalStateException().isThrownBy(exclusive::lockInterruptibly);
			assertThatIllegalStateException().isThrownBy(exclusive::acquire);
			assertThat(exclusive.tryLock()).as("as in the JDK").isFalse();
			assertThat(exclusive.tryLock(1, TimeUnit.SECONDS)).isFalse();
		}
		assertThatIllegalStateException().isThrownBy(() -> this.registry.run(KEY, OPTIONS, (scope) -> {
		}));
		assertThat(this.registry.tryCall(KEY, OPTIONS, (scope) -> 1)).isEmpty();
		assertThat(this.store.journal()).as("before any command").hasSize(commands);
		assertThat(this.lock.readLock().holdCount()).isEqualTo(1);
	}

	@Test
	void readLocksOfSeveralKeysCannotBecomeWriteLocks() throws InterruptedException {
		this.lock.readLock().lock();
		LeasedLock both = this.registry.obtainAll(List.of("another", KEY), OPTIONS);
		assertThatIllegalStateException().isThrownBy(both::lock);
		assertThatIllegalStateException().isThrownBy(both::lockInterruptibly);
		assertThat(both.tryLock()).isFalse();
		assertThat(both.tryLock(1, TimeUnit.SECONDS)).isFalse();
		assertThat(this.registry.held()).hasSize(1);
	}

	@Test
	void whoLostTheReadLockIsToldSoWhateverItAsksFor() {
		this.lock.readLock().lock();
		this.engine.time().pause(ManualEngine.TTL);
		LeasedLock both = this.registry.obtainAll(List.of("another", KEY), OPTIONS);
		for (LeasedLock each : List.of(this.lock.readLock(), this.lock.writeLock(), both)) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(each::lock);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(each::lockInterruptibly);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(each::acquire);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(each::tryLock);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> each.tryLock(1, TimeUnit.SECONDS));
		}
	}

	@Test
	void aWriteLockThatIsReleasedBeforeTheReadLockIsDowngraded() {
		this.lock.writeLock().lock();
		Lease lease = this.lock.writeLock().lease();
		CompletableFuture<Lease> reader = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> writer = this.engine.request(KEY, OPTIONS.withWaitTime(LockOptions.UNLIMITED));
		this.lock.readLock().lock();
		assertThat(reader).isNotDone();
		this.lock.writeLock().unlock();
		assertThat(this.lock.writeLock().isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.readLock().lease()).isSameAs(lease);
		assertThat(lease.isValid()).isTrue();
		assertThat(reader).as("who waits to read").isCompletedWithValueMatching(Lease::isValid);
		assertThat(writer).as("who waits to write").isNotDone();
		this.engine.tick(Duration.ofMinutes(2));
		assertThat(lease.isValid()).as("renewed").isTrue();
		assertThat(inAnotherThread(this.registry.obtain(KEY))).isFalse();
		reader.join().close();
		this.lock.readLock().unlock();
		this.engine.tickMillis(300);
		assertThat(writer).isCompletedWithValueMatching((granted) -> granted.fencingToken() > lease.fencingToken());
	}

	@Test
	void aWriteLockThatIsNotRenewedIsDowngradedForWhatIsLeftOfItsTtl() {
		LeasedReadWriteLock once = this.registry.obtainReadWrite(KEY, OPTIONS.withRenew(false));
		once.writeLock().lock();
		once.readLock().lock();
		this.engine.tick(ManualEngine.TTL.dividedBy(2));
		once.writeLock().unlock();
		assertThat(once.readLock().lease().isValid()).isTrue();
		assertThat(inAnotherThread(this.registry.obtain(KEY))).isFalse();
		this.engine.tick(ManualEngine.TTL.dividedBy(2).plusMillis(1));
		assertThat(once.readLock().lease().isValid()).isFalse();
		assertThat(holders()).isEmpty();
	}

	@Test
	void aReadLockThatIsReleasedBeforeTheWriteLockLeavesThat() {
		this.lock.writeLock().lock();
		this.lock.readLock().lock();
		this.lock.readLock().unlock();
		assertThat(this.store.shares().commands()).isEmpty();
		assertThat(inAnotherThread(this.lock.readLock())).isFalse();
		this.lock.writeLock().unlock();
		assertThat(holders()).isEmpty();
	}

	@Test
	void aDowngradeOfUnknownOutcomeLetsNobodyIn() {
		this.lock.writeLock().lock();
		this.lock.readLock().lock();
		this.store.shares().fail(new LockStoreException("no answer", true, null));
		CompletableFuture<Lease> reader = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> writer = this.engine.request(KEY, OPTIONS);
		this.lock.writeLock().unlock();
		assertThat(this.lock.readLock().lease().isValid()).isTrue();
		assertThat(List.of(reader, writer)).noneMatch(CompletableFuture::isDone);
		String downgraded = this.lock.readLock().lease().ownerId();
		this.lock.readLock().unlock();
		assertThat(reader).as("by an acquisition of its own")
			.isCompletedWithValueMatching((lease) -> lease.isValid() && !lease.ownerId().equals(downgraded));
		assertThat(writer).isNotDone();
	}

	@Test
	void aDowngradeOfALockThatIsGoneIsALoss() {
		this.lock.writeLock().lock();
		this.lock.readLock().lock();
		LossCause[] cause = new LossCause[1];
		this.lock.readLock().lease().onLost((lost) -> cause[0] = lost);
		this.store.shares().answer((command) -> false);
		this.lock.writeLock().unlock();
		assertThat(cause).containsExactly(LossCause.TAKEN);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock.readLock()::unlock);
	}

	@Test
	void aDowngradeEndsAMinimumHold() {
		LeasedLock alone = this.registry.obtain(KEY, OPTIONS.withMinHold(Duration.ofMinutes(1)));
		alone.lock();
		this.lock.readLock().lock();
		alone.unlock();
		assertThat(this.store.shares().commands()).singleElement().extracting(Renew::key).isEqualTo(KEY);
		this.lock.readLock().unlock();
		assertThat(holders()).isEmpty();
	}

	@Test
	void aLeaseThatIsReleasedWhileItIsDowngradedIsNotHandedOn() {
		this.store.shares().hold();
		LeasedReadWriteLock unconfirmed = this.registry.obtainReadWrite(KEY,
				OPTIONS.withReleaseMode(ReleaseMode.ASYNC));
		unconfirmed.writeLock().lock();
		String ownerId = unconfirmed.writeLock().lease().ownerId();
		unconfirmed.readLock().lock();
		unconfirmed.writeLock().unlock();
		CompletableFuture<Lease> writer = this.engine.request(KEY, OPTIONS);
		unconfirmed.readLock().unlock();
		assertThat(writer).isCompletedWithValueMatching((lease) -> !lease.ownerId().equals(ownerId));
		this.store.shares().last().answer(true);
		assertThat(writer.join().isValid()).isTrue();
		assertThat(inAnotherThread(this.lock.readLock())).isFalse();
	}

	@Test
	void optionsThatOnlyOneOfThemCanHaveAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.registry.obtainReadWrite(KEY, OPTIONS.withMinHold(Duration.ofSeconds(1))))
			.withMessageContaining("minHold");
	}

	@Test
	void locksOfOtherHoldersAndPrefixesAreReadWriteLocksToo() {
		LeasedReadWriteLock first = this.registry.withHolder("first").withPrefix("stock:").obtainReadWrite("42");
		LeasedReadWriteLock second = this.registry.withHolder("second").withPrefix("stock:").obtainReadWrite("42");
		first.readLock().lock();
		second.readLock().lock();
		assertThat(first.readLock().lease().key()).isEqualTo(KEY);
		assertThat(this.lock.writeLock().tryLock()).isFalse();
		assertThat(first.writeLock().tryLock()).isFalse();
		assertThatIllegalStateException().isThrownBy(first.writeLock()::lock).withMessageContaining("holder 'first'");
		first.readLock().unlock();
		second.readLock().unlock();
		assertThat(this.lock.writeLock().tryLock()).isTrue();
	}

	private boolean inAnotherThread(LeasedLock each) {
		return Caller.start(() -> {
			boolean acquired = each.tryLock();
			if (acquired) {
				each.unlock();
			}
			return acquired;
		}).value();
	}

	private List<String> holders() {
		return this.truth.inspect(KEY).join().lock().ownerIds();
	}

}
