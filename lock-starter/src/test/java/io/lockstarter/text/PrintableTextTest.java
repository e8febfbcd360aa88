// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.text;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.LockNotAcquiredException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Text of others cannot forge lines of a log, steer a terminal, or turn around what is
 * beside it.
 */
class PrintableTextTest {

	@ParameterizedTest
	@MethodSource("unprintable")
	void whatIsNotPrintableIsEscaped(int character, String escaped) {
		String text = "a" + (char) character + "b";
		assertThat(PrintableText.isPrintable(text)).isFalse();
		assertThat(PrintableText.of(text)).isEqualTo("a" + escaped + "b");
		assertThat(PrintableText.isPrintable(PrintableText.of(text))).isTrue();
	}

	static Stream<Arguments> unprintable() {
		return Stream.of(arguments(0x00, "\\u0000"), arguments(0x09, "\\u0009"), arguments(0x0A, "\\u000a"),
				arguments(0x0D, "\\u000d"), arguments(0x1B, "\\u001b"), arguments(0x7F, "\\u007f"),
				arguments(0x85, "\\u0085"), arguments(0x9B, "\\u009b"), arguments(0x061C, "\\u061c"),
				arguments(0x200E, "\\u200e"), arguments(0x200F, "\\u200f"), arguments(0x2028, "\\u2028"),
				arguments(0x2029, "\\u2029"), arguments(0x202A, "\\u202a"), arguments(0x202E, "\\u202e"),
				arguments(0x2066, "\\u2066"), arguments(0x2069, "\\u2069"), arguments(0xD800, "\\ud800"),
				arguments(0xDC00, "\\udc00"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "stock:42", " a b ", "a\\u000a", "Größe", "재고:42", "🔒", "👩‍💻", "می‌خواهم", "שלום" })
	void anyOtherTextStaysAsItIs(String text) {
		assertThat(PrintableText.isPrintable(text)).isTrue();
		assertThat(PrintableText.of(text)).isSameAs(text);
	}

	@Test
	void longTextIsCutBetweenCharacters() {
		assertThat(PrintableText.beginningOf("x\n" + "🔒".repeat(100), 5)).isEqualTo("x\\u000a🔒🔒🔒…");
		assertThat(PrintableText.beginningOf("12345", 5)).isEqualTo("12345");
	}

	@Test
	void holderThatSomebodyWroteIntoTheStoreForgesNothing() {
		LockNotAcquiredException busy = new LockNotAcquiredException("stock:42", Duration.ZERO,
				List.of("x\n2026 ERROR admin: FORGED"));
		assertThat(busy).hasMessage(
				"Lock 'stock:42' is busy: not acquired within 0 ms, " + "held by x\\u000a2026 ERROR admin: FORGED");
		assertThat(busy.holders()).containsExactly("x\\u000a2026 ERROR admin: FORGED");
	}

}
