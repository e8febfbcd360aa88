/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockStoreException;
import io.lockstarter.engine.LockStore;
import io.lockstarter.engine.VotingStore;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
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

	private static final int FEWEST = 3;

	private static final int MOST = 15;

	/**
	 * How much of a ttl nodes may take at most, so that those that do not answer leave
	 * time for another try.
	 */
	private static final int PART_OF_TTL = 5;

	/**
	 * What they may take in any case.
	 */
	private static final Duration LEAST_PATIENCE = Duration.ofMillis(100);

	/**
	 * By how much clocks of servers may run slower than others, and then some.
	 */
	private static final int SLOWER_CLOCKS = 10;

	private static final Duration SKEW = Duration.ofSeconds(1);

	private final List<VotingStore> nodes;

	private final List<Duration> timeouts;

	private final Duration longestTimeout;

	private final int majority;

	private final Duration maxTtl;

	private final Duration leastPatience;

	private final Platform platform;

	private final Timer timer;

	private final Voters voters;

	private final Reordering reordering;

	private final Clocks clocks;

	private final Listing listing;

	private final KeyOrder order = new KeyOrder();

	private final HeldKeys held = new HeldKeys();

	private final Leftovers leftovers = new Leftovers(this);

	/**
	 * Create a store.
	 * @param nodes the nodes, {@value #FEWEST} to {@value #MOST}, each of which grants
	 * nothing for {@link #abstention} after it lost its memory
	 * @param maxTtl the longest ttl, the same for all instances
	 */
	public QuorumLockStore(List<QuorumNode> nodes, Duration maxTtl) {
		this(nodes, maxTtl, LEAST_PATIENCE, Platform.system());
	}

	QuorumLockStore(List<QuorumNode> nodes, Duration maxTtl, Duration leastPatience, Platform platform) {
		if (nodes.size() < FEWEST || nodes.size() > MOST) {
			throw new IllegalArgumentException(
					"nodes must be %d to %d servers, but are %d".formatted(FEWEST, MOST, nodes.size()));
		}
		this.nodes = nodes.stream().map(QuorumNode::store).toList();
		this.timeouts = nodes.stream().map(QuorumNode::timeout).toList();
		this.longestTimeout = Collections.max(this.timeouts);
		this.majority = nodes.size() / 2 + 1;
		this.maxTtl = maxTtl;
		this.leastPatience = leastPatience;
		this.platform = platform;
		this.timer = platform.timer("lock-quorum");
		this.voters = new Voters(nodes.size());
		this.reordering = new Reordering(nodes.size(), this.majority, this.timer);
		this.clocks = new Clocks(nodes.size(), this.majority, abstention(maxTtl),
				(node) -> this.nodes.get(node).abstain());
		this.listing = new Listing(this.nodes, this.majority, platform.secureRandom());
		for (int i = 0; i < nodes.size(); i++) {
			int node = i;
			this.nodes.get(i).checkServers((server) -> this.voters.check(node, server));
			this.nodes.get(i)
				.watchClock((micros, sentAt, receivedAt) -> this.clocks.counts(node, micros, sentAt, receivedAt));
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

	List<VotingStore> nodes() {
		return this.nodes;
	}

	/**
	 * Return how long a node may take to answer; {@code null} if that is as long as any
	 * other one may.
	 */
	@Nullable Duration shorterTimeout(int node) {
		Duration timeout = this.timeouts.get(node);
		return (timeout.compareTo(this.longestTimeout) < 0) ? timeout : null;
	}

	int majority() {
		return this.majority;
	}

	Timer timer() {
		return this.timer;
	}

	RandomGenerator random() {
		return this.platform.random();
	}

	/**
	 * Return for how long nodes may answer to a command for a ttl.
	 */
	long patience(Duration ttl) {
		return Math.min(this.longestTimeout.toNanos(),
				Math.max(this.leastPatience.toNanos(), ttl.toNanos() / PART_OF_TTL));
	}

	HeldKey held(Acquire command, int mine, int sure, int maybe) {
		return this.held.add(command, mine, sure, maybe, this.timer.nanoTime());
	}

	@Nullable HeldKey heldKey(Renew command) {
		return this.held.get(command.key(), command.ownerId());
	}

	Reordering reordering() {
		return this.reordering;
	}

	void lost(Renew command, HeldKey known) {
		this.held.remove(command.key(), command.ownerId(), known);
	}

	/**
	 * Give a vote back.
	 * @param ttl how long the key is there if the node does not learn of it
	 * @param unanswered whether the node did not answer to the acquisition, and so may
	 * take the key after it had none to give back
	 */
	void abandon(int node, String key, String ownerId, Duration ttl, boolean enqueue, BooleanSupplier unanswered) {
		long until = this.timer.nanoTime() + ttl.toNanos();
		var unused = this.nodes.get(node).abandon(key, ownerId, enqueue).whenComplete((held, failure) -> {
			if (held == null || (!held && unanswered.getAsBoolean())) {
				this.leftovers.add(node, key, ownerId, until);
			}
		});
	}

	/**
	 * Give a vote back that a node may have all the same.
	 */
	void abandonAgain(int node, String key, String ownerId) {
		unlessHeld(key, ownerId, () -> {
			// If not, the owner id wanted the key again meanwhile.
			if (this.nodes.get(node).connectionCount() > 0 && this.leftovers.contains(node, key, ownerId)) {
				var unused = this.nodes.get(node).abandon(key, ownerId, false).thenAccept((held) -> {
					if (held) {
						this.leftovers.remove(node, key, ownerId);
					}
				});
			}
		});
	}

	/**
	 * Do something for a key that its owner id does not want: neither has it the key, nor
	 * does it ask for it. If it asks later, its commands come later at each node.
	 */
	private void unlessHeld(String key, String ownerId, Runnable step) {
		var unused = this.order.send(List.of(key), () -> {
			HeldKey known = this.held.get(key, ownerId);
			if (known == null || known.isOver(this.timer.nanoTime())) {
				step.run();
			}
			return CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * Take a key at a node that does not have it. If its lease is over when the node has
	 * it, it is given back: by then the same owner id may want the key again, and count
	 * on this node.
	 */
	void repair(int node, Acquire command, HeldKey known) {
		var unused = this.order.send(List.of(command.key()), () -> {
			if (known.isOver(this.timer.nanoTime())) {
				return CompletableFuture.completedFuture(false);
			}
			var unusedAnswer = this.nodes.get(node).acquire(command).thenAccept((reply) -> {
				if (reply instanceof Acquired && !known.isOver(this.timer.nanoTime())) {
					known.found(node, false);
				}
				else if (reply instanceof Acquired) {
					unlessHeld(command.key(), command.ownerId(),
							() -> abandon(node, command.key(), command.ownerId(), command.ttl(), false, () -> false));
				}
			});
			return CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * Note the answer of a node to a release.
	 * @param known where the key was held, if that is known
	 */
	private void released(int node, Release command, @Nullable HeldKey known, @Nullable Boolean held) {
		boolean possible = known == null || known.isPossibleAt(node);
		boolean gone = held != null && (held || known == null || known.isAt(node));
		if (possible && !gone) {
			long until = (known != null) ? known.until() : this.timer.nanoTime() + this.maxTtl.toNanos();
			this.leftovers.add(node, command.key(), command.ownerId(), until);
		}
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
		return this.order.sendAlone(command.key(), () -> {
			// What it had is over: it has what it acquires now, or nothing.
			this.held.remove(command.key(), command.ownerId());
			for (int node = 0; node < this.nodes.size(); node++) {
				this.leftovers.remove(node, command.key(), command.ownerId());
			}
			return new Ballot(this, command).start();
		});
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return this.order.send(List.of(command.key()), () -> {
			HeldKey known = this.held.remove(command.key(), command.ownerId());
			return agreed("release", command.key(), (node) -> {
				CompletableFuture<Boolean> answer = node.release(command);
				int index = this.nodes.indexOf(node);
				var unused = answer.whenComplete((held, failure) -> released(index, command, known, held));
				return answer;
			});
		});
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(List.of());
		}
		return this.order.send(commands.stream().map(Renew::key).toList(), () -> new Renewal(this, commands).start());
	}

	/**
	 * Keep a key at all nodes. Where that fails its ttl is what it was.
	 */
	@Override
	public CompletableFuture<Boolean> keep(Renew command) {
		return this.order.send(List.of(command.key()), () -> {
			// Nobody holds it any more, so that no node takes it again.
			this.held.remove(command.key(), command.ownerId());
			return agreed("keep", command.key(), (node) -> node.keep(command));
		});
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return this.order
			.send(List.of(key),
					() -> new Tally<Boolean, Boolean>(this, "leave the queue of", key, (answers, last) -> true).start(
							(node) -> node.leave(key, instance).thenApply((done) -> true),
							this.longestTimeout.toNanos()));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return agreed("release", key, (node) -> node.forceRelease(key, ownerId));
	}

	private CompletableFuture<Boolean> agreed(String verb, String key,
			Function<VotingStore, CompletableFuture<Boolean>> command) {
		return new Tally<Boolean, Boolean>(this, verb, key, (answers, last) -> agreed(answers)).start(command,
				this.longestTimeout.toNanos());
	}

	private @Nullable Boolean agreed(List<Boolean> answers) {
		int yes = Collections.frequency(answers, true);
		if (yes >= this.majority) {
			return true;
		}
		// Not even if all others say so.
		return (answers.size() - yes > this.nodes.size() - this.majority) ? false : null;
	}

	/**
	 * Return what a majority says of the key; a lock that none has is free.
	 */
	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return new Tally<StoredLockDetails, StoredLockDetails>(this, "inspect", key,
				(answers, last) -> details(key, answers, last))
			.start((node) -> node.inspect(key), this.longestTimeout.toNanos());
	}

	private @Nullable StoredLockDetails details(String key, List<StoredLockDetails> answers, boolean all) {
		Map<String, Integer> holders = new HashMap<>();
		Long last = null;
		for (StoredLockDetails each : answers) {
			holders.merge(each.lock().ownerId() + "!" + each.lock().reservedFor(), 1, Integer::sum);
			Long token = each.lastToken();
			last = (last == null || (token != null && token > last)) ? token : last;
		}
		for (StoredLockDetails each : answers) {
			if (holders.getOrDefault(each.lock().ownerId() + "!" + each.lock().reservedFor(), 0) >= this.majority) {
				return new StoredLockDetails(each.lock(), each.queue(), last);
			}
		}
		// A node may not have executed yet what the others have.
		return all ? new StoredLockDetails(new StoredLock(key, null, null, null), answers.get(0).queue(), last) : null;
	}

	@Override
	public CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return scan("", cursor, limit);
	}

	/**
	 * Return what nodes have, one after the other, so many of them that no key of a
	 * majority is missing. A key that only a minority has may be among them.
	 */
	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return this.listing.page(prefix, cursor, limit);
	}

	@Override
	public void listen(String instance, Signals signals) {
		QuorumSignals joined = new QuorumSignals(signals, this.nodes.size(), this.majority, this.timer);
		for (int node = 0; node < this.nodes.size(); node++) {
			this.nodes.get(node).listen(instance, joined.of(node));
		}
	}

	@Override
	public void ignore(String instance) {
		this.nodes.forEach((node) -> node.ignore(instance));
	}

	/**
	 * Ready when a majority is, or when all have tried.
	 */
	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		CompletableFuture<@Nullable Object> ready = new CompletableFuture<>();
		AtomicInteger tried = new AtomicInteger();
		List<CompletableFuture<?>> opening = new ArrayList<>();
		SignalCounts forced = new SignalCounts(this.nodes.size());
		this.reordering.tell(listener);
		for (int node = 0; node < this.nodes.size(); node++) {
			opening.add(this.nodes.get(node).open(new OfNode(listener, node, forced, this.reordering)));
		}
		for (CompletableFuture<?> each : opening) {
			var unused = each.whenComplete((done, failure) -> {
				long connected = this.nodes.stream().filter((node) -> node.connectionCount() > 0).count();
				if (tried.incrementAndGet() == this.nodes.size() || connected >= this.majority) {
					ready.complete(null);
				}
			});
		}
		return ready;
	}

	/**
	 * Return how many keys nodes may have although nobody wants them there.
	 */
	int leftoverCount() {
		return this.leftovers.size();
	}

	@Override
	public int connectionCount() {
		return this.nodes.stream().mapToInt(LockStore::connectionCount).sum();
	}

	@Override
	public void close() {
		this.nodes.forEach(LockStore::close);
	}

	/**
	 * Told of the connections to a node. What several nodes find out is told once.
	 */
	private record OfNode(ConnectionListener listener, int node, SignalCounts forced,
			Reordering reordering) implements ConnectionListener {

		@Override
		public void reconnected() {
			this.listener.reconnected();
		}

		@Override
		public void reordered(int partition, Duration ago) {
			this.reordering.add(this.node);
		}

		@Override
		public void forced(String key, String ownerId) {
			// The command that found it out must not be answered before, whoever tells.
			synchronized (this.forced) {
				if (this.forced.isDue(ownerId + " " + key, this.node, 1)) {
					this.listener.forced(key, ownerId);
				}
			}
		}

	}

}
