// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.memory;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lockstarter.LockInspector.QueuedInstance;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockMode;
import io.lockstarter.platform.Platform;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockStore} in the memory of one JVM, for tests without a server: registries
 * that share one object exclude each other as they would across processes. Commands are
 * complete when they return; signals come from the common pool.
 *
 * @since 0.1
 */
public final class MemoryLockStore implements LockStore {

	private static final long RESERVATION = Duration.ofMillis(250).toNanos();

	private static final int SWEEP_MIN = 1_000;

	private static final int MOST_FORCED = 1_000;

	private final ConcurrentMap<String, Slot> slots = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, Signals> listeners = new ConcurrentHashMap<>();

	// One for all keys, so that a free key needs no entry to remember its own.
	private final AtomicLong lastToken = new AtomicLong();

	// Written by who needs several keys in one step. Taken before the map's lock on a
	// key.
	private final ReadWriteLock severalKeys = new ReentrantReadWriteLock();

	// Those of registries that are used no more are collected.
	private final List<WeakReference<ConnectionListener>> connections = new CopyOnWriteArrayList<>();

	/**
	 * The last owner ids that lost a key by force: nobody asks for one for longer than
	 * its ttl.
	 */
	private final Set<String> forced = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
			return size() > MOST_FORCED;
		}

	}));

	private final Platform platform;

	private volatile int sweepAbove = SWEEP_MIN;

	/**
	 * Create an empty store.
	 */
	public MemoryLockStore() {
		this(Platform.system());
	}

	MemoryLockStore(Platform platform) {
		this.platform = platform;
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		if (this.slots.size() > this.sweepAbove) {
			sweep();
		}
		CompletableFuture<AcquireReply> reply = execute(command.key(), (slot) -> slot.acquire(command));
		if (command.held()) {
			tellIfForced(reply.join() instanceof Acquired, command.key(), command.ownerId());
		}
		return reply;
	}

	@Override
	public CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		this.severalKeys.writeLock().lock();
		try {
			for (Acquire command : commands) {
				Optional<Busy> busy = value(command.key(), (slot) -> slot.busyFor(command));
				if (busy.isPresent()) {
					return CompletableFuture.completedFuture(new AcquireAllReply(List.of(), command.key(), busy.get()));
				}
			}
			List<Acquired> acquired = new ArrayList<>(commands.size());
			for (Acquire command : commands) {
				acquired.add((Acquired) value(command.key(), (slot) -> slot.acquire(command)));
			}
			return CompletableFuture.completedFuture(new AcquireAllReply(acquired, null, null));
		}
		finally {
			this.severalKeys.writeLock().unlock();
		}
	}

	@Override
	public boolean isShareable() {
		return true;
	}

	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		CompletableFuture<Boolean> held = execute(command.key(), (slot) -> slot.share(command));
		tellIfForced(held.join(), command.key(), command.ownerId());
		return held;
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		CompletableFuture<Boolean> held = execute(command.key(), (slot) -> slot.release(command));
		tellIfForced(held.join(), command.key(), command.ownerId());
		return held;
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		List<Boolean> held = new ArrayList<>(commands.size());
		for (Renew command : commands) {
			boolean renewed = execute(command.key(), (slot) -> slot.renew(command)).join();
			tellIfForced(renewed, command.key(), command.ownerId());
			held.add(renewed);
		}
		return CompletableFuture.completedFuture(held);
	}

	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		CompletableFuture<Boolean> held = execute(command.key(), (slot) -> slot.keep(command));
		tellIfForced(held.join(), command.key(), command.ownerId());
		return held;
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return execute(key, (slot) -> slot.leave(instance));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return execute(key, (slot) -> slot.forceRelease(ownerId));
	}

	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return execute(key, (slot) -> {
			List<QueuedInstance> queue = slot.queue.stream()
				.map((member) -> new QueuedInstance(Slot.instanceOf(member), null))
				.toList();
			long last = this.lastToken.get();
			return new StoredLockDetails(slot.describe(), queue, (last > 0) ? last : null);
		});
	}

	/**
	 * Return the keys in their order, from the one behind the cursor on.
	 */
	@Override
	public CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		List<String> keys = this.slots.keySet()
			.stream()
			.filter((key) -> cursor == null || key.compareTo(cursor) > 0)
			.sorted()
			.limit(limit + 1L)
			.toList();
		List<String> page = keys.subList(0, Math.min(limit, keys.size()));
		List<StoredLock> locks = page.stream()
			.map((key) -> value(key, Slot::describe))
			.filter((lock) -> lock.remaining() != null)
			.toList();
		return CompletableFuture
			.completedFuture(new StoredLocks(locks, (keys.size() > limit) ? page.get(limit - 1) : null));
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		this.connections.removeIf((known) -> known.get() == null || known.get() == listener);
		this.connections.add(new WeakReference<>(listener));
		return CompletableFuture.completedFuture(null);
	}

	private void tellIfForced(boolean held, String key, String ownerId) {
		if (!held && this.forced.contains(ownerId)) {
			this.connections.stream()
				.flatMap((known) -> Stream.ofNullable(known.get()))
				.forEach((listener) -> listener.forced(key, ownerId));
		}
	}

	@Override
	public void listen(String instance, Signals signals) {
		this.listeners.put(instance, signals);
		tell(instance, (listener) -> listener.listening(true));
	}

	@Override
	public void ignore(String instance) {
		this.listeners.remove(instance);
	}

	/**
	 * Does nothing: other registries may go on using this store.
	 */
	@Override
	public void close() {
	}

	int size() {
		return this.slots.size();
	}

	private <T> CompletableFuture<T> execute(String key, Function<Slot, T> command) {
		this.severalKeys.readLock().lock();
		try {
			return CompletableFuture.completedFuture(value(key, command));
		}
		finally {
			this.severalKeys.readLock().unlock();
		}
	}

	private <T> T value(String key, Function<Slot, T> command) {
		AtomicReference<@Nullable T> reply = new AtomicReference<>();
		this.slots.compute(key, (same, present) -> {
			Slot slot = (present != null) ? present : new Slot(key);
			slot.advance();
			reply.setPlain(command.apply(slot));
			return (slot.isFree() && slot.queue.isEmpty()) ? null : slot;
		});
		return Objects.requireNonNull(reply.getPlain());
	}

	// Never on the caller's thread: it may hold what the receiver needs and the other way
	// round. A receiver that calls back waits until the command is through.
	private boolean tell(String instance, Consumer<Signals> signal) {
		Signals listener = this.listeners.get(instance);
		if (listener != null) {
			this.platform.execute(() -> signal.accept(listener));
		}
		return listener != null;
	}

	// Keys that expired and nobody asked for since; who still waits for one of them was
	// told when it would expire. The limit doubles with what is left, so that a sweep
	// adds
	// a constant to each acquisition, on average.
	private void sweep() {
		this.slots.keySet().forEach((key) -> this.slots.computeIfPresent(key, (same, slot) -> {
			slot.advance();
			return slot.isFree() ? null : slot;
		}));
		this.sweepAbove = Math.max(SWEEP_MIN, 2 * this.slots.size());
	}

	/**
	 * What is known of a key: held (by an owner id of an instance), shared (by several),
	 * reserved (for an instance) or free, and who waits. Guarded by the map's lock on the
	 * key.
	 */
	private final class Slot {

		/**
		 * What an instance in the queue that wants to share the key, and a place among
		 * those who share it that is reserved for an instance, begin with.
		 */
		private static final String SHARING = "!";

		private final String key;

		private final Set<String> queue = new LinkedHashSet<>();

		// up to when each of them shares the key; what is over is removed at once
		private final Map<String, Long> readers = new LinkedHashMap<>();

		private @Nullable String ownerId;

		private @Nullable String instance;

		// left without a holder, although it is known who that was
		private boolean kept;

		private long until;

		private long now;

		Slot(String key) {
			this.key = key;
		}

		void advance() {
			this.now = MemoryLockStore.this.platform.nanoTime();
			if (this.until - this.now <= 0) {
				set(null, null, 0);
			}
			this.readers.values().removeIf((until) -> until - this.now <= 0);
		}

		boolean isFree() {
			return this.instance == null && this.readers.isEmpty();
		}

		AcquireReply acquire(Acquire command) {
			boolean shared = command.mode() == LockMode.SHARED;
			if (command.held() && (this.kept || !command.ownerId().equals(this.ownerId))) {
				return new Busy(null, Duration.ZERO);
			}
			if (command.queued() && command.enqueue()) {
				passOnExpired(command.ownerId());
			}
			if (isFor(command)) {
				leaveQueue(command.instance());
				long last = shared ? share(command) : take(command);
				return new Acquired(last - command.tokens() + 1, last, !this.queue.isEmpty());
			}
			if (command.enqueue()) {
				enqueue(shared ? SHARING + command.instance() : command.instance());
				tellHolders(command.instance());
			}
			return busy();
		}

		private long take(Acquire command) {
			long left = command.ownerId().equals(this.ownerId) ? this.until - this.now : 0;
			set(command.ownerId(), command.instance(), Math.max(left, command.ttl().toNanos()));
			return nextToken(command.tokens());
		}

		private long share(Acquire command) {
			set(null, null, 0);
			this.readers.remove(SHARING + command.instance());
			this.readers.merge(command.ownerId(), this.now + command.ttl().toNanos(), Math::max);
			if (!isNextAlone(command.instance())) {
				admit();
			}
			return nextToken(1);
		}

		private long nextToken(int tokens) {
			long floor = MemoryLockStore.this.platform.now().toEpochMilli() * 1000;
			return MemoryLockStore.this.lastToken
				.updateAndGet((previous) -> Math.max(previous + 1, floor) + tokens - 1);
		}

		private void enqueue(String member) {
			String other = member.startsWith(SHARING) ? instanceOf(member) : SHARING + member;
			if (!this.queue.contains(other)) {
				this.queue.add(member);
				return;
			}
			// Each instance stands in the queue once, and keeps its place.
			List<String> members = new ArrayList<>(this.queue);
			members.set(members.indexOf(other), member);
			this.queue.clear();
			this.queue.addAll(members);
		}

		private boolean leaveQueue(String leaving) {
			return this.queue.remove(leaving) || this.queue.remove(SHARING + leaving);
		}

		private void tellHolders(String asking) {
			Stream<String> holders = (this.ownerId != null) ? Stream.ofNullable(this.instance)
					: sharing().map(Slot::instanceOf);
			holders.filter((holder) -> !holder.equals(asking))
				.distinct()
				.toList()
				.forEach((holder) -> tell(holder, (listener) -> listener.contended(this.key)));
		}

		/**
		 * Return the instance of an owner id, or of a member of the queue.
		 */
		static String instanceOf(String member) {
			String plain = member.startsWith(SHARING) ? member.substring(SHARING.length()) : member;
			int sequence = plain.lastIndexOf(':');
			return (sequence >= 0) ? plain.substring(0, sequence) : plain;
		}

		Optional<Busy> busyFor(Acquire command) {
			return isFor(command) ? Optional.empty() : Optional.of(busy());
		}

		private Busy busy() {
			if (this.readers.isEmpty()) {
				return new Busy(this.ownerId, Duration.ofNanos(this.until - this.now));
			}
			return new Busy(sharing().findFirst().orElse(null), Duration.ofNanos(lastOfReaders() - this.now));
		}

		/**
		 * Return the owner ids that share the key.
		 */
		private Stream<String> sharing() {
			return this.readers.keySet().stream().filter((reader) -> !reader.startsWith(SHARING));
		}

		private long lastOfReaders() {
			return this.readers.values().stream().mapToLong(Long::longValue).max().orElse(this.now);
		}

		boolean release(Release command) {
			if (this.readers.remove(command.ownerId()) != null) {
				readerLeft();
				return true;
			}
			if (passOnExpired(command.ownerId())) {
				return false;
			}
			if (this.kept || !command.ownerId().equals(this.ownerId)) {
				return false;
			}
			if (command.requeue()) {
				enqueue(command.instance());
			}
			reserveForNext();
			return true;
		}

		/**
		 * Pass the key on if it has expired, as nobody did then. An instance that finds
		 * that asks again by itself.
		 */
		private boolean passOnExpired(String ownerId) {
			boolean expired = isFree();
			if (expired && !this.queue.isEmpty()
					&& !instanceOf(this.queue.iterator().next()).equals(instanceOf(ownerId))) {
				reserveForNext();
			}
			return expired;
		}

		boolean share(Renew command) {
			if (this.readers.containsKey(command.ownerId())) {
				return true;
			}
			if (this.kept || !command.ownerId().equals(this.ownerId)) {
				return false;
			}
			long remaining = this.until - this.now;
			set(null, null, 0);
			this.readers.put(command.ownerId(), this.now + Math.max(remaining, command.ttl().toNanos()));
			admit();
			return true;
		}

		boolean forceRelease(String ownerId) {
			if (this.readers.remove(ownerId) != null) {
				MemoryLockStore.this.forced.add(ownerId);
				tell(instanceOf(ownerId), (listener) -> listener.forced(this.key, ownerId));
				readerLeft();
				return true;
			}
			if (passOnExpired(ownerId)) {
				return false;
			}
			boolean held = ownerId.equals(this.ownerId);
			String holding = this.instance;
			if (held && holding != null) {
				MemoryLockStore.this.forced.add(ownerId);
				tell(holding, (listener) -> listener.forced(this.key, ownerId));
				reserveForNext();
			}
			return held;
		}

		StoredLock describe() {
			List<String> holders = (this.ownerId != null) ? List.of(this.ownerId) : sharing().toList();
			long last = this.readers.isEmpty() ? this.until : lastOfReaders();
			return new StoredLock(this.key, holders, this.ownerId == null && !holders.isEmpty(),
					(this.ownerId != null) ? null : this.instance, isFree() ? null : Duration.ofNanos(last - this.now));
		}

		boolean renew(Renew command) {
			if (this.readers.containsKey(command.ownerId())) {
				this.readers.put(command.ownerId(), this.now + command.ttl().toNanos());
				return true;
			}
			boolean held = !this.kept && command.ownerId().equals(this.ownerId);
			if (held) {
				this.until = this.now + command.ttl().toNanos();
			}
			return held;
		}

		boolean keep(Renew command) {
			boolean held = command.ownerId().equals(this.ownerId);
			if (held) {
				this.kept = true;
				this.until = this.now + command.ttl().toNanos();
				// They were told for how long the holder would stay.
				List.copyOf(this.queue)
					.forEach((member) -> tell(instanceOf(member), (listener) -> listener.reserved(this.key)));
			}
			return held;
		}

		boolean leave(String leaving) {
			boolean left = leaveQueue(leaving);
			if (this.ownerId == null && leaving.equals(this.instance)) {
				reserveForNext();
			}
			else if (this.readers.remove(SHARING + leaving) != null) {
				readerLeft();
			}
			else if (!this.readers.isEmpty() && !isNextAlone(leaving)) {
				// others may have stood behind it
				admit();
			}
			return left;
		}

		private void readerLeft() {
			if (this.readers.isEmpty()) {
				reserveForNext();
			}
		}

		/**
		 * Return whether another instance is first in the queue and wants the key alone.
		 */
		private boolean isNextAlone(String instance) {
			return this.queue.stream()
				.findFirst()
				.filter((member) -> !member.equals(instance) && !member.startsWith(SHARING))
				.isPresent();
		}

		private boolean isFor(Acquire command) {
			if (!this.readers.isEmpty()) {
				return command.mode() == LockMode.SHARED
						&& (!isNextAlone(command.instance()) || this.readers.containsKey(command.ownerId())
								|| this.readers.containsKey(SHARING + command.instance()));
			}
			return (this.ownerId != null) ? !this.kept && this.ownerId.equals(command.ownerId())
					: this.instance == null || this.instance.equals(command.instance());
		}

		private void reserveForNext() {
			set(null, null, 0);
			while (isFree() && !this.queue.isEmpty()) {
				String candidate = this.queue.iterator().next();
				if (candidate.startsWith(SHARING)) {
					admit();
					continue;
				}
				this.queue.remove(candidate);
				if (tell(candidate, (listener) -> listener.reserved(this.key))) {
					set(null, candidate, RESERVATION);
				}
			}
		}

		/**
		 * Reserve places for all who wait to share the key, wherever they stand.
		 */
		private void admit() {
			List<String> members = this.queue.stream().filter((member) -> member.startsWith(SHARING)).toList();
			for (String member : members) {
				this.queue.remove(member);
				if (tell(instanceOf(member), (listener) -> listener.reserved(this.key))) {
					this.readers.put(member, this.now + RESERVATION);
				}
			}
		}

		private void set(@Nullable String ownerId, @Nullable String instance, long nanos) {
			this.ownerId = ownerId;
			this.instance = instance;
			this.kept = false;
			this.until = this.now + nanos;
		}

	}

}
