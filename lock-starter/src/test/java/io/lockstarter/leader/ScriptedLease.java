// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * A lease that is lost when the test says so.
 */
final class ScriptedLease implements Lease {

	private static final String KEY = "leader:reports";

	private final List<Consumer<LossCause>> actions = new ArrayList<>();

	private final long token;

	private final Runnable beforeUse;

	private @Nullable LossCause cause;

	private boolean expired;

	private boolean closed;

	ScriptedLease(long token) {
		this(token, () -> {
		});
	}

	/**
	 * Create a lease.
	 * @param beforeUse called before each use
	 */
	ScriptedLease(long token, Runnable beforeUse) {
		this.token = token;
		this.beforeUse = beforeUse;
	}

	/**
	 * Let the deadline pass without anybody being told yet.
	 */
	void expire() {
		this.expired = true;
	}

	void lose(LossCause cause) {
		this.cause = cause;
		List.copyOf(this.actions).forEach((action) -> action.accept(cause));
	}

	boolean isClosed() {
		return this.closed;
	}

	int actions() {
		return this.actions.size();
	}

	@Override
	public String key() {
		return KEY;
	}

	@Override
	public String name() {
		return KEY;
	}

	@Override
	public String ownerId() {
		return "app:1";
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public Duration ttl() {
		return Duration.ofSeconds(30);
	}

	@Override
	public boolean isValid() {
		return this.cause == null && !this.closed && !this.expired;
	}

	@Override
	public Duration remaining() {
		return isValid() ? ttl() : Duration.ZERO;
	}

	@Override
	public void checkValid() {
		if (this.cause != null) {
			throw new LockLostException(KEY, this.token, this.cause);
		}
	}

	@Override
	public Registration onLost(Consumer<LossCause> action) {
		this.beforeUse.run();
		this.actions.add(action);
		return () -> this.actions.remove(action);
	}

	@Override
	public boolean extend(Duration ttl) {
		return isValid();
	}

	@Override
	public CompletableFuture<Boolean> extendAsync(Duration ttl) {
		return CompletableFuture.completedFuture(isValid());
	}

	@Override
	public void holdAtLeast(Duration minHold) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<Boolean> releaseAsync() {
		this.beforeUse.run();
		boolean held = isValid();
		this.closed = true;
		return CompletableFuture.completedFuture(held);
	}

	@Override
	public void close() {
		releaseAsync().join();
	}

}
