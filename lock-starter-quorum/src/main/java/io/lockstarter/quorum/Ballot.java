// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition: the actions {@code Vote}, {@code Raise} and {@code Hold} of the model.
 * What comes after the decision is followed, too: a node that grants the key late is
 * known to have it. If nothing was acquired it has been told to give it back.
 * <p>
 * If no contender gets a majority, each of them knows from the nodes that are busy who
 * has how many votes, and so who is to win: who has most, or the smallest owner id of
 * these. That one keeps its votes and asks the others again, who give theirs back. Of
 * those who share a node one is named, and several may keep their votes: they do not
 * exclude each other.
 */
final class Ballot {

	/**
	 * How often to ask again who gives a vote back, with a growing pause: for some 30 ms.
	 */
	private static final int MOST_ROUNDS = 5;

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * After how long to ask again if the winner, who is to send a signal, does not win.
	 */
	private static final long SPLIT_MILLIS = 20;

	private enum Vote {

		AWAITED, GRANTED, BUSY,

		/** Without any effect. */
		FAILED,

		/** The node may have the key. */
		UNKNOWN

	}

	private final Electorate electorate;

	private final HeldKeys keys;

	private final Acquire command;

	private final Round round;

	private final CompletableFuture<AcquireReply> result = new CompletableFuture<>();

	private final Object monitor = new Object();

	private final long end;

	// What follows is guarded by the monitor.

	private final Vote[] votes;

	private final Map<Integer, Acquired> granted = new HashMap<>();

	private final Map<Integer, Busy> busy = new HashMap<>();

	// whether the fence of a node is at the last token; null if that is not known yet
	private final @Nullable Boolean[] raised;

	// nodes that were asked to let their fences follow
	private final List<Integer> asked = new ArrayList<>();

	private final Failures failures = new Failures();

	private long token;

	private int rounds;

	private boolean raising;

	private boolean over;

	private @Nullable HeldKey held;

	Ballot(Electorate electorate, HeldKeys keys, Acquire command) {
		this.electorate = electorate;
		this.keys = keys;
		this.command = command;
		this.round = new Round(electorate);
		int size = electorate.size();
		this.votes = new Vote[size];
		Arrays.fill(this.votes, Vote.AWAITED);
		this.raised = new Boolean[size];
		this.end = electorate.nanoTime() + electorate.patience(command.ttl());
	}

	/**
	 * Ask all nodes at once. Whoever counts on the answer counts from before this call.
	 */
	CompletableFuture<AcquireReply> start() {
		long patience = this.end - this.electorate.nanoTime();
		this.round.limit(this.result, patience, this::timeOver);
		this.round.sendToAll((node) -> node.acquire(this.command), this::voted);
		return this.result;
	}

	private void voted(int node, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		Runnable step;
		synchronized (this.monitor) {
			if (reply instanceof Acquired grant) {
				this.votes[node] = Vote.GRANTED;
				this.granted.put(node, grant);
			}
			else if (reply instanceof Busy refusal) {
				this.votes[node] = Vote.BUSY;
				this.busy.put(node, refusal);
			}
			else {
				this.votes[node] = Failures.isOutcomeUnknown(failure) ? Vote.UNKNOWN : Vote.FAILED;
				this.failures.add(node, failure);
			}
			step = isOver() ? late(node) : next();
		}
		step.run();
	}

	/**
	 * Return whether a vote is as good as one that came before the tokens were known: if
	 * no larger token was drawn there, nobody had a later lease from that node.
	 */
	private boolean isInTime(int node) {
		return grantOf(node).firstToken() <= lastToken();
	}

	private boolean isRaiseRefused(int node) {
		return Boolean.FALSE.equals(this.raised[node]) && grantOf(node).firstToken() < this.token;
	}

	private Runnable late(int node) {
		HeldKey known = this.held;
		if (known != null && this.votes[node] == Vote.GRANTED) {
			boolean inTime = isInTime(node);
			return () -> known.found(node, inTime);
		}
		// It has been told to give the key back already, by a command behind this one.
		return Ballot::nothing;
	}

	private Runnable next() {
		if (this.raising) {
			return follow();
		}
		if (count(Vote.GRANTED) >= majority()) {
			return raise();
		}
		if (failed() > this.votes.length - majority()) {
			return fail();
		}
		return (count(Vote.GRANTED) + count(Vote.AWAITED) < majority()) ? split() : Ballot::nothing;
	}

