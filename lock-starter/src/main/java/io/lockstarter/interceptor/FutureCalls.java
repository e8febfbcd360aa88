package io.lockstarter.interceptor;

/**
 * Calls whose result is a {@link java.util.concurrent.CompletionStage}. The leases are
 * held until the stage that the method returned is complete.
 */
final class FutureCalls implements CallStyle {

	private final LaterLocks locks;

	private final boolean onThisThread;

	/**
	 * Create the style.
	 * @param locks the locks
	 * @param onThisThread whether the thread that calls is there for the method alone
	 */
	FutureCalls(LaterLocks locks, boolean onThisThread) {
		this.locks = locks;
		this.onThisThread = onThisThread;
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // it is returned
	public Object run(LockSpec spec, LockCall call) {
		return new FutureCall(this.locks, spec, call).start(this.onThisThread);
	}

	@Override
	public boolean runsLater() {
		return true;
	}

}
