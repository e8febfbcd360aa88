// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * For a moment there is no thread or no memory left, wherever an election is by then.
 * Afterwards it stands again, its listeners know what happened, and no lease is left.
 */
@SuppressWarnings("FutureReturnValueIgnored") // stubbed calls of a mock
class LeaderWithoutThreadsTest {

	private final LockRegistry registry = mock();

	private final ManualElection manual = new ManualElection(this.registry, "reports", LockOptions.defaults());

	private final LeaderElection election = this.manual.election();

	private final List<CompletableFuture<Lease>> attempts = new ArrayList<>();

	private final List<ScriptedLease> leases = new ArrayList<>();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter.leader");

	private int calls;

	private int first = Integer.MAX_VALUE;

	private int last;

	@BeforeEach
	void script() {
		this.logger.setLevel(Level.OFF);
		this.manual.beforeUse(this::call);
		this.election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(String role, LeaseInfo lease) {
				call();
			}

			@Override
			public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
				call();
			}

		});
		given(this.registry.acquireAsync(any(), any())).willAnswer((invocation) -> {
			call();
			CompletableFuture<Lease> attempt = new CompletableFuture<>();
			this.attempts.add(attempt);
			return attempt;
		});
	}

	@AfterEach
	void expectErrorsNoMore() {
		this.logger.setLevel(null);
	}

	static IntStream calls() {
		return IntStream.rangeClosed(1, 46);
	}

	/**
	 * The n-th call of the timer, the registry, a lease or a listener fails.
	 */
	@ParameterizedTest
	@MethodSource("calls")
	void electionOutlivesAnErrorAnywhere(int failing) {
		outlive(failing, failing);
	}

	/**
	 * The n-th call fails, and so do those that follow, for as many calls again.
	 */
	@ParameterizedTest
	@MethodSource("calls")
	void electionOutlivesErrorsFromSomewhereOn(int failing) {
		outlive(failing, 2 * failing);
	}

	private void outlive(int firstFailing, int lastFailing) {
		this.first = firstFailing;
		this.last = lastFailing;
		start();
		leadAnd((lease) -> lease.lose(LossCause.TAKEN));
		leadAnd((lease) -> this.election.yieldLeadership());
		answer((attempt) -> attempt.completeExceptionally(new IllegalStateException("planted")));
		leadAnd((lease) -> this.election.stop());
		start();
		leadAnd((lease) -> lease.lose(LossCause.FORCED));
		this.first = Integer.MAX_VALUE;
		leadAnd((lease) -> this.election.stop());
		assertThat(this.manual.hasThread()).isFalse();
		assertThat(this.attempts).isEmpty();
		assertThat(this.leases).allMatch((lease) -> !lease.isValid());
		List<String> expected = new ArrayList<>();
		this.leases.forEach((lease) -> {
			expected.add("granted reports " + lease.fencingToken());
			expected.add("revoked reports " + lease.fencingToken());
		});
		assertThat(this.manual.events()).extracting((event) -> event.substring(0, "granted reports N".length()))
			.isEqualTo(expected);
	}

	@Test
	void everyCallIsAmongThoseThatFail() {
		outlive(Integer.MAX_VALUE, 0);
		assertThat(this.calls).isEqualTo(46);
	}

	@Test
	void leaderWhoseLossIsToldToNobodyStandsAgain() {
		start();
		CompletableFuture<Lease> attempt = this.attempts.remove(0);
		ScriptedLease lease = new ScriptedLease(1);
		attempt.complete(lease);
		lease.expire();
		this.manual.passLook();
		assertThat(this.manual.events()).containsExactly("granted reports 1", "revoked reports 1 EXPIRED");
		this.manual.passLook();
		assertThat(this.attempts).hasSize(1);
	}

	private void call() {
		this.calls++;
		if (this.calls >= this.first && this.calls <= this.last) {
			throw new OutOfMemoryError("unable to create native thread");
		}
	}

	private void start() {
		for (int i = 0; i <= this.last - Math.min(this.first, this.last) + 1 && !this.election.isRunning(); i++) {
			try {
				this.election.start();
			}
			catch (OutOfMemoryError ex) {
				// told to the caller, who may try again
			}
		}
		assertThat(this.election.isRunning()).isTrue();
	}

	private void leadAnd(Consumer<ScriptedLease> end) {
		ScriptedLease lease = new ScriptedLease(this.leases.size() + 1, this::call);
		this.leases.add(lease);
		answer((attempt) -> attempt.complete(lease));
		int looks = 0;
		while (!this.election.isLeader() && looks++ < 100) {
			this.manual.passLook();
		}
		assertThat(this.election.lease()).map(LeaseInfo::fencingToken).contains(lease.fencingToken());
		try {
			end.accept(lease);
		}
		catch (OutOfMemoryError ex) {
			// what the engine, or the caller, sees
		}
		looks = 0;
		while ((lease.isValid() || (this.manual.hasThread() && !this.election.isRunning())) && looks++ < 100) {
			this.manual.passLook();
		}
		assertThat(lease.isValid()).as("released").isFalse();
	}

	private void answer(Consumer<CompletableFuture<Lease>> answer) {
		int looks = 0;
		while (this.attempts.isEmpty() && looks++ < 100) {
			this.manual.passLook();
		}
		assertThat(this.attempts).as("a candidate").hasSize(1);
		answer.accept(this.attempts.remove(0));
	}

}
