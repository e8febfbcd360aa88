// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.Lease;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.log.ManualLog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class LoggingLockListenerTest {

	private final LoggingLockListener listener = new LoggingLockListener();

	private final Lease lease = mock();

	@BeforeEach
	void nameTheLease() {
		given(this.lease.key()).willReturn("stock:42");
		given(this.lease.fencingToken()).willReturn(7L);
		given(this.lease.isRenewed()).willReturn(true);
	}

	@Test
	void lossIsLoggedAtWarn(CapturedOutput output) {
		this.listener.lost(this.lease, LossCause.EXPIRED);
		assertThat(output).contains("WARN")
			.contains("Lock 'stock:42' was lost (EXPIRED, fencing token 7)")
			.contains("pauses")
			.doesNotContain("maxHold");
	}

	@Test
	void lossOfALeaseThatWasNotToBeRenewedIsPutDownToItsHolder(CapturedOutput output) {
		given(this.lease.isRenewed()).willReturn(false);
		this.listener.lost(this.lease, LossCause.EXPIRED);
		assertThat(output).contains("maxHold").doesNotContain("pauses").doesNotContain("outages");
	}

	@Test
	void lossToAnAnswerOfTheStoreIsNotPutDownToTime(CapturedOutput output) {
		this.listener.lost(this.lease, LossCause.TAKEN);
		assertThat(output).contains("(TAKEN, fencing token 7)").contains("deleted").doesNotContain("deadline");
	}

	@Test
	void unconfirmedReleaseIsLoggedAtWarnWithItsCause(CapturedOutput output) {
		this.listener.releaseUnconfirmed(this.lease, new LockStoreException("timed out", true, null));
		assertThat(output).contains("WARN")
			.contains("release of lock 'stock:42' (fencing token 7) was not confirmed")
			.contains("timed out");
	}

	@Test
	void tenThousandLocksThatAreLostAtOnceAreOneLineAndTheirNumber() {
		ManualLog log = new ManualLog();
		LoggingLockListener limited = new Limited(log);
		AtomicInteger number = new AtomicInteger();
		given(this.lease.key()).willAnswer((call) -> "stock:" + number);
		for (; number.get() < 10_000; number.incrementAndGet()) {
			limited.lost(this.lease, LossCause.TAKEN);
		}
		log.tick(Duration.ofSeconds(10));
		assertThat(log.lines()).hasSize(2);
		assertThat(log.lines().get(0)).startsWith("Lock 'stock:0' was lost (TAKEN, fencing token 7)");
		assertThat(log.lines().get(1)).isEqualTo("9999 more locks were lost (TAKEN) within 10 s: 'stock:1', 'stock:2', "
				+ "'stock:3', 'stock:4', 'stock:5' and others");
	}

	@Test
	void floodOfOneKindHidesNoOther() {
		ManualLog log = new ManualLog();
		LoggingLockListener limited = new Limited(log);
		limited.lost(this.lease, LossCause.TAKEN);
		limited.lost(this.lease, LossCause.EXPIRED);
		limited.releaseUnconfirmed(this.lease, new LockStoreException("timed out", true, null));
		limited.abandoned(this.lease);
		assertThat(log.lines()).hasSize(4);
	}

	@Test
	void whatWasCountedIsLoggedAtShutdown() {
		ManualLog log = new ManualLog();
		LoggingLockListener limited = new Limited(log);
		limited.abandoned(this.lease);
		limited.abandoned(this.lease);
		limited.destroy();
		assertThat(log.lines()).last().isEqualTo("1 more locks were still held at shutdown within 10 s: 'stock:42'");
	}

	@Test
	void clockThatWasSetBackIsLoggedAtWarn(CapturedOutput output) {
		this.listener.clockSetBack("stock:42", Duration.ofMinutes(61), Duration.ofHours(1));
		assertThat(output).contains("WARN")
			.contains("set back by 3600000 ms or more: lock 'stock:42'")
			.contains("stays for 3660000 ms");
	}

	private static final class Limited extends LoggingLockListener {

		private final ManualLog log;

		Limited(ManualLog log) {
			this.log = log;
		}

		@Override
		LimitedLog create(String summary) {
			return this.log.logs().apply(summary);
		}

	}

}
