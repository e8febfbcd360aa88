package io.lockstarter.interceptor;

import java.util.regex.Pattern;

/**
 * Knows durations in annotations without a unit. They would be taken as milliseconds,
 * which nobody means by a ttl of {@code 30}.
 */
final class DurationUnit {

	private static final Pattern BARE_NUMBER = Pattern.compile("[+-]?\\d+");

	private DurationUnit() {
	}

	/**
	 * Return whether a duration has no unit.
	 * @param text the duration as it is written
	 * @return whether it is a bare number
	 */
	static boolean isMissing(String text) {
		return BARE_NUMBER.matcher(text).matches();
	}

	/**
	 * Say what to write instead.
	 * @param text the duration as it is written
	 * @return the remedy
	 */
	static String remedy(String text) {
		return "Write '%ss' for seconds or '%sms' for milliseconds".formatted(text, text);
	}

}
