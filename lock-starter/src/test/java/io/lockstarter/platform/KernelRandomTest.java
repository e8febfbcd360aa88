// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class KernelRandomTest {

	@TempDir
	private Path directory;

	@Test
	void numberIsWhatTheKernelSays() throws IOException {
		Path device = Files.write(this.directory.resolve("random"), new byte[] { 1, 2, 3, 4, 5, 6, 7, 8 });
		assertThat(new KernelRandom(device).nextLong()).isEqualTo(0x0102030405060708L);
	}

	@Test
	void withoutAKernelThatHasThemNumbersAreRandomAllTheSame() {
		KernelRandom random = new KernelRandom(this.directory.resolve("none"));
		assertThat(random.nextLong()).isNotEqualTo(random.nextLong());
	}

	@Test
	void withTooFewOfTheKernelNumbersAreRandomAllTheSame() throws IOException {
		KernelRandom random = new KernelRandom(Files.write(this.directory.resolve("random"), new byte[7]));
		assertThat(random.nextLong()).isNotEqualTo(random.nextLong());
	}

	@Test
	void noTwoNumbersOfThisSystemAreTheSame() {
		assertThat(Platform.system().secureRandom().nextLong())
			.isNotEqualTo(Platform.system().secureRandom().nextLong());
	}

}
