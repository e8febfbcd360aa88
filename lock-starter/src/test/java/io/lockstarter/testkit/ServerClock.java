// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

import org.springframework.util.FileSystemUtils;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The wall clock of a server that a test may set. It stands before the C library and adds
 * to what that answers, so the server must be linked dynamically:
 * {@link RedisServers#startOldest}. Needs a C compiler; the test is skipped where there
 * is none.
 */
public final class ServerClock implements AutoCloseable {

	private final Path directory;

	private final MappedByteBuffer offset;

	/**
	 * Make a clock that is right.
	 */
	public ServerClock() {
		try {
			this.directory = Files.createTempDirectory("lock-starter-clock");
			try (InputStream source = requireNonNull(ServerClock.class.getResourceAsStream("server-clock.c"))) {
				Files.copy(source, this.directory.resolve("server-clock.c"));
			}
			try (FileChannel file = FileChannel.open(offsetFile(), StandardOpenOption.CREATE, StandardOpenOption.READ,
					StandardOpenOption.WRITE)) {
				this.offset = file.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
				this.offset.order(ByteOrder.nativeOrder());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		compile();
	}

	/**
	 * Return what a process needs to go by this clock.
	 * @return environment variables
	 */
	public Map<String, String> environment() {
		return Map.of("LD_PRELOAD", library().toString(), "SERVER_CLOCK", offsetFile().toString());
	}

	/**
	 * Set the clock.
	 * @param step by how much, forward or back
	 */
	public void step(Duration step) {
		this.offset.putLong(0, this.offset.getLong(0) + step.toNanos());
	}

	private void compile() {
		try {
			Process compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-O2", "-o", library().toString(),
					this.directory.resolve("server-clock.c").toString())
				.inheritIO()
				.start();
			if (compiler.waitFor() != 0) {
				throw new IllegalStateException("server-clock.c does not compile");
			}
		}
		catch (IOException ex) {
			close();
			assumeTrue(false, "No C compiler on this machine");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private Path library() {
		return this.directory.resolve("server-clock.so");
	}

	private Path offsetFile() {
		return this.directory.resolve("offset");
	}

	@Override
	public void close() {
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

}
