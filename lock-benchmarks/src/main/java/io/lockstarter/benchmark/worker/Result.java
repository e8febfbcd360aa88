// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Properties;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * What one JVM measured; kept in a file. Not thread-safe.
 */
public final class Result {

	/**
	 * Sections in the measured time.
	 */
	public static final String MEASURED = "measured";

	/**
	 * Of these, by the thread with the fewest.
	 */
	public static final String LEAST = "least";

	/**
	 * Of these, by the thread with the most.
	 */
	public static final String MOST = "most";

	/**
	 * Sections that counted in shared memory, whenever it was.
	 */
	public static final String SECTIONS = "sections";

	/**
	 * Fencing tokens that were not larger than the one before.
	 */
	public static final String TOKEN_BREACHES = "token-breaches";

	/**
	 * Threads that did not end.
	 */
	public static final String STUCK = "stuck";

	/**
	 * CPU time of the JVM in the measured time, in nanoseconds.
	 */
	public static final String CPU = "cpu";

	/**
	 * Bytes that the threads of the JVM allocated in the measured time.
	 */
	public static final String ALLOCATED = "allocated";

	/**
	 * Sections in the first third of the measured time.
	 */
	public static final String FIRST_THIRD = "first-third";

	/**
	 * Sections in its last third.
	 */
	public static final String LAST_THIRD = "last-third";

	/**
	 * Milliseconds of garbage collection in the measured time.
	 */
	public static final String GC_MILLIS = "gc-millis";

	/**
	 * How long the work took that is counted, in milliseconds.
	 */
	public static final String MILLIS = "millis";

	/**
	 * How many threads there are more than before.
	 */
	public static final String MORE_THREADS = "more-threads";

	/**
	 * What was alive in the heap earlier: the first part of names.
	 */
	public static final String EARLIER = "earlier-";

	/**
	 * What was alive in the heap in the end: the first part of names.
	 */
	public static final String LATER = "later-";

	/**
	 * All bytes.
	 */
	public static final String BYTES = "bytes";

	/**
	 * Objects of lock-starter.
	 */
	public static final String OUR_OBJECTS = "our-objects";

	/**
	 * Objects of Lettuce.
	 */
	public static final String LETTUCE_OBJECTS = "lettuce-objects";

	/**
	 * Local queues of lock-starter.
	 */
	public static final String QUEUES = "queues";

	/**
	 * How long it took, in nanoseconds: to acquire, or to hand over.
	 */
	public static final String TIMES = "times";

	private final Properties values = new Properties();

	/**
	 * Read a file.
	 * @param file the file
	 * @return its content
	 */
	public static Result load(Path file) {
		Result result = new Result();
		try (Reader reader = Files.newBufferedReader(file)) {
			result.values.load(reader);
			return result;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a histogram of any values.
	 * @return an empty histogram
	 */
	public static Histogram histogram() {
		return new Histogram(3);
	}

	/**
	 * Return a number.
	 * @param name its name
	 * @return the number; zero if there is none
	 */
	public long get(String name) {
		return Long.parseLong(this.values.getProperty(name, "0"));
	}

	/**
	 * Return how long it took.
	 * @return the times in nanoseconds
	 */
	public Histogram times() {
		byte[] bytes = Base64.getDecoder().decode(this.values.getProperty(TIMES, ""));
		try {
			return (bytes.length > 0) ? Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0)
					: histogram();
		}
		catch (DataFormatException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void add(String name, long value) {
		put(name, get(name) + value);
	}

	void put(String name, long value) {
		this.values.setProperty(name, String.valueOf(value));
	}

	void put(Histogram times) {
		ByteBuffer buffer = ByteBuffer.allocate(times.getNeededByteBufferCapacity());
		int length = times.encodeIntoCompressedByteBuffer(buffer);
		this.values.setProperty(TIMES, Base64.getEncoder().encodeToString(sub(buffer.array(), length)));
	}

	void copyTo(Result other) {
		other.values.putAll(this.values);
	}

	void store(Path file) {
		try (Writer writer = Files.newBufferedWriter(file)) {
			this.values.store(writer, null);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static byte[] sub(byte[] bytes, int length) {
		return ByteBuffer.allocate(length).put(bytes, 0, length).array();
	}

}
