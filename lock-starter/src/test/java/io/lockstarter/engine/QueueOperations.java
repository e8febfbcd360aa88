// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * What Lincheck's threads do to a fair lock. Each asks for itself; a grant may come from
 * whoever releases, so asking never blocks.
 */
public abstract class QueueOperations {

	private final FairLock lock;

	QueueOperations(FairLock lock) {
		this.lock = lock;
	}

	/**
	 * Ask for the lock and wait in line.
	 * @param thread who asks
	 * @return whether it is held
	 */
	@Operation
	public boolean request(@Param(gen = ThreadIdGen.class) int thread) {
		return this.lock.request(thread);
	}

	/**
	 * Cancel the request, or release what came of it: a grant may be on its way.
	 * @param thread who asked
	 * @return whether there was a request
	 */
	@Operation
	public boolean giveUp(@Param(gen = ThreadIdGen.class) int thread) {
		return this.lock.cancel(thread) || this.lock.release(thread);
	}

	/**
	 * The time to wait is over.
	 * @param thread who waits
	 * @return whether that was before the lock was granted
	 */
	@Operation
	public boolean expire(@Param(gen = ThreadIdGen.class) int thread) {
		return this.lock.expire(thread);
	}

	/**
	 * Release the lock, if held.
	 * @param thread who may hold it
	 * @return whether it was held
	 */
	@Operation
	public boolean release(@Param(gen = ThreadIdGen.class) int thread) {
		return this.lock.release(thread);
	}

	/**
	 * Whoever got an answer was told of it.
	 */
	@Validate
	public void everybodyIsTold() {
		this.lock.checkTold();
	}

	/**
	 * Over a store that answers at once.
	 */
	public abstract static class AnsweredAtOnce extends QueueOperations {

		private final FairLock lock;

		AnsweredAtOnce(FairLock lock) {
			super(lock);
			this.lock = lock;
		}

		/**
		 * Ask for the lock without waiting.
		 * @param thread who asks
		 * @return whether it is held
		 */
		@Operation
		public boolean tryOnce(@Param(gen = ThreadIdGen.class) int thread) {
			return this.lock.tryOnce(thread);
		}

	}

	/**
	 * Over a store that answers when the test does, as one of its threads.
	 */
	public abstract static class AnsweredLater extends QueueOperations {

		private final FairLock lock;

		AnsweredLater(FairLock lock) {
			super(lock);
			this.lock = lock;
		}

		/**
		 * Grant what was asked for.
		 * @return whether anything was
		 */
		@Operation(nonParallelGroup = "store")
		public boolean grant() {
			return this.lock.answer(true);
		}

		/**
		 * Refuse what was asked for.
		 * @return whether anything was
		 */
		@Operation(nonParallelGroup = "store")
		public boolean refuse() {
			return this.lock.answer(false);
		}

	}

	/**
	 * What can happen to two who wait while a third holds the lock. Fewer operations than
	 * above, so that more of their interleavings are seen.
	 */
	public abstract static class Prepared {

		private static final int HOLDER = 0;

		private static final int FIRST = 1;

		private static final int SECOND = 2;

		private final FairLock lock;

		Prepared(FairLock lock) {
			this.lock = lock;
			lock.request(HOLDER);
			lock.request(FIRST);
			lock.request(SECOND);
		}

		/**
		 * Whoever got an answer was told of it.
		 */
		@Validate
		public void everybodyIsTold() {
			this.lock.checkTold();
		}

		/**
		 * The holder is done.
		 * @return whether it held the lock
		 */
		@Operation(nonParallelGroup = "holder")
		public boolean releaseHolder() {
			return this.lock.release(HOLDER);
		}

		/**
		 * The first one gives up, or releases what was on its way.
		 * @return whether it waited or held the lock
		 */
		@Operation(nonParallelGroup = "first")
		public boolean giveUpFirst() {
			return this.lock.cancel(FIRST) || this.lock.release(FIRST);
		}

		/**
		 * The first one has waited long enough.
		 * @return whether that was before it was granted the lock
		 */
		@Operation(nonParallelGroup = "first")
		public boolean expireFirst() {
			return this.lock.expire(FIRST);
		}

		/**
		 * The first one is done.
		 * @return whether it held the lock
		 */
		@Operation(nonParallelGroup = "first")
		public boolean releaseFirst() {
			return this.lock.release(FIRST);
		}

		/**
		 * The second one gives up, or releases what was on its way.
		 * @return whether it waited or held the lock
		 */
		@Operation(nonParallelGroup = "second")
		public boolean giveUpSecond() {
			return this.lock.cancel(SECOND) || this.lock.release(SECOND);
		}

		/**
		 * The second one is done.
		 * @return whether it held the lock
		 */
		@Operation(nonParallelGroup = "second")
		public boolean releaseSecond() {
			return this.lock.release(SECOND);
		}

		/**
		 * Somebody else tries.
		 * @return whether the lock was free
		 */
		@Operation(nonParallelGroup = "second")
		public boolean tryOnce() {
			return this.lock.tryOnce(SECOND + 1);
		}

	}

	/**
	 * A fair lock whose waiters are numbers.
	 */
	interface FairLock {

		boolean request(int thread);

		boolean tryOnce(int thread);

		boolean cancel(int thread);

		boolean expire(int thread);

		boolean release(int thread);

		boolean answer(boolean granted);

		/**
		 * Check, when no operation is under way, that everybody was told.
		 */
		default void checkTold() {
		}

	}

}
