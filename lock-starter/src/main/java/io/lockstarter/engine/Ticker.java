package io.lockstarter.engine;

/**
 * The monotonic clock that every deadline is counted by. Starts near zero, so that
 * instants compare and add as plain numbers.
 */
@FunctionalInterface
interface Ticker {

	/**
	 * An instant that never comes.
	 */
	long NEVER = Long.MAX_VALUE;

	/**
	 * Return the nanoseconds since this clock was made.
	 */
	long nanoTime();

	static Ticker system() {
		long origin = System.nanoTime();
		return () -> System.nanoTime() - origin;
	}

	/**
	 * Add a delay, not negative; a sum out of range is {@link #NEVER}.
	 */
	static long plus(long instant, long delay) {
		return (delay >= NEVER - instant) ? NEVER : instant + delay;
	}

}
