// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.engine.SimulatedRegistry;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * An instance of an application: a process with a registry, and those who call it. It may
 * die and be started again, as another process.
 */
final class Instance {

	/**
	 * For how long a command may be executed once more when a connection was given up.
	 */
	private static final long STRAGGLING = 60 * World.SECOND;

	private final Run run;

	private final int number;

	private final SplittableRandom random;

	private final List<Actor> actors = new ArrayList<>();

	private final RegistrySettings settings;

	private Jvm jvm;

	private JvmPlatform platform;

	private DefaultLockRegistry registry;

	private LockStore store;

	private Asked asked;

	private @Nullable Candidate candidate;

	private int starts;

	Instance(Run run, int number, RegistrySettings settings) {
		this.run = run;
		this.number = number;
		this.settings = settings;
		this.random = run.world().stream(7, number);
		this.jvm = begin();
		this.platform = new JvmPlatform(this.jvm);
		this.store = run.servers().store(this.platform);
		this.asked = judge();
		this.registry = SimulatedRegistry.create(this.platform, id(), new AskedStore(this.store, this.asked), settings,
				new Listener(this.jvm), new Monitor(this.jvm));
		this.candidate = candidate();
		for (int i = 0; i < run.scenario().actors(); i++) {
			this.actors.add(new Actor(run, this, 100 * number + i));
		}
	}

	static RegistrySettings settings(SplittableRandom random) {
		Duration timeout = Duration.ofMillis(new int[] { 300, 1000, 2000 }[random.nextInt(3)]);
		Duration poll = Duration.ofMillis(new int[] { 500, 1000, 5000 }[random.nextInt(3)]);
		return RegistrySettings.defaults()
			.withTtl(Duration.ofSeconds(2))
			.withWaitTime(Duration.ofSeconds(1))
			.withCommandTimeout(timeout)
			.withPollInterval(poll)
			.withShutdownGrace(Duration.ZERO);
	}

	private Jvm begin() {
		// Clocks may differ by the margin of 1 %, from that of a server, too.
		double rate = 1 + (this.random.nextInt(3) - 1) * 0.004;
		long offset = this.random.nextLong(1000 * World.SECOND);
		return new Jvm(this.run.world(), id(), 1000L * this.number + this.starts, rate, offset);
	}

	String id() {
		return "i" + this.number + ((this.starts > 0) ? "-" + this.starts : "");
	}

	/**
	 * Die.
	 * @param unnoticed how long servers do not notice
	 */
	void crash(long unnoticed) {
		this.jvm.crash();
		this.run.crashed(this.jvm);
		this.run.net().died(this.jvm, unnoticed);
		this.actors.forEach(Actor::died);
	}

	/**
	 * Start again, as another process.
	 */
	void restart() {
		this.starts++;
		this.jvm = begin();
		this.platform = new JvmPlatform(this.jvm);
		this.store = this.run.servers().store(this.platform);
		this.asked = judge();
		this.registry = SimulatedRegistry.create(this.platform, id(), new AskedStore(this.store, this.asked),
				this.settings, new Listener(this.jvm), new Monitor(this.jvm));
		this.candidate = candidate();
		start();
	}

	private Asked judge() {
		Jvm process = this.jvm;
		return new Asked(this.run.world()::now, process, this.run.checks(),
				(since) -> this.run.waiting().isCalm(process, since), () -> this.run.net().unsent(process));
	}

	/**
	 * Return what the present process asks its store.
	 */
	Asked asked() {
		return this.asked;
	}

	private @Nullable Candidate candidate() {
		return this.run.scenario().has(Trait.LEADING)
				? new Candidate(this.run, this, 1000 * this.number + this.starts, this.platform, this.registry) : null;
	}

	/**
	 * Return what wants to lead in the present process; {@code null} if nothing does.
	 */
	@Nullable Candidate wantsToLead() {
		return this.candidate;
	}

	/**
	 * Stop its registry, and what depends on it before.
	 */
	void stop() {
		if (this.candidate != null) {
			this.candidate.stop();
		}
		this.registry.stop();
	}

	/**
	 * Let those who call it go on.
	 */
	void start() {
		this.actors.forEach(Actor::start);
		if (this.candidate != null) {
			this.candidate.start();
		}
	}

	Jvm jvm() {
		return this.jvm;
	}

