// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What a lock protects: a value that is read, and written some time later. It takes no
 * part in any protocol and never fails. One that is fenced refuses tokens smaller than
 * the largest it has seen, also from readers.
 */
final class Register {

	private final boolean fenced;

	private final List<Write> writes = new ArrayList<>();

	private long value;

	private long largestToken;

	private @Nullable String changed;

	Register(boolean fenced) {
		this.fenced = fenced;
	}

	/**
	 * Read the value.
	 * @return the value; -1 if the token is refused
	 */
	long read(long token) {
		return admits(token) ? this.value : -1;
	}

	/**
	 * Write a value that nobody else writes.
	 * @return whether the token is admitted
	 */
	boolean write(long token, long read, long written, long readAt, long writtenAt, boolean promised) {
		if (!admits(token)) {
			return false;
		}
		this.value = written;
		this.writes.add(new Write(read, written, readAt, writtenAt, promised));
		return true;
	}

	/**
	 * Read the value again that nobody may have written meanwhile.
	 */
	void readAgain(long token, long before, boolean promised) {
		long again = read(token);
		if (promised && before >= 0 && again >= 0 && again != before && isPromisedSince(before)) {
			this.changed = "token %d read %d, and then %d".formatted(token, before, again);
		}
	}

	/**
	 * Return whether nobody wrote since who may overlap with others.
	 */
	private boolean isPromisedSince(long before) {
		for (int i = this.writes.size() - 1; i >= 0 && this.writes.get(i).written != before; i--) {
			if (!this.writes.get(i).promised) {
				return false;
			}
		}
		return true;
	}

	private boolean admits(long token) {
		if (this.fenced && token < this.largestToken) {
			return false;
		}
		this.largestToken = Math.max(this.largestToken, token);
		return true;
	}

	int count() {
		return this.writes.size();
	}

	@Nullable String check() {
		return (this.changed != null) ? this.changed : check(this.writes);
	}

	/**
	 * Check that each value was made from the one before it, and that this order is one
	 * in which it may have happened: each read-modify-write took effect as one step
	 * between its read and its write. In linear time, as no value is written twice.
	 * @return what is wrong
	 */
	static @Nullable String check(List<Write> writes) {
		Set<Long> written = new HashSet<>();
		long value = 0;
		long earliest = Long.MIN_VALUE;
		boolean promisedBefore = true;
		for (Write write : writes) {
			if (!written.add(write.written)) {
				return "value %d was written twice".formatted(write.written);
			}
			if (write.read != value && write.promised && promisedBefore) {
				return "an update was lost: %s, but the value was %d".formatted(write, value);
			}
			earliest = Math.max(earliest, write.readAt);
			if (earliest > write.writtenAt) {
				return "no order of steps explains %s".formatted(write);
			}
			value = write.written;
			promisedBefore = write.promised;
		}
		return null;
	}

	/**
	 * A read-modify-write that was acknowledged.
	 *
	 * @param promised whether no fault broke an assumption
	 */
	record Write(long read, long written, long readAt, long writtenAt, boolean promised) {

	}

}
