// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.testkit.HoldEvent;
import io.lockstarter.testkit.HoldHistory;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * JVMs that collect garbage all the time are late with everything: with renewals, with
 * the loss that they tell, and with what they do about it.
 */
@Tag("proof")
@Tag("alone")
class HeapPressureTest {

	private static final int SECONDS = Integer.getInteger("proof.pressedSeconds", 8);

	@Test
	void noLeaseIsHeldOnceAnotherIs(@TempDir Path directory) throws IOException {
		HoldHistory history = new HoldHistory(Duration.ofHours(1));
		try (RedisServer redis = RedisServers.start()) {
			List<JvmProcess> jvms = new ArrayList<>();
			try {
				for (int i = 0; i < 2; i++) {
					jvms.add(JvmProcess.start(JvmProcess.classPath(), List.of("-Xmx64m"), PressedApplication.class,
							redis.port(), SECONDS, directory.resolve("jvm-" + i)));
				}
				jvms.forEach((jvm) -> jvm.await("done"));
			}
			finally {
				jvms.forEach(JvmProcess::close);
			}
		}
		for (int i = 0; i < 2; i++) {
			Files.readAllLines(directory.resolve("jvm-" + i)).forEach((line) -> tell(history, line.split(" ", -1)));
		}
		assertThat(history.violations()).isEmpty();
		System.out.printf("Heap pressure: %,d sections, ttl 60 ms%n", history.grants());
		assertThat(history.grants()).isGreaterThan(SECONDS * 5L);
	}

	private static void tell(HoldHistory history, String[] event) {
		long at = Long.parseLong(event[1]);
		long until = Long.parseLong(event[2]);
		long token = Long.parseLong(event[3]);
		switch (event[0]) {
			case "G" -> history.add(HoldEvent.granted("pressed", "", at, until, token));
			case "H" -> {
				history.add(HoldEvent.extended("pressed", "", at, until, token));
				history.add(HoldEvent.toldHeld("pressed", "", at, token));
			}
			case "L" -> history.add(HoldEvent.toldLost("pressed", "", at, token));
			default -> history.add(HoldEvent.ended("pressed", "", at, token));
		}
	}

}
