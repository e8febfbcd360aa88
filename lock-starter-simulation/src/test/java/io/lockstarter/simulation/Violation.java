// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * A promise that was broken.
 *
 * @param rule which one
 * @param time when
 * @param details by whom, and how
 */
record Violation(Rule rule, long time, String details) {

	/**
	 * What is promised.
	 */
	enum Rule {

		EXCLUSION, UNPROTECTED, LIMIT, TERMS, REVIVED, TOKEN_ORDER, TOKEN_TWICE, LOSS_NOT_TOLD, LOSS_TOLD_TWICE,
		FALSE_LOSS, FALSE_BUSY, CALL_WITHOUT_END, OVERTAKEN, IN_VAIN, NOT_ACQUIRED, ORPHAN, LEFTOVER, NOT_REPLICATED,
		LOST_UPDATE, FENCE_BROKEN, EXCEPTION, LEADER

	}

	@Override
	public String toString() {
		return "VIOLATION " + this.rule + ": " + this.details;
	}

}
