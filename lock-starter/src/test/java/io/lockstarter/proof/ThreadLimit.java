// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps a child JVM from starting threads for a while, by the limit that the system sets
 * to the threads of a user. Such a limit does not bind root: as root, each child has a
 * user of its own, which may read what root may.
 */
final class ThreadLimit {

	private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

	private static final int USERS = 16;

	private static final int FIRST_USER = 100_000 + (int) (ProcessHandle.current().pid() % 100_000) * USERS;

	private static final boolean AVAILABLE = isObeyed();

	private ThreadLimit() {
	}

	/**
	 * Return whether the system knows such limits, and obeys them.
	 */
	static boolean isAvailable() {
		return AVAILABLE;
	}

	/**
	 * Return what to put before the command of a child.
	 * @param number the number of the child, below {@value #USERS}
	 */
	static List<String> launcher(int number) {
		return (ROOT && AVAILABLE) ? asUser(number, "--inh-caps=+dac_override", "--ambient-caps=+dac_override")
				: List.of();
	}

	/**
	 * Let a child start no more threads.
	 * @param number the number of the child
	 * @return what lets it start threads again
	 */
	static Runnable stopThreads(JvmProcess child, int number) {
		String before = run(limit(number, child.pid(), "-o", "SOFT", "--noheadings", "--nproc")).strip();
		run(limit(number, child.pid(), "--nproc=1:"));
		return () -> run(limit(number, child.pid(), "--nproc=" + before + ":"));
	}

	private static List<String> limit(int number, long pid, String... options) {
		List<String> command = new ArrayList<>(ROOT ? asUser(number) : List.of());
		command.addAll(List.of("prlimit", "--pid", String.valueOf(pid)));
		command.addAll(List.of(options));
		return command;
	}

	private static List<String> asUser(int number, String... options) {
		List<String> command = new ArrayList<>(List.of("setpriv", "--reuid", String.valueOf(FIRST_USER + number)));
		command.addAll(List.of(options));
		return command;
	}

	/**
	 * Return whether a shell that may have no process but itself cannot start another.
	 */
	private static boolean isObeyed() {
		List<String> command = new ArrayList<>(ROOT ? asUser(USERS - 1) : List.of());
		command.addAll(List.of("prlimit", "--nproc=1:", "sh", "-c"));
		try {
			run(with(command, "exit 0"));
		}
		catch (RuntimeException ex) {
			return false;
		}
		try {
			run(with(command, "sh -c true; exit 0"));
			return false;
		}
		catch (IllegalStateException ex) {
			return true;
		}
	}

	private static List<String> with(List<String> command, String last) {
		List<String> all = new ArrayList<>(command);
		all.add(last);
		return all;
	}

	private static String run(List<String> command) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(command + " failed: " + output);
			}
			return output;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
