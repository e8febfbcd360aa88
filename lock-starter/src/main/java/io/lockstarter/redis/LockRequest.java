// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.lockstarter.redis.connection.BulkStrings;

/**
 * What a command sends: the keys that it may touch, and its arguments. Immutable.
 */
sealed interface LockRequest {

	BulkStrings keys();

	BulkStrings arguments();

	/**
	 * With nothing but the locks: most commands touch no other key, and each that is
	 * named costs the server time.
	 *
	 * @param again supplies the arguments of the one that follows if it needs more, which
	 * comes behind others; {@code null} if they are the same
	 * @param locks the keys of the locks, as applications know them
	 * @param bucket where they are
	 */
	record Brief(BulkStrings keys, BulkStrings arguments, @Nullable Supplier<BulkStrings> again, List<String> locks,
			Bucket bucket) implements LockRequest {

		/**
		 * What the script replies to a command that needs all keys of its locks, and what
		 * stands before the name of one that has them.
		 */
		static final String ALL_KEYS = "+";

		/**
		 * Return what follows.
		 */
		Full inFull() {
			return this.bucket.marked(this.locks, (this.again != null) ? this.again.get() : this.arguments);
		}

	}

	/**
	 * With all keys of each lock.
	 */
	record Full(BulkStrings keys, BulkStrings arguments) implements LockRequest {

	}

}
