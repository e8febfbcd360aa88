// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.mutation.Planting;
import org.springframework.util.FileSystemUtils;

/**
 * Bugs of {@code mutations.txt}, in classes and in scripts, which a JVM of their own
 * finds before what is right.
 */
final class Plants {

	private Plants() {
	}

	/**
	 * Run the simulation with a bug.
	 * @param name a part of its name; several with commas between them run one after the
	 * other
	 * @return the exit status of the last one
	 */
	static int run(String name, List<String> options) throws IOException, InterruptedException {
		int status = 0;
		for (String each : name.split(",", -1)) {
			status = runOne(each.strip(), options);
		}
		return status;
	}

	private static int runOne(String name, List<String> options) throws IOException, InterruptedException {
		Path classes = Files.createTempDirectory("lock-starter-plant");
		try {
			String planted = Planting.plant(name, classes);
			String separator = System.getProperty("path.separator");
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
							"-XX:+UseSerialGC", "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider",
							"-Dslf4j.internal.verbosity=ERROR", "-cp",
							classes + separator + System.getProperty("java.class.path"), Simulation.class.getName(),
							"--planted", planted));
			command.addAll(options);
			return new ProcessBuilder(command).inheritIO().start().waitFor();
		}
		finally {
			FileSystemUtils.deleteRecursively(classes);
		}
	}

}
