// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;

import io.lockstarter.LockOptions;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A store that says what the test tells it to, and remembers what it was asked. Left
 * alone it grants every key, confirms every release and renews everything, and answers
 * before the command returns.
 */
final class ScriptedStore implements LockStore {

	private static final int TOKEN_BLOCK = 100;

	private final AtomicLong lastToken = new AtomicLong();

	private final Commands<Acquire, AcquireReply> acquires = new Commands<>(
			(command) -> granted(command.tokens(), false));

	private final Commands<List<Acquire>, AcquireAllReply> jointAcquires = new Commands<>(
			(commands) -> new AcquireAllReply(
					commands.stream().map((command) -> granted(command.tokens(), false)).toList(), null, null));

	private final Commands<Release, Boolean> releases = new Commands<>((command) -> true);

	private final Commands<List<Renew>, List<@Nullable Boolean>> renewals = new Commands<>(
			(commands) -> commands.stream().map((command) -> true).toList());

	private final Commands<Renew, Boolean> shares = new Commands<>((command) -> true);

	private final Commands<Leave, Boolean> leaves = new Commands<>((command) -> true);

	private final List<Object> journal = new CopyOnWriteArrayList<>();

	private final AtomicLong listenCount = new AtomicLong();

	private volatile int parts = 1;

	private volatile boolean shareable = true;

	private volatile boolean hearing = true;

	private volatile Duration grantTerm = Duration.ZERO;

	private volatile Duration maxTtl = LockOptions.MAX_DURATION;

	private volatile @Nullable RuntimeException listenFailure;

	private volatile @Nullable Signals signals;

	private volatile CompletableFuture<Boolean> ready = CompletableFuture.completedFuture(true);

	private volatile @Nullable ConnectionListener connection;

