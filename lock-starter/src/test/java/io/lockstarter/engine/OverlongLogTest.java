// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import io.lockstarter.store.LockStore.Busy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.lockstarter.engine.ManualEngine.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@ExtendWith(OutputCaptureExtension.class)
class OverlongLogTest {

	private static final Duration WARN_AFTER = Duration.ofSeconds(5);

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(10));

	private static final String TOO_LONG = "longer than 'distributed-lock.warn-after'";

	private final ManualEngine engine = new ManualEngine(settings(WARN_AFTER));

	@Test
	void holdThatIsTooLongIsLoggedOnceWithTheStackOfItsThread(CapturedOutput output) throws Exception {
		Lease lease = this.engine.registry().acquire(KEY, LockOptions.defaults());
		this.engine.tick(WARN_AFTER.minusMillis(1));
		assertThat(output).doesNotContain(TOO_LONG);
		this.engine.tickMillis(1);
		Thread holder = Thread.currentThread();
		assertThat(output)
			.contains("Lock '%s' (name unnamed, owner id %s, fencing token %d) is held for ".formatted(KEY,
					lease.ownerId(), lease.fencingToken()) + TOO_LONG)
			.contains("5000 ms, on thread '%s (#%d)'".formatted(holder.getName(), holder.getId()))
			.contains("\tat " + OverlongLogTest.class.getName() + ".holdThatIsTooLongIsLoggedOnce");
		this.engine.tick(Duration.ofHours(1));
		assertThat(lines(output)).hasSize(1);
	}

	@Test
	void holdThatEndsInTimeIsNotLogged(CapturedOutput output) {
		for (int i = 0; i < 10; i++) {
			Lease lease = this.engine.lease();
			this.engine.tick(WARN_AFTER.minusMillis(1));
			lease.close();
		}
		this.engine.tick(Duration.ofHours(1));
		assertThat(output).doesNotContain(TOO_LONG);
	}

	@Test
	void holdAfterAQuietTimeIsLoggedToo(CapturedOutput output) {
		this.engine.lease().close();
		this.engine.tick(Duration.ofHours(1));
		this.engine.lease();
		this.engine.tick(WARN_AFTER);
		assertThat(lines(output)).hasSize(1);
	}

	@Test
	void asynchronousHoldHasNoThread(CapturedOutput output) {
		this.engine.lease();
		this.engine.tick(WARN_AFTER);
		assertThat(lines(output)).singleElement()
			.asString()
			.contains("acquired asynchronously, without a thread")
			.doesNotContain("The thread that holds it");
	}

	@Test
	void threadThatEndedWithoutReleasingIsSaidToHaveEnded(CapturedOutput output) throws InterruptedException {
		Thread holder = new Thread(() -> this.engine.registry().obtain(KEY, LockOptions.defaults()).lock(),
				"forgetful");
		holder.start();
		holder.join();
		this.engine.tick(WARN_AFTER);
		assertThat(lines(output)).singleElement().asString().contains("on thread 'forgetful (#").contains("has ended");
	}

	@Test
	void virtualThreadIsNamedByItsIdAndItsStackIsLogged(CapturedOutput output) throws Exception {
		assumeTrue(Runtime.version().feature() >= 21, "JDK without virtual threads");
		CountDownLatch holding = new CountDownLatch(1);
		CountDownLatch logged = new CountDownLatch(1);
		Thread holder = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
			.invoke(null, (Runnable) () -> {
				this.engine.registry().obtain(KEY, LockOptions.defaults()).lock();
				stayHere(holding, logged);
			});
		assertThat(holding.await(30, TimeUnit.SECONDS)).isTrue();
		this.engine.tick(WARN_AFTER);
		logged.countDown();
		holder.join();
		assertThat(output).contains("on thread '(#%d)'".formatted(holder.getId()))
			.contains("\tat " + OverlongLogTest.class.getName() + ".stayHere");
	}

	@Test
	void waitForAnotherInstanceIsLoggedWithItsHolder(CapturedOutput output) {
		busy();
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		this.engine.tick(WARN_AFTER);
		assertThat(lines(output)).singleElement()
			.asString()
			.contains("A wait for lock '%s' (name unnamed) takes %s: 5000 ms, asynchronously".formatted(KEY, TOO_LONG))
			.contains("the lock is held by other:7, for at least 5000 ms");
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(lines(output)).hasSize(1);
		assertThat(waiting).isNotDone();
	}

	@Test
	void waitForAThreadOfThisJvmIsLoggedWithItsStack(CapturedOutput output) throws Exception {
		Lease lease = this.engine.registry().acquire(KEY, LockOptions.defaults());
		this.engine.tick(WARN_AFTER);
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		this.engine.tick(WARN_AFTER);
		assertThat(lines(output)).hasSize(2);
		String log = output.toString();
		assertThat(log.substring(log.indexOf("A wait for lock")))
			.contains("held by this instance (%s), on thread '%s".formatted(lease.ownerId(),
					Thread.currentThread().getName()))
			.contains("\tat " + OverlongLogTest.class.getName() + ".waitForAThreadOfThisJvmIsLogged");
		lease.close();
		assertThat(waiting).isCompleted();
	}

	@Test
	void waitThatEndsInTimeIsNotLogged(CapturedOutput output) {
		busy();
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT.withWaitTime(WARN_AFTER.minusMillis(1)));
		this.engine.tick(Duration.ofHours(1));
		assertThat(waiting).isCompletedExceptionally();
		assertThat(output).doesNotContain(TOO_LONG);
	}

	@Test
	void tenThousandThatAreTooLongAtOnceAreOneLineWithOneStack(CapturedOutput output) {
		for (int i = 0; i < 10_000; i++) {
			this.engine.lease("k" + i, LockOptions.defaults());
		}
		this.engine.tick(WARN_AFTER);
		assertThat(lines(output)).hasSize(1);
	}

	@Test
	void nothingIsWatchedUnlessAsked(CapturedOutput output) {
		ManualEngine silent = new ManualEngine();
		ManualEngine watching = new ManualEngine(settings(WARN_AFTER));
		silent.lease();
		watching.lease();
		assertThat(silent.time().scheduled()).isEqualTo(watching.time().scheduled() - 1);
		silent.tick(Duration.ofHours(10));
		assertThat(output).doesNotContain(TOO_LONG);
	}

	private void busy() {
		this.engine.store().acquires().answer((command) -> new Busy("other:7", Duration.ofHours(1)));
	}

	private static void stayHere(CountDownLatch holding, CountDownLatch logged) {
		holding.countDown();
		while (logged.getCount() > 0) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
	}

	private static List<String> lines(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains(TOO_LONG)).toList();
	}

	private static RegistrySettings settings(Duration warnAfter) {
		RegistrySettings settings = ManualEngine.settings();
		return settings.withReleaseMode(ReleaseMode.CONFIRMED).withWarnAfter(warnAfter);
	}

}
