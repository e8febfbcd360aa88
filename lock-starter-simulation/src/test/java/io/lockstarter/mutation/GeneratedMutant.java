// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

/**
 * A small mistake that nobody thought up, in a class or in a script.
 *
 * @param id names it, whatever else changes in the sources: where it is, which operator
 * made it, and which of those that this one makes there it is
 * @param what what is changed, and in which line of today
 * @param options what the simulation looks for it with, with spaces between them
 * @param file the file that has it, as a class path names it
 * @param content makes the content of that file
 */
record GeneratedMutant(String id, String what, String options, String file, Supplier<byte[]> content) {

	/**
	 * Draw some. Each has a rank of its own, so that the others stay what they are when
	 * one is gone, or a new one comes.
	 * @param count how many
	 * @param seed by which they are drawn
	 */
	static List<GeneratedMutant> draw(List<GeneratedMutant> mutants, int count, long seed) {
		List<GeneratedMutant> drawn = new ArrayList<>(mutants);
		drawn.sort(Comparator.comparing((mutant) -> mutant.rank(seed)));
		return drawn.subList(0, Math.min(count, drawn.size()));
	}

	private String rank(long seed) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256")
				.digest((seed + " " + this.id).getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Put the file where a class path may begin.
	 */
	void plant(Path classes) throws IOException {
		Path planted = classes.resolve(this.file);
		Files.createDirectories(planted.getParent());
		Files.write(planted, this.content.get());
	}

	@Override
	public String toString() {
		return this.id + "  " + this.what;
	}

}
