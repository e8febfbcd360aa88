// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

/**
 * What takes its time between reading the stock and writing it back: a price, a payment,
 * a call to somebody else.
 */
public interface Thinking {

	/**
	 * Take that time.
	 * @param time how long
	 */
	void think(Duration time);

}
