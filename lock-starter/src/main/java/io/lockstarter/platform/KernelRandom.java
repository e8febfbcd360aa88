// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * Random numbers of the kernel, or of {@link SecureRandom} where there are none: that
 * mixes them with numbers of its own, for which it loads some forty classes, and few are
 * needed, of which at least two while an application starts. Thread-safe.
 */
final class KernelRandom implements RandomGenerator {

	private final Path device;

	/**
	 * Create a generator.
	 * @param device has the random numbers of the kernel
	 */
	KernelRandom(Path device) {
		this.device = device;
	}

	@Override
	public long nextLong() {
		try (DataInputStream device = new DataInputStream(new FileInputStream(this.device.toString()))) {
			return device.readLong();
		}
		catch (IOException ex) {
			return new SecureRandom().nextLong();
		}
	}

}
