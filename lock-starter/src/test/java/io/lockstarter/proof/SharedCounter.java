// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A counter in a file that several JVMs map, and which is only right if sections exclude
 * each other: what a section writes is neither atomic nor volatile. It keeps a record of
 * what went wrong. Instants are {@link System#nanoTime()}, which is one clock for all
 * JVMs of a Linux machine.
 */
final class SharedCounter {

	static final int WORKERS = 64;

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final MappedByteBuffer memory;

	SharedCounter(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			long size = (long) Long.BYTES * (Slot.values().length + WORKERS);
			this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
			this.memory.order(ByteOrder.nativeOrder());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Begin a section, with the lock held.
	 * @param token the fencing token of the lease
	 */
	void begin(long token) {
		long now = System.nanoTime();
		if (get(Slot.STARTED) != get(Slot.FINISHED)) {
			put(Slot.TORN, get(Slot.TORN) + 1);
			put(Slot.STARTED, get(Slot.FINISHED));
			signal(Slot.RECOVERED_AT, now);
		}
		if (now < get(Slot.LAST_END)) {
			count(Slot.OVERLAPS);
		}
		if (token <= get(Slot.LAST_TOKEN)) {
			count(Slot.STALE_TOKENS);
		}
		put(Slot.LAST_TOKEN, token);
		put(Slot.STARTED, get(Slot.STARTED) + 1);
	}

	/**
	 * Count, in a way that loses updates unless sections exclude each other.
	 */
	void increment() {
		long before = get(Slot.COUNTER);
		Thread.onSpinWait();
		put(Slot.COUNTER, before + 1);
	}

	/**
	 * End a section, with the lock still held.
	 * @param worker who counted
	 */
	void end(int worker) {
		int own = Slot.values().length + worker;
		put(own, get(own) + 1);
		put(Slot.FINISHED, get(Slot.FINISHED) + 1);
		put(Slot.LAST_END, System.nanoTime());
	}

	long get(Slot slot) {
		return get(index(slot));
	}

	/**
	 * Return how many sections a worker ended.
	 * @param worker the worker
	 * @return its sections
	 */
	long sections(int worker) {
		return get(Slot.values().length + worker);
	}

	/**
	 * Return how many sections all workers ended, as each counted for itself.
	 * @return the sum
	 */
	long sections() {
		long sum = 0;
		for (int worker = 0; worker < WORKERS; worker++) {
			sum += sections(worker);
		}
		return sum;
	}

	/**
	 * Write a slot that does not take part in the race.
	 * @param slot the slot
	 * @param value the value, seen by the other JVMs from now on
	 */
	void signal(Slot slot, long value) {
		LONGS.setVolatile(this.memory, Long.BYTES * index(slot), value);
	}

	/**
	 * Read a slot that does not take part in the race.
	 * @param slot the slot
	 * @return the value as of now
	 */
	long signalled(Slot slot) {
		return (long) LONGS.getVolatile(this.memory, Long.BYTES * index(slot));
	}

	boolean exchange(Slot slot, long expected, long value) {
		return LONGS.compareAndSet(this.memory, Long.BYTES * index(slot), expected, value);
	}

	private void count(Slot slot) {
		LONGS.getAndAdd(this.memory, Long.BYTES * index(slot), 1L);
	}

	private void put(Slot slot, long value) {
		put(index(slot), value);
	}

	// The enum is the layout of the file.
	@SuppressWarnings("EnumOrdinal")
	private static int index(Slot slot) {
		return slot.ordinal();
	}

	private long get(int index) {
		return this.memory.getLong(Long.BYTES * index);
	}

	private void put(int index, long value) {
		this.memory.putLong(Long.BYTES * index, value);
	}

	/**
	 * What the file holds, before one slot for each worker.
	 */
	enum Slot {

		/** What all count. */
		COUNTER,
		/** Sections begun and ended: apart while one runs, or was killed. */
		STARTED, FINISHED,
		/** Sections that were begun and never ended, as a later one found. */
		TORN,
		/** The fencing token of the last section, and when it ended. */
		LAST_TOKEN, LAST_END,
		/** Sections that began before another ended, or with too small a token. */
		OVERLAPS, STALE_TOKENS,
		/** When a section began that found another one torn. */
		RECOVERED_AT,
		/** 0: wait, 1: count, 2: end. */
		STATE,
		/** 0, 1: the next to begin is to wait for its end, 2 + n: instance n does. */
		GALLOWS

	}

}
