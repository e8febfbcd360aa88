// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class FlawsTest {

	@ParameterizedTest
	@ValueSource(strings = { "Cannot acquire k: no connection to Redis: Connection reset",
			"Cannot acquire another and 2 others: no connection to Redis: Connection reset",
			"Cannot acquire k: no majority of the 3 servers answered: the time is over",
			"Cannot acquire k: no majority of the 3 servers answered: node 1: no answer in time; node 3: Cannot acquire k" })
	void failureThatSaysWhyIsRight(String message) {
		assertThat(flaw(message)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "Cannot acquire another: no connection to Redis: Connection reset",
			"Cannot acquire k: no connection to Redis: null", "Cannot acquire k: ",
			"Cannot acquire k: no majority of the 3 servers answered: ",
			"Cannot acquire k: no majority of the 3 servers answered: node 1: ; node 3: Cannot acquire k",
			"Cannot acquire k: no majority of the 3 servers answered: Cannot acquire k" })
	void failureThatDoesNotSayWhyIsFound(String message) {
		assertThat(flaw(message)).contains(message);
	}

	@Test
	void failureOfAnotherKindIsFound() {
		assertThat(Flaws.of(new NullPointerException("k"), List.of("k"))).contains("NullPointerException");
		assertThat(Flaws.of(new CompletionException(new ClassCastException("k")), List.of())).contains("ClassCast");
	}

	@Test
	void refusalAndWithdrawalAreRight() {
		assertThat(Flaws.of(new CancellationException(), List.of("k"))).isNull();
		assertThat(Flaws.of(new IllegalStateException("The lock registry is shut down"), List.of("k"))).isNull();
		assertThat(Flaws.of(new LockNotAcquiredException("k", Duration.ZERO, List.of()), List.of("k"))).isNull();
	}

	private static @Nullable String flaw(String message) {
		return Flaws.of(new LockStoreException(message, true, null), List.of("k"));
	}

}