	private volatile ToIntFunction<String> partitions = (key) -> Math.floorMod(key.hashCode(), this.parts);

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		return this.acquires.issue(command, this.journal);
	}

	@Override
	public CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		return this.jointAcquires.issue(List.copyOf(commands), this.journal);
	}

	@Override
	public CompletableFuture<?> open(ConnectionListener listener) {
		this.connection = listener;
		return this.ready;
	}

	@Override
	public int partition(String key) {
		return this.partitions.applyAsInt(key);
	}

	void partitions(ToIntFunction<String> partitionOf) {
		this.partitions = partitionOf;
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		return this.releases.issue(command, this.journal);
	}

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		return this.renewals.issue(List.copyOf(commands), this.journal);
	}

	@Override
	public boolean isShareable() {
		return this.shareable;
	}

	void sharesNothing() {
		this.shareable = false;
	}

	@Override
	public CompletableFuture<Boolean> share(Renew command) {
		return this.shares.issue(command, this.journal);
	}

	@Override
	public Duration maxTtl() {
		return this.maxTtl;
	}

	void maxTtl(Duration ttl) {
		this.maxTtl = ttl;
	}

	@Override
	public Duration grantTerm() {
		return this.grantTerm;
	}

	/**
	 * Releases grant keys to the next instance, for as long as that.
	 */
	ScriptedStore granting(Duration term) {
		this.grantTerm = term;
		return this;
	}

	Commands<Renew, Boolean> shares() {
		return this.shares;
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return this.leaves.issue(new Leave(key, instance), this.journal);
	}

	@Override
	public int partitions() {
		return this.parts;
	}

	/**
	 * From now on the store has several parts.
	 */
	void parts(int parts) {
		this.parts = parts;
	}

	@Override
	public void listen(String instance, Signals signals) {
		this.listenCount.incrementAndGet();
		RuntimeException failure = this.listenFailure;
		if (failure != null) {
			throw failure;
		}
		this.signals = signals;
		if (this.hearing) {
			signals.listening(true);
		}
	}

	@Override
	public void close() {
	}

	Commands<Acquire, AcquireReply> acquires() {
		return this.acquires;
	}

	Commands<List<Acquire>, AcquireAllReply> jointAcquires() {
		return this.jointAcquires;
	}

	/**
	 * The next registry that opens this store finds it connecting until the test says
	 * that it is connected.
	 */
	ScriptedStore connecting() {
		this.ready = new CompletableFuture<>();
		return this;
	}

	void connected() {
		this.ready.complete(true);
	}

	/**
	 * Return whom to tell of another connection. Fails if nobody opened the store.
	 */
	ConnectionListener connection() {
		ConnectionListener listener = this.connection;
		if (listener == null) {
			throw new AssertionError("nobody opened the store");
		}
		return listener;
	}

	Commands<Release, Boolean> releases() {
		return this.releases;
	}

	Commands<List<Renew>, List<@Nullable Boolean>> renewals() {
		return this.renewals;
	}

	Commands<Leave, Boolean> leaves() {
		return this.leaves;
	}

	/**
	 * Return all commands in the order in which they were issued.
	 */
	List<Object> journal() {
		return this.journal;
	}

	long listenCount() {
		return this.listenCount.get();
	}

	/**
	 * From now on whoever listens is not told that it hears anything.
	 */
	void deaf() {
		this.hearing = false;
	}

	void listenFails(RuntimeException failure) {
		this.listenFailure = failure;
	}

	/**
	 * Return whom to signal. Fails if nobody listens.
	 */
	Signals signals() {
		Signals receiver = this.signals;
		if (receiver == null) {
			throw new AssertionError("nobody listens");
		}
		return receiver;
	}

	/**
	 * Pass everything on to another store, signals excepted.
	 */
	void actsAs(LockStore real) {
		this.acquires.forward(real::acquire);
		this.jointAcquires.forward(real::acquireAll);
		this.releases.forward(real::release);
		this.renewals.forward(real::renew);
		this.shares.forward(real::share);
		this.leaves.forward((command) -> real.leave(command.key(), command.instance()).thenApply((done) -> true));
	}

	/**
	 * Execute every command twice and give the second answer, as a client does that
	 * repeats a command after a lost reply.
	 */
	void actsTwiceAs(LockStore real) {
		this.acquires.forward((command) -> real.acquire(command).thenCompose((first) -> real.acquire(command)));
		this.releases.forward((command) -> real.release(command).thenCompose((first) -> real.release(command)));
		this.renewals.forward((commands) -> real.renew(commands).thenCompose((first) -> real.renew(commands)));
		this.shares.forward((command) -> real.share(command).thenCompose((first) -> real.share(command)));
		this.leaves.forward((command) -> real.leave(command.key(), command.instance())
			.thenCompose((first) -> real.leave(command.key(), command.instance()))
			.thenApply((done) -> true));
	}

	/**
	 * Return the answer to an acquisition that succeeds, with the next fencing tokens.
	 */
	Acquired granted() {
		return granted(TOKEN_BLOCK, false);
	}

	Acquired granted(int tokens, boolean contended) {
		long last = this.lastToken.addAndGet(tokens);
		return new Acquired(last - tokens + 1, last, contended);
	}

	static Busy busy(String holder, Duration remaining) {
		return new Busy(holder, remaining);
	}

	/**
	 * One instance leaves the queue of a key.
	 *
	 * @param key the key
	 * @param instance the instance id
	 */
	record Leave(String key, String instance) {
	}

	/**
	 * The commands of one kind: those that came, and what becomes of those to come.
	 *
	 * @param <C> the command
	 * @param <R> its reply
	 */
	static final class Commands<C, R> {

		private final List<Call<C, R>> calls = new CopyOnWriteArrayList<>();

		private volatile Function<? super C, CompletableFuture<R>> script;

		Commands(Function<C, R> script) {
			this.script = (command) -> CompletableFuture.completedFuture(script.apply(command));
		}

		private CompletableFuture<R> issue(C command, List<Object> journal) {
			Call<C, R> call = new Call<>(command);
			this.calls.add(call);
			journal.add(command);
			var unused = this.script.apply(command).whenComplete(call::complete);
			return call.reply;
		}

		/**
		 * Answer the commands to come, at once.
		 */
		void answer(Function<? super C, ? extends R> answer) {
			this.script = (command) -> CompletableFuture.completedFuture(answer.apply(command));
		}

		/**
		 * Answer the commands to come when the test does, call by call.
		 */
		void hold() {
			this.script = (command) -> new CompletableFuture<>();
		}

		/**
		 * Fail the commands to come.
		 */
		void fail(Throwable failure) {
			this.script = (command) -> CompletableFuture.failedFuture(failure);
		}

		/**
		 * Throw from the commands to come, which no store should do.
		 */
		void throwAtOnce(RuntimeException failure) {
			this.script = (command) -> {
				throw failure;
			};
		}

		void forward(Function<? super C, CompletableFuture<R>> real) {
			this.script = real;
		}

		List<Call<C, R>> calls() {
			return this.calls;
		}

		List<C> commands() {
			return this.calls.stream().map(Call::command).toList();
		}

		int count() {
			return this.calls.size();
		}

		Call<C, R> last() {
			return call(count() - 1);
		}

		Call<C, R> call(int index) {
			return this.calls.get(index);
		}

	}

	/**
	 * A command and its future reply.
	 *
	 * @param <C> the command
	 * @param <R> its reply
	 */
	static final class Call<C, R> {

		private final C command;

		private final CompletableFuture<R> reply = new CompletableFuture<>();

		Call(C command) {
			this.command = command;
		}

		C command() {
			return this.command;
		}

		void answer(R answer) {
			this.reply.complete(answer);
		}

		void fail(Throwable failure) {
			this.reply.completeExceptionally(failure);
		}

		boolean isCancelled() {
			return this.reply.isCancelled();
		}

		boolean isAnswered() {
			return this.reply.isDone();
		}

		private void complete(@Nullable R answer, @Nullable Throwable failure) {
			if (failure != null) {
				this.reply.completeExceptionally(failure);
			}
			else {
				this.reply.complete(answer);
			}
		}

	}

}
