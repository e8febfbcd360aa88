// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;

import io.lockstarter.redis.connection.BulkStrings;

/**
 * What a command sends: the keys that it may touch, and its arguments. Immutable.
 */
sealed interface LockRequest {

	/**
	 * The flags of a command that has all keys of its locks, and no other flag; and what
	 * the script replies to one that needs them.
	 */
	String ALL_KEYS = "+";

	BulkStrings keys();

	BulkStrings arguments();

	/**
	 * With nothing but the locks: most commands touch no other key, and each that is
	 * named costs the server time.
	 *
	 * @param flags those of the one that follows if it needs more keys, which comes
	 * behind others
	 * @param locks the keys of the locks, as applications know them
	 * @param bucket where they are
	 */
	record Brief(BulkStrings keys, BulkStrings arguments, String flags, List<String> locks,
			Bucket bucket) implements LockRequest {

		/**
		 * Return what follows.
		 */
		Full inFull() {
			return this.bucket.full(this.locks, this.flags, this.arguments);
		}

	}

	/**
	 * With all keys of each lock; its arguments begin with its flags.
	 */
	record Full(BulkStrings keys, BulkStrings arguments) implements LockRequest {

	}

}
