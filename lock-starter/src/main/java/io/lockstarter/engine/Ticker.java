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
	 * @return the present instant
	 */
	long nanoTime();

	/**
	 * Return the clock of this JVM.
	 * @return a clock that starts at zero
	 */
	static Ticker system() {
		long origin = System.nanoTime();
		return () -> System.nanoTime() - origin;
	}

	/**
	 * Add a delay to an instant; a sum out of range is {@link #NEVER}.
	 * @param instant an instant of this clock
	 * @param delay nanoseconds, not negative
	 * @return the later instant
	 */
	static long plus(long instant, long delay) {
		return (delay >= NEVER - instant) ? NEVER : instant + delay;
	}

}
