// SPDX-License-Identifier: Apache-2.0
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
