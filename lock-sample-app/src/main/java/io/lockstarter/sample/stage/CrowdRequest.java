// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import io.lockstarter.sample.shop.Protection;

/**
 * What crowd to send.
 *
 * @param protection which shop it goes to
 * @param buyers how many buyers there are, up to 5000
 * @param atOnce how many of them shop at the same time, up to 128
 * @param thinkMillis how long the shop thinks, in milliseconds, up to 10,000
 */
record CrowdRequest(Protection protection, int buyers, int atOnce, int thinkMillis) {

	CrowdRequest {
		check("buyers", buyers, 1, 5000);
		check("atOnce", atOnce, 1, 128);
		check("thinkMillis", thinkMillis, 0, 10_000);
	}

	private static void check(String name, int value, int min, int max) {
		if (value < min || value > max) {
			throw new IllegalArgumentException(
					"%s must be between %d and %d, but is %d".formatted(name, min, max, value));
		}
	}

}
