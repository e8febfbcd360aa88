// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * The JDK of the measured JVMs.
 *
 * @param home where it is
 * @param version its version
 */
record Jdk(Path home, String version) {

	private static final int VIRTUAL_THREADS = 21;

	/**
	 * Return the JDK of this JVM.
	 * @return the current one
	 */
	static Jdk current() {
		return new Jdk(Path.of(System.getProperty("java.home")), Runtime.version().toString());
	}

	/**
	 * Find a JDK with virtual threads: JDK 25 at {@code JAVA_25_HOME} or in
	 * {@code /usr/lib/jvm}, or else the current one if it is new enough.
	 * @return a JDK
	 */
	static Optional<Jdk> withVirtualThreads() {
		for (Path home : homes()) {
			Optional<Jdk> jdk = at(home);
			if (jdk.isPresent()) {
				return jdk;
			}
		}
		return (Runtime.version().feature() >= VIRTUAL_THREADS) ? Optional.of(current()) : Optional.empty();
	}

	Path java() {
		return this.home.resolve("bin").resolve("java");
	}

	private static List<Path> homes() {
		List<Path> homes = new ArrayList<>();
		Optional.ofNullable(System.getenv("JAVA_25_HOME")).map(Path::of).ifPresent(homes::add);
		Path installed = Path.of("/usr/lib/jvm");
		if (Files.isDirectory(installed)) {
			try (DirectoryStream<Path> candidates = Files.newDirectoryStream(installed, "*25*")) {
				candidates.forEach(homes::add);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return homes;
	}

	private static Optional<Jdk> at(Path home) {
		Properties release = new Properties();
		try (Reader reader = Files.newBufferedReader(home.resolve("release"))) {
			release.load(reader);
		}
		catch (IOException ex) {
			return Optional.empty();
		}
		String version = release.getProperty("JAVA_RUNTIME_VERSION", "").replace("\"", "");
		return version.startsWith("25") ? Optional.of(new Jdk(home, version)) : Optional.empty();
	}

}
