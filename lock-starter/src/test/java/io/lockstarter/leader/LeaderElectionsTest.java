// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Timer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * The elections of an application.
 */
@SuppressWarnings("FutureReturnValueIgnored") // verified calls of a mock
class LeaderElectionsTest {

	private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(Duration.ofSeconds(5));

	private final LockRegistry registry = mock();

	private final LeaderElections elections = new LeaderElections(() -> this.registry, () -> OPTIONS);

	LeaderElectionsTest() {
		given(this.registry.acquireAsync(any(), any())).willAnswer((call) -> new CompletableFuture<>());
	}

	@Test
	void roleIsContestedOnceTheApplicationStarts() {
		LeaderElection reports = this.elections.of("reports");
		this.elections.addRole("mails");
		assertThat(this.elections.of("reports")).isSameAs(reports);
		then(this.registry).should(never()).acquireAsync(any(), any());
		this.elections.start();
		then(this.registry).should().acquireAsync(eq("leader:reports"), any());
		then(this.registry).should().acquireAsync(eq("leader:mails"), any());
		assertThat(this.elections.of("mails").isRunning()).isTrue();
		assertThat(this.elections.isRunning()).isTrue();
	}

	@Test
	void roleThatIsFoundLaterIsContestedAtOnce() {
		this.elections.start();
		this.elections.addRole("reports");
		this.elections.addRole("reports");
		then(this.registry).should().acquireAsync(eq("leader:reports"), any());
		assertThat(this.elections.of("mails").isRunning()).isTrue();
	}

	@Test
	void roleThatCouldNotBeContestedForWantOfAThreadIsWhenItIsAskedForAgain() {
		Timer timer = mock();
		willThrow(new OutOfMemoryError("planted")).willDoNothing().given(timer).start();
		given(timer.repeat(any(), anyLong())).willReturn(() -> {
		});
		LeaderElections elections = new LeaderElections(() -> this.registry, () -> OPTIONS, new ForwardingPlatform() {

			@Override
			public Timer timer(String thread) {
				return timer;
			}

		});
		elections.start();
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> elections.of("reports"));
		LeaderElection election = elections.of("reports");
		assertThat(election.isRunning()).isTrue();
		election.stop();
		assertThat(elections.of("reports").isRunning()).as("what the application stopped").isFalse();
	}

	@Test
	void electionsStopAndStartTogether() {
		LeaderElection reports = this.elections.of("reports");
		this.elections.start();
		List<String> stopped = new ArrayList<>();
		this.elections.stop(() -> stopped.add("stopped"));
		assertThat(stopped).hasSize(1);
		assertThat(this.elections.isRunning()).isFalse();
		assertThat(reports.isRunning()).isFalse();
		this.elections.start();
		assertThat(reports.isRunning()).isTrue();
		this.elections.stop();
		assertThat(reports.isRunning()).isFalse();
		assertThat(this.elections.getPhase()).isEqualTo(reports.getPhase());
	}

	@Test
	void electionsThatAreStoppedWhileTheyStartAreStopped() {
		List<CompletableFuture<Lease>> attempts = new ArrayList<>();
		given(this.registry.acquireAsync(any(), any())).willAnswer((call) -> {
			this.elections.stop();
			attempts.add(new CompletableFuture<>());
			return attempts.get(attempts.size() - 1);
		});
		List<LeaderElection> both = List.of(this.elections.of("reports"), this.elections.of("mails"));
		this.elections.start();
		assertThat(both).noneMatch(LeaderElection::isRunning);
		assertThat(attempts).hasSize(2).allMatch(CompletableFuture::isCancelled);
	}

	@Test
	void electionThatIsABeanIsStartedByItsContext() {
		LeaderElection bean = LeaderElection.of(this.registry, "reports");
		this.elections.add(bean);
		this.elections.add(bean);
		assertThat(this.elections.of("reports")).isSameAs(bean);
		this.elections.start();
		assertThat(bean.isRunning()).isFalse();
	}

	@Test
	void secondElectionOfARoleIsRefused() {
		this.elections.add(LeaderElection.of(this.registry, "reports"));
		assertThatExceptionOfType(LockSetupException.class)
			.isThrownBy(() -> this.elections.add(LeaderElection.of(this.registry, "reports")))
			.withMessageContaining("There are two elections of the leader of 'reports'");
	}

	@Test
	void whoAsksForAllElectionsGetsThoseThatComeLater() {
		List<String> roles = new ArrayList<>();
		this.elections.of("a");
		this.elections.forEach((election) -> roles.add(election.role()));
		this.elections.of("b");
		this.elections.of("a");
		this.elections.add(LeaderElection.of(this.registry, "c"));
		assertThat(roles).containsExactly("a", "b", "c");
	}

}
