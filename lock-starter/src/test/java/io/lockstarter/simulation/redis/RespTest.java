// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What goes over the wire, and how numbers are written there.
 */
class RespTest {

	@Test
	void repliesAreEncoded() {
		Reply reply = Reply.ofAll(Reply.OK, new Reply.Failure("ERR no"), Reply.of(-5), new Reply.Bulk("\u00ff\r\n"),
				Reply.NIL, Reply.ofAll(Reply.of(1)));
		assertThat(new String(Resp.encode(reply), StandardCharsets.ISO_8859_1))
			.isEqualTo("*6\r\n+OK\r\n-ERR no\r\n:-5\r\n$3\r\n\u00ff\r\n\r\n$-1\r\n*1\r\n:1\r\n");
		assertThat(Resp.encode(Reply.NOTHING)).isEmpty();
		assertThat(new String(Resp.encode(new Reply.Push(List.of(Reply.of(1), Reply.NIL))), StandardCharsets.US_ASCII))
			.isEqualTo(">2\r\n:1\r\n_\r\n");
		assertThat(
				new String(Resp.encode(new Reply.Pairs(List.of(Reply.of(1), Reply.of(2)))), StandardCharsets.US_ASCII))
			.isEqualTo("%1\r\n:1\r\n:2\r\n");
	}

	@Test
	void requestsAreDecodedHoweverTheyAreCut() {
		byte[] bytes = "*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\n*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);
		for (int size = 1; size <= bytes.length; size++) {
			Resp.Decoder decoder = new Resp.Decoder();
			List<String> requests = new ArrayList<>();
			for (int i = 0; i < bytes.length; i += size) {
				byte[] part = Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + size));
				decoder.decode(part)
					.forEach((request) -> request
						.forEach((each) -> requests.add(new String(each, StandardCharsets.US_ASCII))));
			}
			assertThat(requests).as("%d bytes each", size).containsExactly("GET", "\r\n", "PING");
		}
	}

	@Test
	void numbersAreWrittenAsByC() {
		assertThat(List.of(0.1, 1.5, 1.7e15, 1e17, -1.2345678901234568e17, 3e-7, 1e-5, 1e100, -0.0, 1 / 3.0))
			.extracting(Numbers::format)
			.containsExactly("0.10000000000000001", "1.5", "1700000000000000", "1e+17", "-1.2345678901234568e+17",
					"2.9999999999999999e-07", "1.0000000000000001e-05", "1e+100", "-0", "0.33333333333333331");
	}

	@Test
	void patternsMatchAsInRedis() {
		assertThat(List.of("a*c", "a?c", "[a-c]bc", "[^x]bc", "*", "\\abc", "abc*", "**b**"))
			.allMatch((pattern) -> Glob.matches(pattern, "abc"));
		assertThat(List.of("ab", "a?", "[^a]bc", "\\*", "abcd", "", "b*"))
			.noneMatch((pattern) -> Glob.matches(pattern, "abc"));
	}

}
