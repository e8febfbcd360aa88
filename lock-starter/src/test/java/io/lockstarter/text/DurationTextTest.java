// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.text;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How messages write durations.
 */
class DurationTextTest {

	@ParameterizedTest
	@CsvSource({ "PT0S,0 ms", "PT0.01S,10 ms", "PT0.000001S,1 µs", "PT0.000000001S,1 ns", "PT1.5S,1500 ms", "PT1S,1 s",
			"PT90S,90 s", "PT2M,2 min", "PT1H,1 h", "PT24H,1 day", "PT8760H,365 days", "PT-1S,-1 s",
			"PT8760H0.001S,31536000001 ms", "PT9223372036854775807S,106751991167300 days" })
	void isWrittenInTheLargestUnitWithoutAFraction(Duration duration, String text) {
		assertThat(DurationText.of(duration)).isEqualTo(text);
	}

}