	JvmPlatform platform() {
		return this.platform;
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	LockStore store() {
		return this.store;
	}

	void closeStore() {
		this.store.close();
	}

	RegistrySettings settings() {
		return this.settings;
	}

	int number() {
		return this.number;
	}

	boolean isDone() {
		if (!this.jvm.isAlive()) {
			return false;
		}
		for (Actor actor : this.actors) {
			if (!actor.isDone()) {
				return false;
			}
		}
		return true;
	}

	List<Actor> actors() {
		return this.actors;
	}

	/**
	 * Watch that a call ends in time.
	 */
	<T> CompletableFuture<T> watch(Call call, CompletableFuture<T> result) {
		if (result.isDone()) {
			var unused = result.whenComplete((value, failure) -> checkFailure(call, failure));
		}
		else {
			this.run.checks().begun(call);
			this.run.waiting().begun(call);
			Jvm caller = this.jvm;
			var unused = result.whenComplete((value, failure) -> {
				if (caller.isAlive()) {
					if (failure != null && call.what.startsWith("acquire")
							&& !(cause(failure) instanceof LockNotAcquiredException)) {
						this.run.checks().unanswered(call, this.run.world().now() + connecting());
					}
					checkFailure(call, failure);
					this.run.checks().ended(call);
					this.run.waiting().ended(call);
				}
			});
		}
		return result;
	}

	/**
	 * Register an action for the loss of a lease, and another one that is taken back.
	 */
	void actOnLoss(Lease lease) {
		LeaseView view = SimulatedRegistry.view(lease);
		var unused = lease.onLost((cause) -> this.run.states().acted(view, cause));
		Grant grant = this.run.checks().grant(view);
		if (grant != null) {
			grant.hasAction = true;
		}
		lease
			.onLost((cause) -> this.run.checks()
				.violated(Rule.LOSS_TOLD_TWICE,
						"%s of %s is told by an action that was taken back".formatted(lease.key(), lease.ownerId())))
			.close();
	}

	private void checkFailure(Call call, @Nullable Throwable failure) {
		if (failure != null && !isTold(cause(failure))) {
			this.run.checks().violated(Rule.EXCEPTION, call + " fails by " + cause(failure));
		}
		else if (failure != null) {
			String flaw = Flaws.of(failure, call.keys);
			if (flaw != null) {
				this.run.checks().violated(Rule.EXCEPTION, call + " is told: " + flaw);
			}
		}
		if (cause(failure) instanceof LockStoreException
				&& (isInNoDoubt(call) || (this.run.waiting().isUndisturbed(call) && !mayBeDoubted(call)))) {
			this.run.checks().violated(Rule.EXCEPTION, call + " fails: " + cause(failure));
		}
	}

	/**
	 * Return whether a failure is one that callers are told of, and no mistake.
	 */
	static boolean isTold(@Nullable Throwable cause) {
		return cause instanceof LockNotAcquiredException || cause instanceof LockStoreException
				|| cause instanceof CancellationException || (cause instanceof IllegalStateException
						&& String.valueOf(cause.getMessage()).startsWith("The lock registry is "));
	}

	/**
	 * Return whether an answer is certain: that of a lost reply to anything else is not
	 * known, although the store does not fail.
	 */
	private boolean isInNoDoubt(Call call) {
		return call.what.startsWith("acquire") && this.run.failsNoCall();
	}

	/**
	 * Return whether an extension may be set back by a renewal that was under way when a
	 * connection was given up, be it for a message that took long.
	 */
	private boolean mayBeDoubted(Call call) {
		return call.what.equals("extend")
				&& this.run.checks().isDisturbedSince(this.jvm.toString(), call.since - STRAGGLING);
	}

	Call call(String what, String caller, List<String> keys, Duration wait) {
		long timeout = this.settings.commandTimeout().toNanos();
		long longest = Math.max(wait.toNanos(), timeout) + 150 * World.MILLI;
		// Each key that is waited for has time for an answer.
		longest += (keys.size() > 1) ? timeout : 0;
		longest += connecting();
		return new Call(what, caller, this.jvm, keys, this.run.world().now(), this.jvm.nanoTime() + longest,
				timeout + 300 * World.MILLI);
	}

	static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException wrapped) ? wrapped.getCause() : failure;
	}

	/**
	 * Until there is a connection, nothing has a limit but connecting.
	 */
	private long connecting() {
		return this.run.isConnected(this.jvm) ? 0 : Servers.CONNECT_TIMEOUT.toNanos();
	}

	@Override
	public String toString() {
		return this.jvm.toString();
	}

	private final class Listener implements LockListener {

		private final Jvm process;

		Listener(Jvm process) {
			this.process = process;
		}

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			Run run = Instance.this.run;
			run.checks().toldLost(SimulatedRegistry.view(lease), cause);
			run.states().toldLost(SimulatedRegistry.view(lease));
			if (run.world().isTracing()) {
				run.world()
					.trace(this.process + " tells that " + lease.ownerId() + " lost " + lease.key() + ": " + cause);
			}
		}

		@Override
		public void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
			Instance.this.run.checks().losses().unconfirmed(lease.key(), lease.ownerId());
		}

	}

	private final class Monitor implements LockMonitor {

		private final Jvm process;

		Monitor(Jvm process) {
			this.process = process;
		}

		@Override
		public void acquired(Lease lease, long waited, boolean handedOn) {
			Run run = Instance.this.run;
			LeaseView view = SimulatedRegistry.view(lease);
			run.world().note(view.token());
			run.checks().granted(this.process.toString(), this.process, view);
			run.states().granted(this.process, view, handedOn);
			run.waiting().granted(this.process, view, handedOn);
			run.servers().told(view);
			Instance.this.actors.forEach(Actor::granting);
			if (run.world().isTracing()) {
				run.world()
					.trace("%s believes that %s holds %s, token %d, up to %s%s".formatted(this.process, view.ownerId(),
							view.key(), view.token(), World.time(this.process.worldTime(view.deadline())),
							handedOn ? ", handed on" : ""));
			}
		}

		@Override
		public void released(Lease lease, long held) {
			World world = Instance.this.run.world();
			if (world.isTracing()) {
				world.trace(this.process + " releases " + lease.key() + " of " + lease.ownerId());
			}
		}

	}

}
