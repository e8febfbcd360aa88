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
 * What most of the locks are like, as only such show some bugs.
 */
enum Focus {

	/**
	 * A matter of the seed.
	 */
	NONE,

	/**
	 * Most are wanted in shared mode.
	 */
	SHARED,

	/**
	 * Most are retained when they are released.
	 */
	RETAINED;

	private static final int MOSTLY = 60;

	Scenario of(Scenario scenario) {
		return switch (this) {
			case NONE -> scenario;
			case SHARED -> scenario.withShared(MOSTLY);
			case RETAINED -> scenario.withRetained(MOSTLY);
		};
	}

}
