// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A few numbers that all JVMs of a measurement see, in a file that they map into their
 * memory.
 */
public final class SharedMemory {

	private static final int SIZE = 4096;

	// A cache line apart.
	private static final int COUNTER = 0;

	private static final int TOKEN = 128;

	private static final int HOLDER = 256;

	private static final int RELEASED_AT = 384;

	private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final ByteBuffer memory;

	private SharedMemory(MappedByteBuffer memory) {
		this.memory = memory.order(ByteOrder.nativeOrder());
	}

	/**
	 * Map a file.
	 * @param file the file, which is made if need be
	 * @return its content
	 */
	public static SharedMemory map(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new SharedMemory(channel.map(MapMode.READ_WRITE, 0, SIZE));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return how many protected sections there were, as far as no update was lost.
	 * @return the counter
	 */
	public long counter() {
		return this.memory.getLong(COUNTER);
	}

	/**
	 * Set the counter, with no more than a plain write. Who reads it, does his work and
	 * then writes one more loses the updates of others, unless they are excluded.
	 * @param value the new value
	 */
	void counter(long value) {
		this.memory.putLong(COUNTER, value);
	}

	/**
	 * Remember a fencing token.
	 * @param token the token of the current holder
	 * @return whether it is larger than those of all holders before
	 */
	boolean grows(long token) {
		boolean grows = isNext(token);
		this.memory.putLong(TOKEN, token);
		return grows;
	}

	/**
	 * Return whether a fencing token is larger than those that are remembered.
	 * @param token a token that others may have, too
	 * @return whether no holder before had as large a one
	 */
	boolean isNext(long token) {
		return token > this.memory.getLong(TOKEN);
	}

	/**
	 * Return who entered last.
	 * @return the number of the JVM, from one; zero if nobody did
	 */
	long holder() {
		return (long) LONG.getVolatile(this.memory, HOLDER);
	}

	void holder(long jvm) {
		LONG.setVolatile(this.memory, HOLDER, jvm);
	}

	/**
	 * Return when the last holder began to release.
	 * @return an instant of {@link System#nanoTime()}
	 */
	long releasedAt() {
		return (long) LONG.getVolatile(this.memory, RELEASED_AT);
	}

	void releasedAt(long instant) {
		LONG.setVolatile(this.memory, RELEASED_AT, instant);
	}

}
