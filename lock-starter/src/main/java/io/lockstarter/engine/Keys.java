// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Collection;
import java.util.List;

import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Checks keys: text that a person can read and that no encoding mixes up.
 */
final class Keys {

	private static final int MAX_LENGTH = 1024;

	/**
	 * So many keys take the store some milliseconds, in which it serves nobody else.
	 */
	private static final int MOST = 1_000;

	private static final int SHOWN = 40;

	private Keys() {
	}

	static String check(@Nullable String key) {
		if (key == null || key.isBlank()) {
			throw new IllegalArgumentException("A lock needs a key, but it is " + ((key == null) ? "null" : "blank")
					+ ": name what is locked, for example 'stock:42'");
		}
		if (key.length() > MAX_LENGTH) {
			throw new IllegalArgumentException(
					"Lock key '%s' is too long: %d characters, at most %d; use an identifier or a hash"
						.formatted(PrintableText.beginningOf(key, SHOWN), key.length(), MAX_LENGTH));
		}
		if (!PrintableText.isPrintable(key)) {
			throw new IllegalArgumentException("""
					Lock key '%s' must be text without control characters, line separators, unpaired surrogates and \
					characters that change the direction of text; encode binary keys, for example as hex"""
				.formatted(PrintableText.of(key)));
		}
		return key;
	}

	static String named(List<String> keys) {
		return (keys.size() == 1) ? keys.get(0) : String.join(", ", keys);
	}

	/**
	 * Check several keys.
	 * @return the keys in the order in which everybody takes them, each once
	 */
	static List<String> sorted(Collection<String> keys) {
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("A lock needs a key, but there is none: name what is locked");
		}
		List<String> sorted = keys.stream().map(Keys::check).sorted().distinct().toList();
		if (sorted.size() > MOST) {
			throw new IllegalArgumentException(
					"%d keys are too many to be locked at once, at most %d; lock them in parts, or one key that stands for all of them"
						.formatted(sorted.size(), MOST));
		}
		return sorted;
	}

}
