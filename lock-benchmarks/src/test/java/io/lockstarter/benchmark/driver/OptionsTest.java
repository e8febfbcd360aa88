// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.contender.Target;
import io.lockstarter.benchmark.contender.Topology;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Options} and for the other command line, that of the measured JVMs.
 */
class OptionsTest {

	@TempDir
	Path directory;

	@Test
	void everythingByDefault() {
		Options options = Options.parse(List.of());
		assertThat(options.scenarios()).isEqualTo(Scenario.REGULAR).doesNotContain(Scenario.SOAK, Scenario.START_UP);
		assertThat(options.times(Scenario.GROWTH_KEYS)).isEqualTo(1_000_000);
		assertThat(Options.parse(List.of("--count", "7")).times(Scenario.GROWTH_KEYS)).isEqualTo(7);
		assertThat(options.contenders()).containsExactly(Contender.values());
		assertThat(options.rounds()).isGreaterThanOrEqualTo(3);
	}

	@Test
	void quickThenMore() {
		Options options = Options
			.parse(List.of("--quick", "--scenario", "hot-jvms", "--scenario", "solo", "--measure", "0.5"));
		assertThat(options.rounds()).isOne();
		assertThat(options.scenarios()).containsExactly(Scenario.SOLO, Scenario.HOT_JVMS);
		assertThat(options.measure()).isEqualTo(Duration.ofMillis(500));
	}

	@Test
	void mistakes() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--scenario", "luke-warm")))
			.withMessageContaining("luke-warm");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--rounds")))
			.withMessageContaining("--rounds");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--fast")))
			.withMessageContaining("--fast");
	}

	@Test
	void notEverybodyIsInTheCluster() {
		List<String> cluster = List.of("--scenario", "hand-over-cluster", "--contender", "redisson", "--contender");
		assertThat(Options.parse(with(cluster, "starter")).contenders()).containsExactly(Contender.STARTER,
				Contender.REDISSON);
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(with(cluster, "lock4j")))
			.withMessageStartingWith(
					"lock4j is not measured in a Redis Cluster. Contenders of hand-over-cluster: [starter,");
	}

	@Test
	void notEverybodyIsInTheQuorum() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Options.parse(List.of("--scenario", "quorum-solo", "--contender", "lock4j")))
			.withMessage("lock4j is not measured in a quorum."
					+ " Contenders of quorum-solo: [starter, starter-single, redisson-red]");
	}

	private static List<String> with(List<String> arguments, String last) {
		return Stream.concat(arguments.stream(), Stream.of(last)).toList();
	}

	@Test
	void assignmentThereAndBack() {
		Assignment assignment = new Assignment(Scenario.HAND_OVER, Contender.REDISSON_FAIR, ThreadKind.VIRTUAL,
				new Target(Topology.SINGLE, List.of(1234, 5678), Duration.ofSeconds(6)), 1, 500, this.directory);
		assertThat(Assignment.parse(assignment.toArguments())).isEqualTo(assignment);
	}

}