	/**
	 * The largest first token of a majority is the first of the lease.
	 */
	private Runnable raise() {
		this.raising = true;
		for (int node = 0; node < this.votes.length; node++) {
			if (this.votes[node] == Vote.GRANTED) {
				this.token = Math.max(this.token, grantOf(node).firstToken());
			}
		}
		return follow();
	}

	/**
	 * Let fences follow that are behind, also those of nodes that grant the key now.
	 */
	private Runnable follow() {
		List<Integer> behind = new ArrayList<>();
		for (int node = 0; node < this.votes.length; node++) {
			if (this.votes[node] == Vote.GRANTED && this.raised[node] == null) {
				long first = grantOf(node).firstToken();
				if (first >= this.token) {
					// Who drew before a vote that comes late with a larger token may have
					// been done, with these tokens, if a node of both has lost its key.
					this.raised[node] = first == this.token;
				}
				else if (!this.asked.contains(node)) {
					this.asked.add(node);
					behind.add(node);
				}
			}
		}
		int confirmed = 0;
		int possible = 0;
		for (int node = 0; node < this.votes.length; node++) {
			boolean open = this.raised[node] == null && (this.votes[node] == Vote.AWAITED || this.asked.contains(node));
			confirmed += Boolean.TRUE.equals(this.raised[node]) ? 1 : 0;
			possible += (open || Boolean.TRUE.equals(this.raised[node])) ? 1 : 0;
		}
		if (confirmed >= majority()) {
			return hold();
		}
		if (possible < majority()) {
			// The key expired at some nodes before it was acquired, perhaps.
			return (this.failures.count() == 0) ? lose(null, Map.of()) : fail();
		}
		return () -> behind.forEach(this::raiseAt);
	}

	private void raiseAt(int node) {
		this.round.send(node, (store) -> store.raise(this.command.key(), this.command.ownerId(), lastToken()),
				this::raised);
	}

	private void raised(int node, @Nullable Boolean done, @Nullable Throwable failure) {
		Runnable step;
		synchronized (this.monitor) {
			this.raised[node] = Boolean.TRUE.equals(done);
			if (failure != null) {
				this.failures.add(node, failure);
			}
			step = isOver() ? Ballot::nothing : follow();
		}
		step.run();
	}

	private long lastToken() {
		return this.token + this.command.tokens() - 1;
	}

	private Runnable hold() {
		int mine = 0;
		int sure = 0;
		boolean contended = false;
		for (int node = 0; node < this.votes.length; node++) {
			if (this.votes[node] == Vote.GRANTED && !isRaiseRefused(node)) {
				mine |= 1 << node;
				sure |= isInTime(node) ? 1 << node : 0;
				contended |= grantOf(node).contended();
			}
		}
		Acquired reply = new Acquired(this.token, lastToken(), contended);
		this.over = true;
		if (!this.result.isDone()) {
			this.held = this.keys.add(this.command, mine, sure, this.electorate.nanoTime());
		}
		return () -> this.result.complete(reply);
	}

	/**
	 * No majority is possible now, but it may be if others give their votes back.
	 */
	private Runnable split() {
		Map<String, Integer> tally = new HashMap<>();
		for (Busy refusal : this.busy.values()) {
			if (refusal.holder() != null) {
				tally.merge(refusal.holder(), 1, Integer::sum);
			}
		}
		int own = count(Vote.GRANTED);
		String winner = (own > 0) ? this.command.ownerId() : null;
		int most = own;
		for (Map.Entry<String, Integer> other : tally.entrySet()) {
			boolean wins = winner == null || other.getValue() > most
					|| (other.getValue() == most && order(other.getKey(), winner) < 0);
			if (wins) {
				winner = other.getKey();
				most = other.getValue();
			}
		}
		boolean won = this.command.ownerId().equals(winner);
		long pause = FIRST_PAUSE << this.rounds;
		if (won && this.rounds < MOST_ROUNDS && this.electorate.nanoTime() + pause < this.end) {
			this.rounds++;
			return () -> this.electorate.timer().schedule(this::askAgain, pause);
		}
		return lose(winner, tally);
	}

