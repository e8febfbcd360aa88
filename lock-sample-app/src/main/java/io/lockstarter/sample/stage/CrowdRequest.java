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
package io.lockstarter.sample.stage;

import io.lockstarter.sample.shop.Protection;

/**
 * What crowd to send.
 *
 * @param protection which shop it goes to
 * @param buyers how many buyers there are, up to 5000
 * @param atOnce how many of them shop at the same time, up to 128
 * @param thinkMillis how long the shop thinks, in milliseconds, up to 1000
 */
record CrowdRequest(Protection protection, int buyers, int atOnce, int thinkMillis) {

	CrowdRequest {
		check("buyers", buyers, 1, 5000);
		check("atOnce", atOnce, 1, 128);
		check("thinkMillis", thinkMillis, 0, 1000);
	}

	private static void check(String name, int value, int min, int max) {
		if (value < min || value > max) {
			throw new IllegalArgumentException(
					"%s must be between %d and %d, but is %d".formatted(name, min, max, value));
		}
	}

}
