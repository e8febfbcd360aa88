// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import static org.awaitility.Awaitility.await;

/**
 * What a test tells a process by a signal. Thread-safe.
 */
public enum ProcessSignal {

	/**
	 * End in an orderly manner.
	 */
	TERM,

	/**
	 * Freeze: connections stay open, nothing is answered.
	 */
	STOP,

	/**
	 * Go on after {@link #STOP}.
	 */
	CONT;

	/**
	 * Send it. After {@link #STOP}, return when no thread of the process runs any more: a
	 * thread on another processor goes on for a moment.
	 * @param pid the process
	 */
	public void send(long pid) {
		try {
			// Built into every shell, while /bin/kill is missing from some images.
			Process kill = new ProcessBuilder("sh", "-c", "kill -" + this + " " + pid).start();
			if (kill.waitFor() != 0) {
				throw new IllegalStateException("Could not send SIG%s to %d".formatted(this, pid));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while sending a signal", ex);
		}
		Path threads = Path.of("/proc", Long.toString(pid), "task");
		if (this == STOP && Files.isDirectory(threads)) {
			// At once, as tests count on how long a process is stopped.
			await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> isStopped(threads));
		}
	}

	private static boolean isStopped(Path threads) throws IOException {
		try (Stream<Path> all = Files.list(threads)) {
			for (Path thread : (Iterable<Path>) all::iterator) {
				// The name, in parentheses, may contain anything.
				String stat = Files.readString(thread.resolve("stat"));
				if (!stat.startsWith(") T", stat.lastIndexOf(')'))) {
					return false;
				}
			}
		}
		return true;
	}

}
