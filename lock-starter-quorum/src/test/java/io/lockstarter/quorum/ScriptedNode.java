// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A node of a quorum whose faults are those that the test asks for.
 */
final class ScriptedNode implements VotingStore {

	/**
	 * How long it takes to tell that the connection was replaced.
	 */
	static final Duration RECONNECTING = Duration.ofMillis(3);

	private final ManualTimer timer;

	private final Map<String, Lock> locks = new HashMap<>();

	// until when each owner id shares a key
	private final Map<String, Map<String, Long>> readers = new HashMap<>();

	// commands that were sent to a node that hangs
	private final Deque<Runnable> held = new ArrayDeque<>();

	final List<String> log = new ArrayList<>();

	long fence;

	boolean hanging;

	// hangs after the next command of this name
	@Nullable String hangsAfter;

	// whether somebody waits who wants the keys that are shared alone
	boolean closed;

	boolean muted;

	boolean down;

	private Consumer<String> check = (server) -> {
	};

	private @Nullable ConnectionListener listener;

	private @Nullable Signals signals;

	// keys that were released by force
	private final Set<String> forced = new HashSet<>();

	private @Nullable String only;

	private boolean cut;

	// what a raise answers, in place of the node
	@Nullable CompletableFuture<Boolean> raises;

	ScriptedNode(ManualTimer timer, long fence) {
		this.timer = timer;
		this.fence = fence;
	}

	/**
	 * Execute, in their order, what was sent while the node hung.
	 */
	void resume() {
		this.hanging = false;
		while (!this.held.isEmpty()) {
			this.held.poll().run();
		}
	}

	/**
	 * Execute only commands of a name, of those that were sent while the node hung.
	 */
	void resumeOnly(String name) {
		this.only = name;
		resume();
		this.only = null;
	}

	/**
	 * Lose the connection, and with it what was sent while the node hung.
	 */
	void cut() {
		this.cut = true;
		resume();
		this.cut = false;
	}

	/**
	 * Let commands that were sent later come first.
	 */
	void rotate(int by) {
		for (int i = 0; i < by; i++) {
			this.held.add(this.held.poll());
		}
	}

