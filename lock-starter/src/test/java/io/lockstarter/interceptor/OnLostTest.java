// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
import io.lockstarter.LossCause;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.interceptor.RecordingRegistry.GrantedLease;
import io.lockstarter.testkit.HeldCollections;
import io.lockstarter.testkit.PlainLockServices;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * What becomes of a blocking call whose lease is lost while its method runs.
 */
class OnLostTest {

	private final RecordingRegistry registry = new RecordingRegistry();

	private @Nullable LockFailureHandler handler;

	private final Jobs jobs = proxy();

	@AfterEach
	void noInterruptAndNoScopeIsLeft() {
		assertThat(Thread.interrupted()).as("interrupted").isFalse();
		assertThat(LockScope.find()).isEmpty();
		assertThat(HeldCollections.sizes(LossWatch.class)).containsEntry("LossWatch.INTERRUPTING", 0);
	}

	@Test
	void reportLetsTheMethodRunOnAndReturnsItsResult() throws Exception {
		assertThat(this.jobs.report(() -> {
			lose();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return "done";
		})).isEqualTo("done");
		assertThat(this.registry.events).containsExactly("acquired job", "released job");
	}

	@Test
	void reportThrowsWhatTheMethodThrows() throws Exception {
		assertThatIOException().isThrownBy(() -> this.jobs.report(() -> {
			lose();
			throw new IOException("own");
		})).withMessage("own").satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
	}

