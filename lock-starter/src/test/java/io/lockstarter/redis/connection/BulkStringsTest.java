// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what commands consist of.
 */
class BulkStringsTest {

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 9, 10, 11, 99, 100, 12_345, 999_999_999, 1_000_000_000, Long.MAX_VALUE })
	void numberIsWrittenInAllItsDigits(long number) {
		String digits = Long.toString(number);
		assertThat(written(new BulkStrings(0).add(number)))
			.isEqualTo("$%d\r\n%s\r\n".formatted(digits.length(), digits));
	}

	@Test
	void textsFollowEachOtherWhateverTheyConsistOf() {
		BulkStrings texts = new BulkStrings(1).add("a")
			.add("")
			.add("{lock}lock:", "k")
			.add("b:", "\u00e4")
			.add("12345678901");
		assertThat(texts.count()).isEqualTo(5);
		assertThat(written(texts))
			.isEqualTo("$1\r\na\r\n$0\r\n\r\n$12\r\n{lock}lock:k\r\n$4\r\nb:\u00e4\r\n$11\r\n12345678901\r\n");
	}

	@Test
	void othersFollowInTheirOrder() {
		BulkStrings all = new BulkStrings(16).add("a").addAll(new BulkStrings(16).add("b").add(2));
		assertThat(all.count()).isEqualTo(3);
		assertThat(written(all)).isEqualTo("$1\r\na\r\n$1\r\nb\r\n$1\r\n2\r\n");
	}

	private static String written(BulkStrings texts) {
		ByteBuf out = Unpooled.buffer();
		texts.writeTo(out);
		return out.toString(StandardCharsets.UTF_8);
	}

}
