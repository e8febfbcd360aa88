// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.text;

/**
 * Makes text that others wrote safe to print, in a log or on a terminal: control
 * characters, separators of lines and paragraphs, characters that change the direction of
 * the text beside them, and unpaired surrogates are escaped as in Java.
 */
public final class PrintableText {

	private PrintableText() {
	}

	/**
	 * Return whether a text can be printed as it is.
	 * @param text the text
	 * @return whether nothing in it has to be escaped
	 */
	public static boolean isPrintable(String text) {
		for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
			if (isUnprintable(text.codePointAt(i))) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Return a text as it can be printed.
	 * @param text the text
	 * @return the text, with escapes if it needs any
	 */
	public static String of(String text) {
		if (isPrintable(text)) {
			return text;
		}
		StringBuilder printable = new StringBuilder(text.length() + 16);
		text.codePoints().forEach((character) -> {
			if (isUnprintable(character)) {
				printable.append("\\u%04x".formatted(character));
			}
			else {
				printable.appendCodePoint(character);
			}
		});
		return printable.toString();
	}

	/**
	 * Return the beginning of a text as it can be printed.
	 * @param text the text
	 * @param most how many characters to keep
	 * @return the characters, with escapes if they need any, and an ellipsis if there are
	 * more
	 */
	public static String beginningOf(String text, int most) {
		// no longer than it need be, as the text may have millions
		String beginning = text.substring(0, Math.min(text.length(), 2 * most));
		if (beginning.codePointCount(0, beginning.length()) <= most && beginning.length() == text.length()) {
			return of(text);
		}
		return of(beginning.substring(0, beginning.offsetByCodePoints(0, most))) + "…";
	}

	private static boolean isUnprintable(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
				true;
			case Character.FORMAT -> changesDirection(character);
			default -> false;
		};
	}

	// What Unicode calls Bidi_Control. Joiners, which emoji and some scripts need, are of
	// the same category and do no harm.
	private static boolean changesDirection(int character) {
		return character == 0x061C || character == 0x200E || character == 0x200F
				|| (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
	}

}
