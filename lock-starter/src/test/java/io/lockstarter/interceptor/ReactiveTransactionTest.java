// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.time.Duration;

import io.lockstarter.LockLostException;
import io.lockstarter.LossCause;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.ReleasePhase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks that are taken inside a reactive transaction.
 */
class ReactiveTransactionTest {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final RecordingRegistry registry = new RecordingRegistry();

	private final LockedContext context = LockedContext.withClassProxies(this.registry, Work.class);

	private final Work work = this.context.bean(Work.class);

	private final TransactionalOperator transaction = TransactionalOperator.create(new Transactions());

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void lockIsReleasedAfterTheTransactionInWhichTheMethodWasCalled() {
		StepVerifier.create(this.work.auto("done").doOnSuccess(this::then).as(this.transaction::transactional))
			.expectNext("done")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired auto", "done", "commit", "released auto");
	}

	@Test
	void lockOfACallWithoutATransactionIsReleasedWithTheMethod() {
		StepVerifier.create(this.work.auto("done").doOnSuccess(this::then))
			.expectNext("done")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired auto", "released auto", "done");
	}

	@Test
	void lockIsAroundATransactionThatTheMethodBegins() {
		StepVerifier.create(this.work.within(this.transaction)).expectNext("done").expectComplete().verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("acquired within", "begin", "commit", "released within");
	}

	@Test
	void releaseWithTheMethodDoesNotWaitForTheTransaction() {
		StepVerifier.create(this.work.afterMethod().as(this.transaction::transactional))
			.expectNext("done")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired k", "released k", "commit");
	}

	@Test
	void releaseAfterTheTransactionIsPossibleWhereThereIsOne() {
		StepVerifier.create(this.work.afterTransaction().as(this.transaction::transactional))
			.expectNext("done")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired k", "commit", "released k");
	}

	@Test
	void lockIsReleasedAfterTheRollbackOfATransactionThatFails() {
		StepVerifier.create(
				this.work.auto("done").then(Mono.error(new IOException("later"))).as(this.transaction::transactional))
			.expectError(IOException.class)
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired auto", "rollback", "released auto");
	}

	@Test
	void transactionWhoseLockWasLostIsRolledBackAndFails() {
		StepVerifier.create(this.work.auto("done").doOnSuccess((value) -> lose()).as(this.transaction::transactional))
			.expectErrorSatisfies((failure) -> assertThat(failure).satisfiesAnyOf(
					(seen) -> assertThat(seen).isInstanceOf(LockLostException.class),
					(seen) -> assertThat(seen).hasCauseInstanceOf(LockLostException.class)))
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired auto", "rollback", "released auto");
	}

	@Test
	void cancelledTransactionIsRolledBackBeforeTheLockIsReleased() {
		Disposable subscription = this.work.never().as(this.transaction::transactional).subscribe();
		subscription.dispose();
		assertThat(this.registry.events).containsExactly("begin", "acquired never", "rollback", "released never");
	}

	@Test
	void callThatWasCancelledInATransactionThatGoesOnKeepsItsLockToTheCommit() {
		StepVerifier
			.create(this.work.never()
				.takeUntilOther(Mono.just("enough"))
				.switchIfEmpty(Mono.just("without"))
				.doOnSuccess(this::then)
				.as(this.transaction::transactional))
			.expectNext("without")
			.expectComplete()
			.verify(PATIENCE);
		// It was over before the lock was asked for.
		assertThat(this.registry.events).containsExactly("begin", "without", "commit");
		this.registry.events.clear();
		StepVerifier
			.create(Mono.firstWithValue(this.work.never(), Mono.just("first"))
				.doOnSuccess(this::then)
				.as(this.transaction::transactional))
			.expectNext("first")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired never", "first", "commit",
				"released never");
	}

	@Test
	void otherCallbacksStillRunUnderTheLock() {
		StepVerifier.create(this.work.auto("done").flatMap(this::registerCallback).as(this.transaction::transactional))
			.expectNext("done")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.registry.events).containsExactly("begin", "acquired auto", "commit", "callback",
				"released auto");
	}

	private Mono<String> registerCallback(String value) {
		return TransactionSynchronizationManager.forCurrentTransaction().map((manager) -> {
			manager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> afterCompletion(int status) {
					return Mono.fromRunnable(() -> then("callback"));
				}

			});
			return value;
		});
	}

	private void then(String event) {
		this.registry.events.add(event);
	}

	private void lose() {
		assertThat(this.registry.granted).isNotNull();
		this.registry.granted.lose(LossCause.EXPIRED);
	}

	static class Work {

		@DistributedLock("auto")
		public Mono<String> auto(String value) {
			return Mono.just(value);
		}

		@DistributedLock("within")
		public Mono<String> within(TransactionalOperator transaction) {
			return Mono.just("done").as(transaction::transactional);
		}

		@DistributedLock("never")
		public Mono<String> never() {
			return Mono.never();
		}

		@DistributedLock(key = "k", releasePhase = ReleasePhase.AFTER_METHOD)
		public Mono<String> afterMethod() {
			return Mono.just("done");
		}

		@DistributedLock(key = "k", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		public Mono<String> afterTransaction() {
			return Mono.just("done");
		}

	}

	/**
	 * Transactions of nothing, written into the same list as the locks.
	 */
	@SuppressWarnings("serial")
	private final class Transactions extends AbstractReactiveTransactionManager {

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.fromRunnable(() -> then("begin"));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> then("commit"));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> then("rollback"));
		}

	}

}
