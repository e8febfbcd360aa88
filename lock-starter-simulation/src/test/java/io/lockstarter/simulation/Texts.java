// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import io.lockstarter.simulation.redis.Reply;

/**
 * What the trace shows of requests and replies.
 */
final class Texts {

	private static final int LONGEST = 60;

	private Texts() {
	}

	static String of(List<byte[]> request) {
		return request.stream()
			.map((word) -> shortened(new String(word, StandardCharsets.UTF_8)))
			.collect(Collectors.joining(" "));
	}

	static String of(Reply reply) {
		String text;
		if (reply instanceof Reply.Bulk bulk) {
			text = bulk.text();
		}
		else if (reply instanceof Reply.Int number) {
			text = String.valueOf(number.value());
		}
		else if (reply instanceof Reply.Array array) {
			text = array.elements().stream().map(Texts::of).collect(Collectors.joining(", ", "[", "]"));
			return text;
		}
		else {
			text = reply.toString();
		}
		return shortened(text);
	}

	static String shortened(String text) {
		String line = text.replace("\r", "").replace('\n', ' ');
		return (line.length() > LONGEST) ? line.substring(0, LONGEST) + "…" : line;
	}

}
