// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.function.Supplier;

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
	 * comes behind others
	 * @param all supplies all keys of the locks
	 */
	record Brief(BulkStrings keys, BulkStrings arguments, Supplier<BulkStrings> again,
			Supplier<BulkStrings> all) implements LockRequest {

		/**
		 * What the script replies to a command that needs all keys of its locks, and what
		 * stands before the name of one that has them.
		 */
		static final String ALL_KEYS = "+";

		/**
		 * Return what follows.
		 */
		Full inFull() {
			return full(this.again.get());
		}

		/**
		 * Return what to send at once if the locks are known not to be enough.
		 */
		Full atOnce() {
			return full(this.arguments);
		}

		private Full full(BulkStrings sent) {
			return new Full(this.all.get(), new BulkStrings(128).add(ALL_KEYS).addAll(sent));
		}

	}

	/**
	 * With all keys of each lock.
	 */
	record Full(BulkStrings keys, BulkStrings arguments) implements LockRequest {

	}

}
