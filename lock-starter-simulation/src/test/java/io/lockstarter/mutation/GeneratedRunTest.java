// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests what becomes of mutants, in JVMs of their own.
 */
@Tag("proof")
@Tag("computes")
class GeneratedRunTest {

	private static final Duration SHORT = Duration.ofSeconds(1);

	private static GeneratedMutant script(String id) {
		return LuaMutants.all().stream().filter((mutant) -> mutant.id().equals(id)).findFirst().orElseThrow();
	}

	private static GeneratedMutant notAClass(String content) {
		return new GeneratedMutant("", "", "--topology one", "io/lockstarter/engine/Watchdog.class",
				() -> content.getBytes(StandardCharsets.UTF_8));
	}

	private static List<String> run(String... options) throws Exception {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		GeneratedRun.run(List.of(options), new PrintStream(out, true, StandardCharsets.UTF_8));
		return out.toString(StandardCharsets.UTF_8).lines().toList();
	}

	@Test
	void listsWhatIsDrawn() throws Exception {
		Equivalents equivalents = Equivalents.read();
		List<GeneratedMutant> counting = LuaMutants.all()
			.stream()
			.filter((mutant) -> !equivalents.contain(mutant))
			.toList();
		assertThat(run("--rooms", "scripts", "--sample", "3", "--sample-seed", "7", "--list"))
			.endsWith(GeneratedMutant.draw(counting, 3, 7).stream().map((each) -> "  " + each).toArray(String[]::new));
	}

	@Test
	void scoreIsThatOfWhatWasTried() throws Exception {
		assertThat(run("--rooms", "scripts,leader", "--only", "role() EmptyObjectReturnVals", "--sample", "1",
				"--seconds", "1"))
			.last(InstanceOfAssertFactories.STRING)
			.matches("\\| leader \\| \\d+ \\| 1 \\| 0 \\| 0 % \\|");
		assertThat(run("--rooms", "scripts,leader", "--only", "lock.lua acquire DROP_OPTION 1", "--seconds", "15",
				"--jobs", "2"))
			.last(InstanceOfAssertFactories.STRING)
			.matches("\\| scripts \\| \\d+ \\| 1 \\| 1 \\| 100 % \\|");
	}

	@Test
	void brokenRuleIsSaid() throws Exception {
		assertThat(GeneratedRun.tryOut(script("lock.lua acquire DROP_OPTION 1"), Duration.ofSeconds(30)))
			.matches("caught by [A-Z_]+ after \\d+ seeds");
	}

	@Test
	void jvmThatFailsIsCaught() throws Exception {
		assertThat(GeneratedRun.tryOut(notAClass("nothing"), SHORT)).startsWith("caught");
	}

	@Test
	void jvmThatIsKilledFromOutsideSaysNothing() {
		assertThat(GeneratedRun.verdict(134, List.of("crashed"))).isEqualTo("caught: exit status 134, crashed");
		assertThatIllegalStateException().isThrownBy(() -> GeneratedRun.verdict(137, List.of()));
		assertThatIllegalStateException()
			.isThrownBy(() -> GeneratedRun.verdict(1, List.of("Error occurred during initialization of VM")));
	}

	@Test
	void whatNobodyNoticesSurvives() throws Exception {
		// which a store of one server does not read
		GeneratedMutant harmless = new GeneratedMutant("", "", "--topology one", LuaMutants.FOLDER + "quorum.lua",
				() -> new byte[0]);
		assertThat(GeneratedRun.tryOut(harmless, SHORT)).matches("SURVIVED \\d+ seeds");
	}

	@Test
	void whatDoesNotEndIsCaught() throws Exception {
		Process process = new ProcessBuilder(GeneratedRun.command("", Room.ALL, Duration.ofHours(1)))
			.redirectOutput(Redirect.DISCARD)
			.start();
		try {
			assertThat(GeneratedRun.endsInTime(process, Duration.ofMillis(200))).isFalse();
		}
		finally {
			process.destroyForcibly().waitFor();
		}
	}

}
