// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

/**
 * Patterns of keys and channels.
 */
final class Glob {

	private Glob() {
	}

	static boolean matches(String pattern, String text) {
		// Not even a star matches nothing at all.
		return text.isEmpty() ? pattern.isEmpty() : matches(pattern, 0, text, 0);
	}

	private static boolean matches(String pattern, int start, String text, int from) {
		int p = start;
		int t = from;
		while (p < pattern.length()) {
			char next = pattern.charAt(p);
			if (next == '*') {
				for (int i = t; i <= text.length(); i++) {
					if (matches(pattern, p + 1, text, i)) {
						return true;
					}
				}
				return false;
			}
			if (t == text.length()) {
				return false;
			}
			if (next == '[') {
				int end = pattern.indexOf(']', p + 1);
				end = (end < 0) ? pattern.length() : end;
				if (!isOneOf(pattern.substring(p + 1, end), text.charAt(t))) {
					return false;
				}
				p = end;
			}
			else {
				if (next == '\\' && p + 1 < pattern.length()) {
					p++;
				}
				if ((next != '?') && pattern.charAt(p) != text.charAt(t)) {
					return false;
				}
			}
			p++;
			t++;
		}
		return t == text.length();
	}

	private static boolean isOneOf(String set, char character) {
		boolean not = set.startsWith("^");
		boolean found = false;
		for (int i = not ? 1 : 0; i < set.length(); i++) {
			char first = set.charAt(i);
			if (first == '\\' && i + 1 < set.length()) {
				i++;
				found |= set.charAt(i) == character;
			}
			else if (i + 2 < set.length() && set.charAt(i + 1) == '-') {
				char last = set.charAt(i + 2);
				found |= Math.min(first, last) <= character && character <= Math.max(first, last);
				i += 2;
			}
			else {
				found |= first == character;
			}
		}
		return found != not;
	}

}
