/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
