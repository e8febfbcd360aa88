// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore;
import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in several independent stores, its nodes, of which a majority decides. A
 * node that is slow, or gone, costs nothing but its vote. Thread-safe.
 * <p>
 * {@link Ballot} acquires, {@link Renewal} renews, and a release goes to all nodes, also
 * to those that never answered. Commands of a key take effect in their order at each
 * node, and so do those of all its steps.
 */
public final class QuorumLockStore implements LockStore {

	/**
	 * What nodes may take to answer in any case.
	 */
	private static final Duration LEAST_PATIENCE = Duration.ofMillis(100);

	/**
	 * By how much clocks of servers may run slower than others, and then some.
	 */
	private static final int SLOWER_CLOCKS = 10;

	private static final Duration SKEW = Duration.ofSeconds(1);

	private final Electorate electorate;

	private final Duration maxTtl;

	private final Voters voters;

	private final QuorumInspection inspection;

	private final KeyOrder order = new KeyOrder();

	private final HeldKeys keys = new HeldKeys();

	/**
	 * Create a store.
	 * @param nodes the nodes, 3 to 15, each of which grants nothing for
	 * {@link #abstention} after it lost its memory
	 * @param maxTtl the longest ttl, the same for all instances
	 */
	public QuorumLockStore(List<QuorumNode> nodes, Duration maxTtl) {
		this(nodes, maxTtl, LEAST_PATIENCE, Platform.system());
	}

	QuorumLockStore(List<QuorumNode> nodes, Duration maxTtl, Duration leastPatience, Platform platform) {
		this.electorate = new Electorate(nodes, leastPatience, platform);
		this.maxTtl = maxTtl;
		this.voters = new Voters(nodes.size());
		this.inspection = new QuorumInspection(this.electorate);
		for (int i = 0; i < nodes.size(); i++) {
			int node = i;
			this.electorate.node(node).checkServers((server) -> this.voters.check(node, server));
		}
	}

	/**
	 * Return for how long a node has to grant nothing after it was started, or lost its
	 * memory: until everything is over that it may have granted before, by whichever
	 * clock.
	 * @param maxTtl the longest ttl
	 * @return longer than that by a tenth and a second
	 */
	public static Duration abstention(Duration maxTtl) {
		return maxTtl.plus(maxTtl.dividedBy(SLOWER_CLOCKS)).plus(SKEW);
	}

	@Override
	public Duration maxTtl() {
		return this.maxTtl;
	}

