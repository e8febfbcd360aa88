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
package io.lockstarter.redis.connection;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;

/**
 * How a call of the script begins. Immutable.
 *
 * @param head the name of the command and what names the script
 * @param firstKeys the keys that every call has
 */
record ScriptCall(BulkStrings head, BulkStrings firstKeys) {

	int keys() {
		return this.firstKeys.count();
	}

	void writeTo(ByteBuf out, int keys, int arguments) {
		out.writeByte('*');
		out.writeCharSequence(Integer.toString(this.head.count() + 1 + keys + arguments), StandardCharsets.US_ASCII);
		out.writeCharSequence("\r\n", StandardCharsets.US_ASCII);
		this.head.writeTo(out);
		new BulkStrings(16).add(keys).writeTo(out);
		this.firstKeys.writeTo(out);
	}

}
