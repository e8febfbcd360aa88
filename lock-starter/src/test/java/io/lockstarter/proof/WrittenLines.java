// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process that may be killed has written to a file.
 */
final class WrittenLines {

	private WrittenLines() {
	}

	/**
	 * Return what was written up to now, but for a line that is being written.
	 */
	static List<String> of(Path file) {
		try {
			String text = Files.readString(file);
			return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
