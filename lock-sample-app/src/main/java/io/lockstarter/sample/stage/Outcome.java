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

	/** The database refused a late write. */
	REFUSED,

	/** Something went wrong. */
	FAILED

}
