// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.ArrayDeque;
import java.util.Deque;

import io.lockstarter.engine.QueueOperations.FairLock;

/**
 * What a fair lock does when its operations come one after the other. Lincheck asks
 * whether what concurrent threads saw could have come from this.
 */
final class SequentialQueue implements FairLock {

	private static final int NOBODY = -1;

	private final boolean answeredLater;

	private final Deque<Integer> waiting = new ArrayDeque<>();

	private int holder = NOBODY;

	private boolean asking;

	private SequentialQueue(boolean answeredLater) {
		this.answeredLater = answeredLater;
	}

	@Override
	public boolean request(int thread) {
		if (isInUse(thread)) {
			return false;
		}
		this.waiting.add(thread);
		return askIfFree() && this.holder == thread;
	}

	@Override
	public boolean tryOnce(int thread) {
		if (isInUse(thread) || this.holder != NOBODY) {
			return false;
		}
		return request(thread);
	}

	@Override
	public boolean cancel(int thread) {
		return this.waiting.remove(thread);
	}

	@Override
	public boolean expire(int thread) {
		return this.waiting.remove(thread);
	}

	@Override
	public boolean release(int thread) {
		if (this.holder != thread) {
			return false;
		}
		grant();
		return true;
	}

	@Override
	public boolean answer(boolean granted) {
		if (!this.asking) {
			return false;
		}
		this.asking = false;
		if (granted) {
			grant();
		}
		else {
			this.waiting.clear();
		}
		return true;
	}

	private boolean askIfFree() {
		if (this.holder != NOBODY || this.asking) {
			return false;
		}
		if (this.answeredLater) {
			this.asking = true;
			return false;
		}
		grant();
		return true;
	}

	private void grant() {
		Integer next = this.waiting.poll();
		this.holder = (next != null) ? next : NOBODY;
	}

	private boolean isInUse(int thread) {
		return this.holder == thread || this.waiting.contains(thread);
	}

	/**
	 * Over a store that answers at once.
	 */
	public static class AnsweredAtOnce extends QueueOperations.AnsweredAtOnce {

		/**
		 * Create a free lock.
		 */
		public AnsweredAtOnce() {
			super(new SequentialQueue(false));
		}

	}

	/**
	 * Over a store that answers when the test does.
	 */
	public static class AnsweredLater extends QueueOperations.AnsweredLater {

		/**
		 * Create a free lock.
		 */
		public AnsweredLater() {
			super(new SequentialQueue(true));
		}

	}

	/**
	 * With one who holds it and two who wait.
	 */
	public static class Prepared extends QueueOperations.Prepared {

		/**
		 * Create a lock that is held.
		 */
		public Prepared() {
			super(new SequentialQueue(false));
		}

	}

}
