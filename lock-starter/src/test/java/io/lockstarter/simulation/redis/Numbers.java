// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Numbers as Redis reads and writes them.
 */
final class Numbers {

	private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

	private static final MathContext DIGITS = new MathContext(17, RoundingMode.HALF_EVEN);

	private Numbers() {
	}

	static long integer(String text) {
		return integer(text, Refusal.NO_INTEGER);
	}

	static long integer(String text, String refusal) {
		try {
			long number = Long.parseLong(text);
			if (Long.toString(number).equals(text)) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// as any other text that is none
		}
		throw new Refusal(refusal);
	}

	static double score(String text) {
		switch (text.toLowerCase(Locale.ROOT)) {
			case "inf", "+inf", "infinity", "+infinity" -> {
				return Double.POSITIVE_INFINITY;
			}
			case "-inf", "-infinity" -> {
				return Double.NEGATIVE_INFINITY;
			}
			default -> {
				double score = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
				if (Double.isNaN(score) || Double.isInfinite(score)) {
					throw new Refusal("ERR value is not a valid float");
				}
				return score;
			}
		}
	}

	/**
	 * Format a number as C does with {@code %.17g}.
	 */
	static String format(double number) {
		if (number == Math.rint(number) && Math.abs(number) < 1e17) {
			return (number == 0 && 1 / number < 0) ? "-0" : Long.toString((long) number);
		}
		if (Double.isNaN(number) || Double.isInfinite(number)) {
			return Double.isNaN(number) ? "nan" : (number > 0) ? "inf" : "-inf";
		}
		BigDecimal rounded = new BigDecimal(number).round(DIGITS).stripTrailingZeros();
		int exponent = rounded.precision() - rounded.scale() - 1;
		if (exponent >= -4 && exponent < 17) {
			return rounded.toPlainString();
		}
		String digits = rounded.unscaledValue().abs().toString();
		String sign = (rounded.signum() < 0) ? "-" : "";
		String fraction = (digits.length() > 1) ? "." + digits.substring(1) : "";
		String end = (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
		return sign + digits.charAt(0) + fraction + "e" + ((exponent < 0) ? "-" : "+") + end;
	}

	/**
	 * Return what C makes an integer of.
	 */
	static long truncate(double number) {
		return (number >= -0x1p63 && number < 0x1p63) ? (long) number : Long.MIN_VALUE;
	}

}
