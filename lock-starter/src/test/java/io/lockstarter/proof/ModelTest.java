// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tlc2.TLC;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The models of the protocol in {@code docs/internals/model} keep their promises, within
 * small bounds, and their broken variants break them.
 * {@code docs/internals/model/check.sh} does the same within larger bounds. Not part of
 * every build.
 */
@Tag("proof")
@Tag("computes")
class ModelTest {

	private static final Path MODEL = Path.of("../docs/internals/model").toAbsolutePath().normalize();

	private static final int VIOLATION = 12;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@MethodSource("checks")
	void modelAnswersAsItMust(Check check) throws Exception {
		Path configuration = Files.writeString(this.directory.resolve("check.cfg"), check.configuration());
		Path output = this.directory.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				// Most checks end before compiled code of the second tier would pay.
				"-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + this.directory, "-cp",
				jarOfTlc(), "tlc2.TLC", "-workers", "2", "-metadir", this.directory.resolve("states").toString(),
				"-config", configuration.toString(), check.module())
			.directory(MODEL.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("TLC ends").isTrue();
		}
		finally {
			process.destroyForcibly().waitFor();
		}
		String answer = Files.readString(output);
		assertThat(answer).contains(check.holds() ? "Model checking completed. No error has been found."
				: "Error: Invariant %s is violated".formatted(check.violated()));
		assertThat(process.exitValue()).isEqualTo(check.holds() ? 0 : VIOLATION);
		if (check.configuration().contains("OnlyMoves")) {
			assertThat(moves(answer)).isEqualTo(moves(Files.readString(MODEL.resolve(check.module()))));
		}
	}

	private static Set<String> moves(String text) {
		return Pattern.compile("^ *(<<(\"\\w+\"(, )?){5}>>)", Pattern.MULTILINE)
			.matcher(text)
			.results()
			.map((move) -> move.group(1))
			.collect(Collectors.toSet());
	}

	static Stream<Check> checks() throws IOException {
		return Files.readAllLines(MODEL.resolve("checks.txt"))
			.stream()
			.filter((line) -> line.startsWith("build") || line.startsWith("both"))
			.map((line) -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
			.map((columns) -> new Check(columns.get(1), columns.get(2), columns.get(3)));
	}

	private static String jarOfTlc() throws Exception {
		return Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
	}

	/**
	 * What TLC is asked.
	 *
	 * @param name the configuration
	 * @param constants which of its constants to change, and to what
	 * @param violated the invariant that must fail
	 */
	record Check(String name, String constants, String violated) {

		boolean holds() {
			return this.violated.equals("none");
		}

		String module() {
			String own = this.name + ".tla";
			return Files.exists(MODEL.resolve(own)) ? own : "Lock.tla";
		}

		String configuration() {
			List<String> lines = new ArrayList<>(read());
			for (String change : this.constants.isEmpty() ? new String[0] : this.constants.split(";", -1)) {
				String start = "  " + change.strip().split("=", 2)[0] + " = ";
				assertThat(lines).anyMatch((line) -> line.startsWith(start));
				lines.replaceAll((line) -> line.startsWith(start) ? start + change.split("=", 2)[1] : line);
			}
			if (!holds()) {
				lines.subList(lines.indexOf("INVARIANTS") + 1, lines.size()).clear();
				lines.add("  " + this.violated);
			}
			return String.join("\n", lines);
		}

		private List<String> read() {
			try {
				return Files.readAllLines(MODEL.resolve(this.name + ".cfg"));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
