// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

/**
 * How a purchase ended.
 */
enum Outcome {

	/** The buyer has an order. */
	SOLD,

	/** Nothing was left. */
	SOLD_OUT,

	/** The lock stayed busy for too long. */
	BUSY,

	/** The database refused a late write: the fence. */
	REFUSED,

	/** The commit was refused, as the lock was lost. */
	COMMIT_REFUSED,

	/** Something went wrong. */
	FAILED

}