	/**
	 * Be connected to a server.
	 */
	void connect(String server) {
		this.check.accept(server);
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener connectionListener) {
		this.listener = connectionListener;
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Tell that the connection was replaced.
	 */
	void reconnect() {
		Objects.requireNonNull(this.listener).reordered(0, RECONNECTING);
		Objects.requireNonNull(this.listener).reconnected();
	}

	@Override
	public void checkServers(Consumer<String> newCheck) {
		this.check = newCheck;
	}

	/**
	 * One key a page, in the order of the keys.
	 */
	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return execute("scan", () -> {
			List<String> keys = List.copyOf(this.locks.keySet())
				.stream()
				.filter((key) -> key.startsWith(prefix) && lock(key) != null)
				.sorted()
				.toList();
			int place = (cursor != null) ? Integer.parseInt(cursor) : 0;
			List<StoredLock> page = keys.stream()
				.skip(place)
				.limit(1)
				.map((key) -> new StoredLock(key, Stream.ofNullable(holder(key)).toList(), false, null, Duration.ZERO))
				.toList();
			return new StoredLocks(page, (place + 1 < keys.size()) ? String.valueOf(place + 1) : null);
		});
	}

	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return execute("inspect", () -> {
			Lock lock = lock(key);
			List<String> all = (lock != null) ? List.of(lock.owner) : readers(key);
			long until = (lock != null) ? lock.until
					: this.readers.get(key).values().stream().mapToLong(Long::longValue).max().orElse(0);
			Duration remaining = all.isEmpty() ? null : Duration.ofNanos(until - this.timer.nanoTime());
			return new StoredLockDetails(new StoredLock(key, all, false, null, remaining), List.of(), this.fence);
		});
	}

	@Nullable String holder(String key) {
		Lock lock = lock(key);
		return (lock != null) ? lock.owner : null;
	}

	List<String> readers(String key) {
		Map<String, Long> all = this.readers.computeIfAbsent(key, (same) -> new TreeMap<>());
		all.values().removeIf((until) -> until <= this.timer.nanoTime());
		return List.copyOf(all.keySet());
	}

	/**
	 * Release a key by force, of which nobody is told by a signal.
	 */
	void force(String key) {
		forget(key);
		this.forced.add(key);
	}

	void forget(String key) {
		this.locks.remove(key);
		this.readers.remove(key);
	}

	void put(String key, String owner, Duration ttl) {
		this.locks.put(key, new Lock(owner, this.timer.nanoTime() + ttl.toNanos()));
	}

	private @Nullable Lock lock(String key) {
		return this.locks.computeIfPresent(key, (same, lock) -> (lock.until > this.timer.nanoTime()) ? lock : null);
	}

	private boolean has(String key, String owner) {
		return owner.equals(holder(key)) || readers(key).contains(owner);
	}

	void share(String owner, String key, Duration ttl) {
		this.readers.computeIfAbsent(key, (same) -> new TreeMap<>()).put(owner, this.timer.nanoTime() + ttl.toNanos());
	}

	private <T> CompletableFuture<T> execute(String name, Supplier<T> command) {
		if (this.down) {
			return CompletableFuture.failedFuture(new LockStoreException("no connection", false, true, null));
		}
		CompletableFuture<T> reply = new CompletableFuture<>();
		boolean heard = !this.muted;
		Runnable execution = () -> {
			if (this.cut) {
				reply.completeExceptionally(new LockStoreException("connection lost", true, true, null));
				return;
			}
			if (this.only != null && !this.only.equals(name)) {
				return;
			}
			this.log.add(name);
			T value = command.get();
			if (name.equals(this.hangsAfter)) {
				this.hangsAfter = null;
				this.hanging = true;
			}
			if (heard) {
				reply.complete(value);
			}
		};
		if (this.hanging || !this.held.isEmpty()) {
			this.held.add(execution);
		}
		else {
			execution.run();
		}
		return reply;
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		boolean shared = command.mode() == LockMode.SHARED;
		return execute((shared ? "acquire-shared " : "acquire ") + command.ownerId(), () -> {
			Lock lock = lock(command.key());
			if (lock != null && (shared || !lock.owner.equals(command.ownerId()))) {
				return new Busy(lock.owner, Duration.ofNanos(lock.until - this.timer.nanoTime()));
			}
			List<String> all = readers(command.key());
			if (!all.isEmpty() && !(shared && (!this.closed || all.contains(command.ownerId())))) {
				long until = Collections.max(this.readers.get(command.key()).values());
				return new Busy(all.get(0), Duration.ofNanos(until - this.timer.nanoTime()));
			}
			if (shared) {
				share(command.ownerId(), command.key(), command.ttl());
			}
			else {
				put(command.key(), command.ownerId(), command.ttl());
			}
			long first = this.fence + 1;
			this.fence = first + command.tokens() - 1;
			return new Acquired(first, this.fence, false);
		});
	}

	@Override
	public CompletableFuture<Boolean> raise(String key, String ownerId, long lastToken) {
		CompletableFuture<Boolean> answer = this.raises;
		if (answer != null) {
			return answer;
		}
		return execute("raise " + ownerId, () -> {
			boolean has = has(key, ownerId);
			this.fence = has ? Math.max(this.fence, lastToken) : this.fence;
			return has;
		});
	}

	@Override
	public boolean isShareable() {
		return true;
	}

	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		return execute("share " + command.ownerId(), () -> {
			boolean alone = command.ownerId().equals(holder(command.key()));
			if (alone) {
				this.locks.remove(command.key());
				share(command.ownerId(), command.key(), command.ttl());
			}
			return alone || readers(command.key()).contains(command.ownerId());
		});
	}

	@Override
	public CompletableFuture<Boolean> abandon(String key, String ownerId, @Nullable LockMode queued) {
		return execute("abandon " + ownerId, () -> remove(key, ownerId));
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return execute("release " + command.ownerId(), () -> remove(command.key(), command.ownerId()));
	}

	private boolean remove(String key, String ownerId) {
		boolean has = has(key, ownerId);
		if (ownerId.equals(holder(key))) {
			this.locks.remove(key);
		}
		else if (has) {
			this.readers.get(key).remove(ownerId);
		}
		return has;
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		return execute("renew", () -> commands.stream().map((command) -> {
			boolean has = has(command.key(), command.ownerId());
			if (!has && this.forced.contains(command.key())) {
				Objects.requireNonNull(this.listener).forced(command.key(), command.ownerId());
			}
			if (readers(command.key()).contains(command.ownerId())) {
				share(command.ownerId(), command.key(), command.ttl());
			}
			else if (has) {
				put(command.key(), command.ownerId(), command.ttl());
			}
			return has;
		}).toList());
	}

	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		return execute("keep", () -> {
			boolean has = has(command.key(), command.ownerId()) || has(command.key(), command.ownerId() + "~");
			if (has) {
				put(command.key(), command.ownerId() + "~", command.ttl());
			}
			return has;
		});
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return execute("leave", () -> true);
	}

	@Override
	public void listen(String instance, Signals told) {
		this.signals = told;
	}

	Signals signals() {
		return Objects.requireNonNull(this.signals);
	}

	@Override
	public int connectionCount() {
		return this.down ? 0 : 1;
	}

	@Override
	public void close() {
	}

	private record Lock(String owner, long until) {

	}

}
