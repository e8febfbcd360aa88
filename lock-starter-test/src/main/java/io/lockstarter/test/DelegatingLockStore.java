// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * {@link LockStore} that leaves all commands to another one.
 */
abstract class DelegatingLockStore implements LockStore {

	final LockStore delegate;

	DelegatingLockStore(LockStore delegate) {
		this.delegate = delegate;
	}

	/**
	 * Send a command.
	 * @param subject what it is about
	 * @param command sends it
	 * @return the answer
	 */
	<T> CompletableFuture<T> send(String subject, Supplier<CompletableFuture<T>> command) {
		return command.get();
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		return send(command.key(), () -> this.delegate.acquire(command));
	}

	@Override
	public CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		return send(commands.get(0).key(), () -> this.delegate.acquireAll(commands));
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return send(command.key(), () -> this.delegate.release(command));
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		return commands.isEmpty() ? this.delegate.renew(commands)
				: send(commands.get(0).key(), () -> this.delegate.renew(commands));
	}

	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		return send(command.key(), () -> this.delegate.keep(command));
	}

	@Override
	public Duration grantTerm() {
		return this.delegate.grantTerm();
	}

	@Override
	public boolean isShareable() {
		return this.delegate.isShareable();
	}

	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		return send(command.key(), () -> this.delegate.share(command));
	}

	@Override
	public Duration maxTtl() {
		return this.delegate.maxTtl();
	}

	@Override
	public int partition(String key) {
		return this.delegate.partition(key);
	}

	@Override
	public int partitions() {
		return this.delegate.partitions();
	}

	@Override
	@SuppressWarnings("unchecked")
	public CompletableFuture<?> leave(String key, String instance) {
		return send(key, () -> (CompletableFuture<Object>) this.delegate.leave(key, instance));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return send(key, () -> this.delegate.forceRelease(key, ownerId));
	}

	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return send(key, () -> this.delegate.inspect(key));
	}

	@Override
	public CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return send("all", () -> this.delegate.scan(cursor, limit));
	}

	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return send("all", () -> this.delegate.scan(prefix, cursor, limit));
	}

	@Override
	public void listen(String instance, Signals signals) {
		this.delegate.listen(instance, signals);
	}

	@Override
	public void ignore(String instance) {
		this.delegate.ignore(instance);
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		return this.delegate.open(listener);
	}

	@Override
	public int connectionCount() {
		return this.delegate.connectionCount();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}