	@Test
	void failLetsTheMethodRunToItsEndAndThrows() throws Exception {
		StringBuilder done = new StringBuilder();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.fail(() -> {
			lose();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return done.append("to the end");
		})).satisfies((lost) -> {
			assertThat(lost.key()).isEqualTo("job");
			assertThat(lost.lossCause()).isEqualTo(LossCause.TAKEN);
			assertThat(lost.fencingToken()).isOne();
		});
		assertThat(done).hasToString("to the end");
	}

	@Test
	void failThrowsWhatTheMethodThrowsWithTheLossSuppressed() throws Exception {
		assertThatIOException().isThrownBy(() -> this.jobs.fail(() -> {
			lose();
			throw new IOException("own");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1));
	}

	@Test
	void lossIsSuppressedByWhatTheMethodThrewAndNotByItsCause() {
		CompletionException thrown = new CompletionException(new IOException("own"));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.jobs.fail(() -> {
			lose();
			throw thrown;
		})).isSameAs(thrown).satisfies((ex) -> {
			assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1);
			assertThat(ex.getCause()).hasNoSuppressedExceptions();
		});
	}

	@Test
	void failNoticesALossThatOnlyTheReleaseFinds() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.fail(() -> {
			granted().loseUnnoticed(LossCause.TAKEN);
			return "done";
		}));
	}

	@Test
	void interruptEndsABlockedMethodAtOnce() throws Exception {
		CountDownLatch never = new CountDownLatch(1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
			Thread loser = new Thread(this::lose);
			loser.start();
			assertThat(never.await(1, TimeUnit.MINUTES)).isTrue();
			return "done";
		})).satisfies((lost) -> assertThat(lost.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class));
	}

	@Test
	void interruptThatIsSwallowedFailsTheCallAllTheSame() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
			lose();
			assertThat(Thread.interrupted()).isTrue();
			return "done";
		})).satisfies((lost) -> assertThat(lost).hasNoSuppressedExceptions());
	}

	@Test
	void interruptThatIsNotNoticedDoesNotOutliveTheCall() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
			lose();
			return "done";
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void lossAfterTheMethodInterruptsNobody() throws Exception {
		assertThat(this.jobs.interrupt(() -> "done")).isEqualTo("done");
		lose();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfSomebodyElseIsLeftAlone() throws Exception {
		assertThat(this.jobs.interrupt(() -> {
			Thread.currentThread().interrupt();
			return "done";
		})).isEqualTo("done");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void lossThatTheMethodReportsItselfIsNotSuppressedByItself() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
			lose();
			LockScope.current().checkValid();
			return "not reached";
		}));
	}

	@Test
	void lossOfTheInnerLockInterruptsTheInnerMethodOnly() throws Exception {
		assertThat(this.jobs.interruptOther(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
				lose();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
				return "inner";
			}));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return "outer";
		})).isEqualTo("outer");
	}

	@Test
	void lossOfTheOuterLockIsNotHiddenByTheInnerMethodThatEndsInBetween() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interruptOther(() -> {
			GrantedLease outer = granted();
			assertThat(this.jobs.interrupt(() -> {
				outer.lose(LossCause.EXPIRED);
				return "inner";
			})).isEqualTo("inner");
			assertThat(Thread.currentThread().isInterrupted()).as("still to be noticed").isTrue();
			return "outer";
		})).satisfies((lost) -> assertThat(lost.key()).isEqualTo("other"));
	}

	@Test
	void lossOfBothLocksIsNoticedByBothMethods() throws Exception {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interruptOther(() -> {
			GrantedLease outer = granted();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
				lose();
				outer.lose(LossCause.EXPIRED);
				return "inner";
			})).satisfies((lost) -> assertThat(lost.key()).isEqualTo("job"));
			assertThat(Thread.currentThread().isInterrupted()).as("still to be noticed").isTrue();
			return "outer";
		})).satisfies((lost) -> assertThat(lost.key()).isEqualTo("other"));
	}

	@Test
	void leaseIsToldOnceHoweverOftenItIsHeld() throws Exception {
		this.registry.reentrant = true;
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
			for (int i = 0; i < 5; i++) {
				this.jobs.interrupt(() -> "again");
			}
			assertThat(granted().actions()).isOne();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupt(() -> {
				lose();
				return "inner";
			}));
			assertThat(Thread.currentThread().isInterrupted()).as("still to be noticed").isTrue();
			return "outer";
		}));
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIL", "INTERRUPT" })
	void handlerAnswersForALostCall(OnLost onLost) throws Exception {
		this.handler = (call, failure) -> "instead of %s of %s".formatted(failure.getClass().getSimpleName(),
				call.method().getName());
		Callable<String> losing = () -> {
			lose();
			return "done";
		};
		assertThat((onLost == OnLost.FAIL) ? this.jobs.fail(losing) : this.jobs.interrupt(losing))
			.isEqualTo("instead of LockLostException of " + ((onLost == OnLost.FAIL) ? "fail" : "interrupt"));
	}

	@Test
	void handlerIsNotAskedForAReportedLoss() throws Exception {
		this.handler = (call, failure) -> "handled";
		assertThat(this.jobs.report(() -> {
			lose();
			return "done";
		})).isEqualTo("done");
	}

	@Test
	void handlerMayThrowSomethingElse() throws Exception {
		this.handler = (call, failure) -> {
			throw new IOException(failure);
		};
		assertThatIOException().isThrownBy(() -> this.jobs.fail(() -> {
			lose();
			return "done";
		})).havingCause().isInstanceOf(LockLostException.class);
	}

	@Test
	void methodHasItsLeaseAtHand() throws Exception {
		this.jobs.report(() -> {
			assertThat(LockScope.current().fencingToken()).isOne();
			assertThat(LockScope.current().lease("job").isValid()).isTrue();
			this.jobs.interruptOther(() -> {
				assertThat(LockScope.current().fencingToken()).isEqualTo(2);
				LockScope.checkAll();
				return "inner";
			});
			assertThat(LockScope.current().fencingToken()).isOne();
			return "outer";
		});
	}

	private GrantedLease granted() {
		return Objects.requireNonNull(this.registry.granted);
	}

	private void lose() {
		granted().lose(LossCause.TAKEN);
	}

	private Jobs proxy() {
		ProxyFactory factory = new ProxyFactory(new Jobs());
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new DistributedLockAdvisor(new PlainLockServices(this.registry) {

			@Override
			public @Nullable LockFailureHandler failureHandler() {
				return OnLostTest.this.handler;
			}

		}, LockOptions.MAX_DURATION, new DefaultListableBeanFactory(), LockValidation.FAIL, 0));
		return (Jobs) factory.getProxy();
	}

	static class Jobs {

		@DistributedLock("job")
		public String report(Callable<?> action) throws Exception {
			return action.call().toString();
		}

		@DistributedLock(key = "job", onLost = OnLost.FAIL)
		public String fail(Callable<?> action) throws Exception {
			return action.call().toString();
		}

		@DistributedLock(key = "job", onLost = OnLost.INTERRUPT)
		public String interrupt(Callable<?> action) throws Exception {
			return action.call().toString();
		}

		@DistributedLock(key = "other", onLost = OnLost.INTERRUPT)
		public String interruptOther(Callable<?> action) throws Exception {
			return action.call().toString();
		}

	}

}
