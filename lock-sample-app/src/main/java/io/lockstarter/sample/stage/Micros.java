// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time of day in microseconds. All instances run on one machine, so they agree on it.
 */
final class Micros {

	private Micros() {
	}

	static long now() {
		return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
	}

}
