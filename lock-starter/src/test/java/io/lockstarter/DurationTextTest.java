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
package io.lockstarter;

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
