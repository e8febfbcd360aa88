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

		EXCLUSION, LIMIT, REVIVED, TOKEN_ORDER, TOKEN_TWICE, LOSS_NOT_TOLD, FALSE_LOSS, FALSE_BUSY, CALL_WITHOUT_END,
		OVERTAKEN, NOT_ACQUIRED, ORPHAN, LEFTOVER, LOST_UPDATE, FENCE_BROKEN, EXCEPTION

	}

	@Override
	public String toString() {
		return "VIOLATION " + this.rule + ": " + this.details;
	}

}