	/**
	 * Acquire by a majority, unless two nodes are the same server, whose vote would count
	 * twice.
	 */
	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		LockStoreException twice = this.voters.failure(command.key());
		if (twice != null) {
			return CompletableFuture.failedFuture(twice);
		}
		if (command.ttl().compareTo(this.maxTtl) > 0) {
			return CompletableFuture.failedFuture(new IllegalArgumentException(
					"ttl must be at most %s, but is %s".formatted(this.maxTtl, command.ttl())));
		}
		return this.order.sendAlone(command.key(), () -> command.held() ? prolong(command) : vote(command));
	}

	private CompletableFuture<AcquireReply> vote(Acquire command) {
		// What it had is over: it has what it acquires now, or nothing.
		this.keys.remove(command.key(), command.ownerId());
		return new Ballot(this.electorate, this.keys, command).start();
	}

	/**
	 * Renew first, which proves that nobody else had the key in between; nobody here has
	 * it while it is acquired anew.
	 */
	private CompletableFuture<AcquireReply> prolong(Acquire command) {
		Renew renewal = new Renew(command.key(), command.ownerId(), command.ttl());
		Acquire anew = new Acquire(command.key(), command.instance(), command.ownerId(), command.ttl(),
				command.queueing(), command.tokens(), command.queued(), command.mode());
		CompletableFuture<AcquireReply> result = new CompletableFuture<>();
		var renewed = new Renewal(this.electorate, this.keys, this.order, List.of(renewal)).start();
		cancelWith(result, renewed);
		var unused = renewed.whenComplete((held, failure) -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else if (!Boolean.TRUE.equals(held.get(0))) {
				result.complete(new Busy(null, Duration.ZERO));
			}
			else if (!result.isDone()) {
				CompletableFuture<AcquireReply> voted = vote(anew);
				cancelWith(result, voted);
				KeyOrder.pass(voted, result);
			}
		});
		return result;
	}

	// Without effect on what is complete.
	private static void cancelWith(CompletableFuture<?> whole, CompletableFuture<?> step) {
		var unused = whole.whenComplete((reply, failure) -> step.cancel(false));
	}

	@Override
	public boolean isShareable() {
		return this.electorate.nodes().stream().allMatch(LockStore::isShareable);
	}

	/**
	 * Share a key at all nodes. One that misses it is told again with the next renewal.
	 */
	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		return this.order.send(List.of(command.key()), () -> {
			HeldKey known = this.keys.get(command.key(), command.ownerId());
			if (known != null) {
				known.share();
			}
			CompletableFuture<Boolean> shared = agreed("share", command.key(), (node) -> {
				CompletableFuture<Boolean> answer = node.share(command);
				if (known != null) {
					known.sharing(this.electorate.nodes().indexOf(node), answer);
				}
				return answer;
			});
			var unused = shared.thenAccept((held) -> {
				if (known != null && !held) {
					this.keys.remove(command.key(), command.ownerId(), known);
				}
			});
			return shared;
		});
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return this.order.send(List.of(command.key()), () -> {
			this.keys.remove(command.key(), command.ownerId());
			return agreed("release", command.key(), (node) -> node.release(command));
		});
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(List.of());
		}
		return this.order.send(commands.stream().map(Renew::key).toList(),
				() -> new Renewal(this.electorate, this.keys, this.order, commands).start());
	}

	/**
	 * Keep a key at all nodes. Where that fails its ttl is what it was.
	 */
	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		return this.order.send(List.of(command.key()), () -> {
			// Nobody holds it any more, so that no node takes it again.
			this.keys.remove(command.key(), command.ownerId());
			return agreed("keep", command.key(), (node) -> node.keep(command));
		});
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return this.order.send(List.of(key),
				() -> new Tally(this.electorate, "leave the queue of", key, (answers) -> true).start(
						(node) -> node.leave(key, instance).thenApply((done) -> true),
						this.electorate.longestTimeout().toNanos()));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return agreed("release", key, (node) -> node.forceRelease(key, ownerId));
	}

	private CompletableFuture<Boolean> agreed(String verb, String key,
			Function<VotingStore, CompletableFuture<Boolean>> command) {
		return new Tally(this.electorate, verb, key, this::agreed).start(command,
				this.electorate.longestTimeout().toNanos());
	}

	private @Nullable Boolean agreed(List<Boolean> answers) {
		int yes = Collections.frequency(answers, true);
		if (yes >= this.electorate.majority()) {
			return true;
		}
		// Not even if all others say so.
		return (answers.size() - yes > this.electorate.size() - this.electorate.majority()) ? false : null;
	}

	/**
	 * Return what one node says of the key.
	 */
	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return this.inspection.inspect(key);
	}

	@Override
	public CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return scan("", cursor, limit);
	}

	/**
	 * Return what one node has.
	 */
	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return this.inspection.page(prefix, cursor, limit);
	}

	@Override
	public void listen(String instance, Signals signals) {
		QuorumSignals joined = new QuorumSignals(signals, this.keys, this.electorate.majority());
		for (int node = 0; node < this.electorate.size(); node++) {
			this.electorate.node(node).listen(instance, joined.of(node));
		}
	}

	@Override
	public void ignore(String instance) {
		this.electorate.nodes().forEach((node) -> node.ignore(instance));
	}

	/**
	 * Ready when a majority is, or when all have tried.
	 */
	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		CompletableFuture<@Nullable Object> ready = new CompletableFuture<>();
		AtomicInteger tried = new AtomicInteger();
		List<CompletableFuture<?>> opening = new ArrayList<>();
		for (int node = 0; node < this.electorate.size(); node++) {
			opening.add(this.electorate.node(node).open(new OfNode(listener, node)));
		}
		for (CompletableFuture<?> each : opening) {
			var unused = each.whenComplete((done, failure) -> {
				long connected = this.electorate.nodes().stream().filter((node) -> node.connectionCount() > 0).count();
				if (tried.incrementAndGet() == this.electorate.size() || connected >= this.electorate.majority()) {
					ready.complete(null);
				}
			});
		}
		return ready;
	}

	@Override
	public int connectionCount() {
		return this.electorate.nodes().stream().mapToInt(LockStore::connectionCount).sum();
	}

	@Override
	public void close() {
		this.electorate.nodes().forEach(LockStore::close);
	}

	/**
	 * Told of the connections to a node, and what its commands find out.
	 */
	private final class OfNode implements ConnectionListener {

		private final ConnectionListener listener;

		private final int node;

		OfNode(ConnectionListener listener, int node) {
			this.listener = listener;
			this.node = node;
		}

		@Override
		public void reconnected() {
			this.listener.reconnected();
		}

		/**
		 * A doubt about one node is one about the whole: an extension may count with it.
		 */
		@Override
		public void reordered(int partition, Duration ago) {
			this.listener.reordered(0, ago);
		}

		@Override
		public void forced(String key, String ownerId) {
			QuorumLockStore store = QuorumLockStore.this;
			if (store.keys.isForced(this.node, key, ownerId, store.electorate.majority())) {
				this.listener.forced(key, ownerId);
			}
		}

	}

}
