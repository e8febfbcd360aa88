// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * The store of a process, which tells what it is asked and what it answers.
 */
final class AskedStore implements LockStore {

	private final LockStore store;

	private final Asked asked;

	AskedStore(LockStore store, Asked asked) {
		this.store = store;
		this.asked = asked;
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		boolean seen = this.asked.isSeen(command);
		this.asked.acquires(command);
		CompletableFuture<AcquireReply> answer = this.asked.judged("acquire", command.key(),
				this.store.acquire(command));
		var unused = answer.whenComplete((reply, failure) -> {
			if (failure != null) {
				this.asked.failed(command, seen, failure);
			}
			else {
				this.asked.answered(command, reply);
			}
		});
		return answer;
	}

	@Override
	public CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		commands.forEach(this.asked::acquires);
		CompletableFuture<AcquireAllReply> answer = this.asked.judged("acquire all", "",
				this.store.acquireAll(commands));
		var unused = answer.thenAccept((reply) -> {
			for (int i = 0; i < reply.acquired().size(); i++) {
				this.asked.answered(commands.get(i), reply.acquired().get(i));
			}
		});
		return answer;
	}

	@Override
	public boolean isShareable() {
		return this.store.isShareable();
	}

	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		return this.asked.judged("share", command.key(), this.store.share(command));
	}

	@Override
	public Duration grantTerm() {
		return this.store.grantTerm();
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		this.asked.releases(command);
		return this.asked.judged("release", command.key(), this.store.release(command));
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		this.asked.renews(commands);
		CompletableFuture<List<@Nullable Boolean>> answer = this.asked.judged("renew", "", this.store.renew(commands));
		var unused = answer.thenAccept((held) -> this.asked.renewed(commands, held));
		return answer;
	}

	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		this.asked.keeps(command);
		return this.asked.judged("keep", command.key(), this.store.keep(command));
	}

	@Override
	public Duration maxTtl() {
		return this.store.maxTtl();
	}

	@Override
	public int partition(String key) {
		return this.store.partition(key);
	}

	@Override
	public int partitions() {
		return this.store.partitions();
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return this.asked.judged("leave", key, this.store.leave(key, instance));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return this.asked.judged("force", key, this.store.forceRelease(key, ownerId));
	}

	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return this.asked.judged("inspect", key, this.store.inspect(key));
	}

	@Override
	public CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return scan("", cursor, limit);
	}

	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return this.asked.judged("list", "", this.store.scan(prefix, cursor, limit));
	}

	@Override
	public void listen(String instance, Signals signals) {
		this.store.listen(instance, new Heard(signals));
	}

	@Override
	public void ignore(String instance) {
		this.store.ignore(instance);
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		return this.store.open(listener);
	}

	@Override
	public int connectionCount() {
		return this.store.connectionCount();
	}

	@Override
	public void close() {
		this.store.close();
	}

	/**
	 * Signals that tell what they say of grants.
	 */
	private final class Heard implements Signals {

		private final Signals signals;

		Heard(Signals signals) {
			this.signals = signals;
		}

		@Override
		public void reserved(String key) {
			this.signals.reserved(key);
		}

		@Override
		public void granted(String key, String ownerId, Acquired tokens) {
			AskedStore.this.asked.granted(key, tokens);
			this.signals.granted(key, ownerId, tokens);
		}

		@Override
		public void contended(String key) {
			this.signals.contended(key);
		}

		@Override
		public void forced(String key, String ownerId) {
			this.signals.forced(key, ownerId);
		}

		@Override
		public void listening(boolean active) {
			this.signals.listening(active);
		}

	}

}