	private static int order(String owner, String other) {
		int byHash = Integer.compare(owner.hashCode(), other.hashCode());
		return (byHash != 0) ? byHash : owner.compareTo(other);
	}

	private void askAgain() {
		List<Integer> again = new ArrayList<>();
		synchronized (this.monitor) {
			for (int node = 0; node < this.votes.length; node++) {
				if (this.votes[node] == Vote.BUSY && !isOver()) {
					this.votes[node] = Vote.AWAITED;
					this.busy.remove(node);
					again.add(node);
				}
			}
		}
		again.forEach((node) -> this.round.send(node, (store) -> store.acquire(this.command), this::voted));
	}

	private Runnable lose(@Nullable String winner, Map<String, Integer> tally) {
		// Reserved for the same instance at each of them, perhaps.
		boolean reserved = this.busy.values()
			.stream()
			.filter((refusal) -> refusal.holder() == null)
			.count() >= majority();
		boolean held = winner != null && tally.getOrDefault(winner, 0) >= majority();
		String holder = reserved ? null : winner;
		Duration remaining = Duration.ZERO;
		Duration setBack = Duration.ZERO;
		for (Busy refusal : this.busy.values()) {
			if (Objects.equals(refusal.holder(), holder)) {
				remaining = (remaining == null || refusal.remaining() == null) ? null
						: (remaining.compareTo(refusal.remaining()) > 0) ? remaining : refusal.remaining();
				setBack = (setBack.compareTo(refusal.setBack()) > 0) ? setBack : refusal.setBack();
			}
		}
		if (!held && !reserved) {
			remaining = Duration.ofMillis(1 + this.electorate.random().nextLong(SPLIT_MILLIS));
		}
		Busy reply = new Busy(Objects.equals(holder, this.command.ownerId()) ? null : holder, remaining, setBack);
		return giveBack(() -> this.result.complete(reply));
	}

	private Runnable fail() {
		boolean unknown = count(Vote.GRANTED) > 0 || count(Vote.AWAITED) > 0;
		RuntimeException failure = this.failures.toException("acquire", this.command.key(), this.votes.length, unknown);
		return giveBack(() -> this.result.completeExceptionally(failure));
	}

	/**
	 * Give back what was granted, and what may have been or may yet be: commands of a key
	 * take effect in their order at each node. Where one is lost all the same, or comes
	 * over another connection, the vote lasts for its ttl.
	 */
	private Runnable giveBack(Runnable then) {
		this.over = true;
		List<Integer> possible = IntStream.range(0, this.votes.length).filter(this::mayHaveKey).boxed().toList();
		// Those who were told that somebody has the key wait for a signal. A split vote
		// has
		// told nobody so.
		boolean awaited = possible.size() >= majority();
		return () -> {
			try {
				possible.forEach((node) -> giveBack(this.electorate.node(node), awaited));
			}
			finally {
				then.run();
			}
		};
	}

	private void giveBack(VotingStore node, boolean awaited) {
		String key = this.command.key();
		String owner = this.command.ownerId();
		if (awaited) {
			var unused = node.release(new Release(key, this.command.instance(), owner, false));
		}
		else {
			var unused = node.abandon(key, owner, this.command.enqueue() ? this.command.mode() : null);
		}
	}

	// Whoever cancels an acquisition releases what it may have acquired.
	private boolean isOver() {
		return this.over || this.result.isDone();
	}

	private void timeOver() {
		this.round.cancel();
		Runnable step = Ballot::nothing;
		synchronized (this.monitor) {
			if (!isOver() && !this.raising && count(Vote.AWAITED) == 0) {
				// The pause before another round is not over.
				this.rounds = MOST_ROUNDS;
				step = split();
			}
		}
		step.run();
	}

	private Acquired grantOf(int node) {
		return Objects.requireNonNull(this.granted.get(node));
	}

	private boolean mayHaveKey(int node) {
		return this.votes[node] != Vote.BUSY && this.votes[node] != Vote.FAILED;
	}

	private int failed() {
		return count(Vote.FAILED) + count(Vote.UNKNOWN);
	}

	private int majority() {
		return this.electorate.majority();
	}

	private int count(Vote vote) {
		return (int) Arrays.stream(this.votes).filter((each) -> each == vote).count();
	}

	private static void nothing() {
	}

}
