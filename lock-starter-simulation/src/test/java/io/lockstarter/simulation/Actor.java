// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.SimulatedRegistry;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A caller: wants a lock, or several, reads what they protect, computes for a while,
 * writes, and releases them; again and again.
 */
final class Actor {

	private static final int[] TTLS = { 100, 200, 500, 1000, 2000, 5000 };

	/**
	 * Long enough for the key to vanish, and for others to come.
	 */
	private static final long LONG_HOLD = 700 * World.MILLI;

	/**
	 * Longer than it takes until a token is forgotten.
	 */
	private static final long FORGOTTEN = 20 * World.SECOND;

	/**
	 * By how much a release comes earlier or later than a renewal: about as long as a
	 * command is under way.
	 */
	private static final long ABOUT = 4 * World.MILLI;

	/**
	 * How much more often callers want a lock that all of them want.
	 */
	private static final int MORE = 3;

	private final Run run;

	private final Instance instance;

	private final String name;

	private final SplittableRandom random;

	private final SplittableRandom permitRandom;

	private final SplittableRandom againRandom;

	private final SplittableRandom sharedRandom;

	private final SplittableRandom downgradeRandom;

	// of runs that differ from others
	private final SplittableRandom traitRandom;

	private int left;

	// a request that is cancelled when it is granted
	private @Nullable CompletableFuture<?> doomed;

	private boolean probing;

	// One goes on holding what it has while the registry is stopped, and another one
	// begins with the next registry. Either may end before the other.
	private int callers;

	private Jvm.@Nullable Lane lane;

	Actor(Run run, Instance instance, int number) {
		this.run = run;
		this.instance = instance;
		this.name = "a" + number % 100;
		this.random = run.world().stream(8, number);
		this.permitRandom = run.world().stream(33, number);
		this.againRandom = run.world().stream(60318, number);
		this.sharedRandom = run.world().stream(35, number);
		this.downgradeRandom = run.world().stream(36, number);
		this.traitRandom = run.world().stream(50, number);
		// Where several hold what they want it takes more callers for somebody to wait.
		this.left = run.scenario().operations() * ((run.permits().isEmpty() && run.shared() == 0) ? 1 : 2);
		// It takes many for somebody to come where a key has vanished.
		this.left *= (run.vanishing() > 0) ? 3 : 1;
		this.left *= has(Trait.ALIKE) ? MORE : 1;
	}

	boolean isDone() {
		return this.callers == 0;
	}

	/**
	 * Begin, in a process that was just started.
	 */
	void start() {
		this.lane = this.instance.jvm().lane(this.name);
		this.callers++;
		later(this::begin, this.random.nextLong(100 * World.MILLI));
	}

	/**
	 * Acquire each key once more, which has to succeed.
	 */
	void probe() {
		this.probing = true;
		this.left = probes().size();
		this.callers++;
		later(this::begin, this.random.nextLong(10 * World.MILLI));
	}

	/**
	 * Go on as before, once more, when nothing goes wrong any more.
	 */
	void goOn() {
		this.probing = false;
		this.left = this.run.scenario().operations();
		start();
	}

	void died() {
		this.doomed = null;
		this.callers = 0;
	}

	private void later(Runnable task, long delay) {
		Jvm.Lane thread = this.lane;
		if (thread != null) {
			var unused = thread.schedule(task, delay);
		}
	}

	private void next() {
		if (has(Trait.FORGETFUL) && this.traitRandom.nextInt(6) == 0) {
			later(this::begin, this.traitRandom.nextLong(FORGOTTEN));
			return;
		}
		if (has(Trait.ALIKE)) {
			later(this::begin, this.traitRandom.nextLong(ABOUT));
			return;
		}
		later(this::begin, this.random.nextInt(3) == 0 ? this.random.nextLong(500 * World.MILLI)
				: this.random.nextLong(5 * World.MILLI));
	}

	private boolean has(Trait trait) {
		return this.run.scenario().has(trait);
	}

	private void begin() {
		if (this.left == 0) {
			this.callers--;
			return;
		}
		this.left--;
		Wanted wanted = this.probing ? probes().get(this.left) : draw();
		LockOptions options = optionsFor(wanted);
		if (this.run.world().isTracing()) {
			this.run.world()
				.trace("%s %s wants %s, ttl %d ms, for %d ms%s%s%s".formatted(this.instance, this.name, wanted,
						ms(options.ttl()), ms(options.waitTime()), options.renew() ? "" : ", not renewed",
						(options.minHold() != null) ? ", at least %d ms".formatted(ms(options.minHold())) : "",
						(options.maxHold() != null) ? ", at most %d ms".formatted(ms(options.maxHold())) : ""));
		}
		DefaultLockRegistry registry = this.instance.registry();
		Duration wait = options.waitTime();
		Call call = this.instance.call(wanted.what(), this.name, wanted.keys(),
				(wait != null) ? wait : Duration.ofSeconds(1));
		call.shared = wanted.isShared();
		call.triesOnce = wait != null && wait.isZero();
		if (call.isForPermit()) {
			call.usedBefore = SimulatedRegistry.keys(registry);
		}
		try {
			Wanted.Asked asked = wanted.ask(registry, options);
			var unused = this.instance.watch(call, asked.leases())
				.whenComplete((leases, failure) -> answered(call, options, leases, failure));
			if (!this.probing && !asked.request().isDone()) {
				giveUp(asked.request());
			}
		}
		catch (IllegalStateException ex) {
			// The registry is stopped, and this caller goes on with the next one.
			this.callers--;
		}
	}

	private Wanted draw() {
		PermitPlan permits = this.run.permits();
		if (!permits.isEmpty() && this.permitRandom.nextInt(4) != 0) {
			List<String> keys = permits.keys();
			return permit(keys.get(this.permitRandom.nextInt(keys.size())));
		}
		List<String> keys = this.run.locks();
		if (has(Trait.SEVERAL) && keys.size() > 1 && this.traitRandom.nextInt(3) != 0) {
			return new Wanted.All(several(keys), this.sharedRandom.nextInt(100) < this.run.shared());
		}
		if (has(Trait.ALIKE) && this.traitRandom.nextInt(4) != 0) {
			return new Wanted.Lock(keys.get(0), this.sharedRandom.nextInt(100) < this.run.shared());
		}
		boolean several = keys.size() > 1 && this.random.nextInt(6) == 0;
		boolean shared = this.sharedRandom.nextInt(100) < this.run.shared();
		return several ? new Wanted.All(keys, shared)
				: new Wanted.Lock(keys.get(this.random.nextInt(keys.size())), shared);
	}

	/**
	 * Draw some of the keys, in any order.
	 */
	private List<String> several(List<String> keys) {
		List<String> left = new ArrayList<>(keys);
		List<String> drawn = new ArrayList<>();
		int count = this.traitRandom.nextInt(2, keys.size() + 1);
		while (drawn.size() < count) {
			drawn.add(left.remove(this.traitRandom.nextInt(left.size())));
		}
		return drawn;
	}

	private Wanted permit(String key) {
		return new Wanted.Permit(key, this.run.permits().limit(key, this.instance.number()));
	}

	/**
	 * Return all that can be had, each slot of permits by itself, too.
	 */
	private List<Wanted> probes() {
		List<Wanted> probes = new ArrayList<>();
		this.run.keys().forEach((key) -> probes.add(new Wanted.Lock(key, false)));
		if (this.run.shared() > 0) {
			this.run.locks().forEach((key) -> probes.add(new Wanted.Lock(key, true)));
		}
		this.run.permits().keys().forEach((key) -> probes.add(permit(key)));
		return probes;
	}

	/**
	 * Cancel some requests: at any time, when nobody waits about the time of an answer,
	 * or at the very moment of the grant.
	 */
	private void giveUp(CompletableFuture<?> asked) {
		switch (this.random.nextInt(24)) {
			case 0, 1 -> later(() -> cancel(asked), this.random.nextLong(300 * World.MILLI));
			case 2 -> later(() -> cancel(asked), this.random.nextLong(4 * World.MILLI));
			case 3 -> this.doomed = asked;
			default -> {
			}
		}
	}

	/**
	 * Note that somebody in this process is being granted a lock.
	 */
	void granting() {
		CompletableFuture<?> asked = this.doomed;
		if (asked != null) {
			this.doomed = null;
			asked.cancel(false);
		}
	}

	/**
	 * Return how long it may take to get a key that nobody holds, with nothing wrong any
	 * more: a silent connection is found out and replaced, and a signal that was lost
	 * costs a poll interval.
	 */
	Duration longestRecovery() {
		return this.instance.settings()
			.commandTimeout()
			.plus(Servers.CONNECT_TIMEOUT)
			.plus(this.instance.settings().pollInterval())
			.plus(this.run.longestAbstention())
			.plusSeconds(1);
	}

	private void cancel(CompletableFuture<?> asked) {
		if (asked.cancel(false)) {
			checkWaiters();
		}
	}

	private void checkWaiters() {
		this.run.checks().cancelled(this.instance.jvm(), SimulatedRegistry.waiters(this.instance.registry()));
	}

	private static long ms(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() : -1;
	}

	private LockOptions optionsFor(Wanted wanted) {
		LockOptions options = this.probing ? LockOptions.defaults().withWaitTime(longestRecovery()) : options();
		if (this.run.shared() > 0 && this.sharedRandom.nextBoolean()) {
			// Leases that have all in common may come of one acquisition.
			options = options.withTtl(null).withMaxHold(null).withRenew(true);
		}
		if (!this.probing && has(Trait.EXPIRING) && this.traitRandom.nextInt(3) != 0) {
			options = options.withTtl(Duration.ofMillis(this.traitRandom.nextInt(50, 500)))
				.withMaxHold(null)
				.withRenew(false);
		}
		if (!this.probing && has(Trait.ALIKE) && this.traitRandom.nextInt(8) != 0) {
			options = LockOptions.defaults().withWaitTime(Duration.ofSeconds(8));
		}
		if (!this.probing && has(Trait.RACING) && this.traitRandom.nextInt(4) == 0) {
			options = options.withMinHold(Duration.ofMillis(this.traitRandom.nextInt(1, 900)));
		}
		return wanted.isShared()
				? options.withMinHold(null).withMode(LockMode.SHARED).withName(SimulatedRegistry.SHARED) : options;
	}

	private LockOptions options() {
		LockOptions options = LockOptions.defaults().withTtl(Duration.ofMillis(TTLS[this.random.nextInt(TTLS.length)]));
		int wait = switch (this.random.nextInt(4)) {
			case 0 -> 0;
			case 1 -> this.random.nextInt(1, 100);
			case 2 -> this.random.nextInt(100, 1500);
			default -> this.random.nextInt(500, 8000);
		};
		options = options.withWaitTime(Duration.ofMillis(wait));
		if (this.random.nextInt(4) == 0) {
			options = options.withRenew(false);
		}
		else if (this.random.nextInt(8) == 0) {
			options = options.withMaxHold(Duration.ofMillis(this.random.nextInt(50, 1000)));
		}
		if (this.random.nextInt(10) == 0) {
			options = options.withMinHold(Duration.ofMillis(this.random.nextInt(1, 400)));
		}
		return options;
	}

	private void answered(Call call, LockOptions options, @Nullable List<Lease> leases, @Nullable Throwable failure) {
		World world = this.run.world();
		if (leases != null) {
			if (call.isForPermit()) {
				checkWaiters();
			}
			if (world.isTracing()) {
				world.trace("%s %s has %s".formatted(this.instance, this.name, call.keys));
			}
			this.run.states().served(call);
			leases.forEach((lease) -> delivered(lease, options));
			if (call.shared && this.run.faultsAreEmpty()) {
				long poll = this.instance.settings().pollInterval().toNanos();
				// Who waits asks all servers of a quorum by then, each of which has a
				// queue.
				long approximate = this.run.servers().isQuorum() ? poll : 0;
				leases.forEach(
						(lease) -> this.run.checks().joined(call, SimulatedRegistry.view(lease), poll, approximate));
			}
			hold(leases, options);
			return;
		}
		Throwable cause = Instance.cause(failure);
		if (cause == null) {
			this.run.checks().violated(Rule.EXCEPTION, call + " gets nothing");
		}
		if (world.isTracing()) {
			world.trace("%s %s does not get %s: %s".formatted(this.instance, this.name, call.keys, cause));
		}
		if (cause instanceof LockNotAcquiredException busy) {
			this.run.checks().toldWhy(call, busy);
			if (call.isForPermit()) {
				this.run.checks().toldAllTaken(call);
			}
			else {
				long patience = this.instance.settings().commandTimeout().toNanos();
				this.run.checks()
					.toldBusy(call, busy.key(), patience, () -> this.run.servers().isTaken(busy.key(), call.shared));
			}
		}
		this.run.failed(call, cause, this.probing);
		if (cause instanceof IllegalStateException && !(cause instanceof LockStoreException)) {
			this.callers--;
			return;
		}
		next();
	}

	private void delivered(Lease lease, LockOptions options) {
		Duration wanted = options.ttl();
		Duration ttl = (wanted != null) ? wanted : this.instance.settings().ttl();
		Duration maxHold = options.maxHold();
		long renewed = !options.renew() ? 0 : (maxHold != null) ? maxHold.toNanos() : Long.MAX_VALUE;
		this.run.states().delivered(SimulatedRegistry.view(lease), lease.ttl().toNanos(), ttl.toNanos(), renewed);
	}

	private void hold(List<Lease> leases, LockOptions options) {
		List<Section> sections = new ArrayList<>();
		boolean shared = options.mode() == LockMode.SHARED;
		for (Lease lease : leases) {
			sections.add(new Section(this.run, lease, shared));
			this.run.waiting().delivered(SimulatedRegistry.view(lease));
		}
		long ttl = leases.get(0).ttl().toNanos();
		long hold = holdFor(ttl, options);
		if (!this.probing && has(Trait.EXPIRING) && !options.renew() && this.traitRandom.nextBoolean()) {
			hold = ttl + this.traitRandom.nextLong(ttl / 2);
		}
		if (!this.probing && has(Trait.ALIKE)) {
			hold = this.traitRandom.nextLong(ABOUT, 5 * ABOUT);
		}
		if (!this.probing && has(Trait.RACING) && options.renew() && this.traitRandom.nextBoolean()) {
			hold = ttl / 3 + this.traitRandom.nextLong(-ABOUT, ABOUT);
		}
		if (!this.probing && has(Trait.EXTENDED) && this.traitRandom.nextBoolean()) {
			hold = extendAndHold(leases, hold / 3);
		}
		else if (!this.probing && this.random.nextInt(8) == 0) {
			Duration extension = Duration.ofMillis(TTLS[this.random.nextInt(TTLS.length)]);
			Lease lease = leases.get(this.random.nextInt(leases.size()));
			later(() -> extend(lease, extension), hold / 3);
		}
		boolean confirmed = this.random.nextBoolean();
		// Of several leases each counts from its own grant, which may be earlier.
		boolean exact = leases.size() == 1 && this.run.faultsAreEmpty();
		if (!shared && this.run.shared() > 0 && !this.probing && leases.size() == 1
				&& this.sharedRandom.nextInt(4) == 0) {
			exact = false;
			later(() -> downgrade(leases.get(0), sections), hold / 2);
			if (this.run.servers().isQuorum() && options.renew() && this.downgradeRandom.nextBoolean()) {
				// Until renewals have told all servers.
				hold += 3 * ttl;
			}
		}
		Duration minHold = exact ? options.minHold() : null;
		long least = (minHold != null) ? this.run.world().now() + minHold.toNanos() * 98 / 100 : 0;
		later(() -> {
			if (minHold != null) {
				keep(leases, least);
			}
			if (options.minHold() != null) {
				leases.forEach((lease) -> this.run.keeps(lease.key()));
			}
			end(leases, sections, confirmed);
		}, this.probing ? 0 : hold);
	}

	/**
	 * Draw for how long leases are held: those that end by themselves often up to that,
	 * and a little longer.
	 */
	private long holdFor(long ttl, LockOptions options) {
		Duration maxHold = options.maxHold();
		boolean ends = !options.renew() || maxHold != null;
		if (this.run.vanishing() > 0 && !ends && this.random.nextBoolean()) {
			return this.random.nextLong(LONG_HOLD);
		}
		int kind = this.random.nextInt(8);
		if (kind == 0 || (ends && kind < 4)) {
			long renewed = (maxHold != null) ? maxHold.toNanos() : ends ? 0 : ttl;
			return this.random.nextLong(renewed + ttl * 5 / 4);
		}
		return this.random.nextLong((kind < 3) ? 300 * World.MILLI : 10 * World.MILLI);
	}

	/**
	 * Write, and go on reading together with others.
	 */
	private void downgrade(Lease lease, List<Section> sections) {
		if (!lease.isValid() || lease.key().startsWith("permit:")) {
			return;
		}
		if (this.run.world().isTracing()) {
			this.run.world().trace("%s %s goes on sharing %s".formatted(this.instance, this.name, lease.key()));
		}
		sections.get(0).end();
		this.run.checks().shares(SimulatedRegistry.view(lease));
		Call call = this.instance.call("share", this.name, List.of(lease.key()), Duration.ZERO);
		var unused = this.instance.watch(call, SimulatedRegistry.share(lease)).whenComplete((held, failure) -> {
			if (!Boolean.TRUE.equals(held)) {
				this.run.checks().mayNotShare(SimulatedRegistry.view(lease));
			}
		});
		sections.set(0, new Section(this.run, lease, true));
	}

	/**
	 * Extend leases after a while, at times once more, and return for how long to hold
	 * them, which is at times too long.
	 */
	private long extendAndHold(List<Lease> leases, long first) {
		long at = first;
		long end = first;
		do {
			Duration ttl = Duration.ofMillis(TTLS[this.traitRandom.nextInt(TTLS.length)]);
			long then = at;
			leases.forEach((lease) -> later(() -> extend(lease, ttl), then));
			end = Math.max(end, at + this.traitRandom.nextLong(ttl.toNanos() * 5 / 4));
			at += this.traitRandom.nextLong(end - first + 1);
		}
		while (this.traitRandom.nextInt(3) == 0);
		return Math.max(at, end);
	}

	private void extend(Lease lease, Duration ttl) {
		if (this.run.world().isTracing()) {
			this.run.world()
				.trace("%s %s extends %s by %d ms".formatted(this.instance, this.name, lease.key(), ms(ttl)));
		}
		this.run.states().extended(SimulatedRegistry.view(lease));
		this.instance.asked().extended(lease.key(), lease.ownerId());
		Call call = this.instance.call("extend", this.name, List.of(lease.key()), Duration.ZERO);
		long asked = this.instance.jvm().nanoTime();
		var unused = this.instance.watch(call, lease.extendAsync(ttl))
			.thenAccept((held) -> this.run.checks()
				.toldExtended(call, SimulatedRegistry.view(lease), held, asked + ttl.toNanos()));
	}

	/**
	 * Note how long keys stay. One whose ttl is short may be gone before the server
	 * learns of it.
	 */
	private void keep(List<Lease> leases, long least) {
		for (Lease lease : leases) {
			if (lease.isValid() && lease.ttl().toMillis() >= 500) {
				this.run.checks().kept(lease.key(), least - 20 * World.MILLI);
			}
		}
	}

	private void end(List<Lease> leases, List<Section> sections, boolean confirmed) {
		sections.forEach(Section::end);
		leases.forEach(this::checkRemaining);
		List<CompletableFuture<?>> released = new ArrayList<>();
		for (Lease lease : leases) {
			Call call = this.instance.call("release", this.name, List.of(lease.key()), Duration.ZERO);
			boolean held = isHeldForLonger(lease);
			released.add(confirmed ? this.instance.watch(call, lease.closeAsync())
					: this.instance.watch(call, lease.releaseAsync()).thenAccept((was) -> {
						this.run.checks().toldReleased(call, SimulatedRegistry.view(lease), was);
						if (held && !was && this.run.waiting().isUndisturbed(call)) {
							this.run.checks().violated(Rule.FALSE_LOSS, call + " finds that it was not held");
						}
					}));
			this.run.released(lease.key());
			boolean permit = lease.key().startsWith("permit:");
			SplittableRandom again = permit ? this.permitRandom : this.againRandom;
			if (again.nextInt(permit ? 4 : 8) == 0) {
				later(() -> releaseAgain(lease), again.nextLong(20 * World.MILLI));
			}
		}
		if (confirmed) {
			var unused = CompletableFuture.allOf(released.toArray(CompletableFuture<?>[]::new))
				.whenComplete((done, failure) -> next());
		}
		else {
			next();
		}
	}

	private void checkRemaining(Lease lease) {
		LeaseView view = SimulatedRegistry.view(lease);
		long left = view.deadline() - this.instance.jvm().nanoTime();
		if (view.isActive() && left > 0 && lease.remaining().toNanos() != left) {
			this.run.checks()
				.violated(Rule.TERMS,
						"%s says that %s remain, and not %d ns".formatted(lease, lease.remaining(), left));
		}
	}

	private boolean isHeldForLonger(Lease lease) {
		LeaseView view = SimulatedRegistry.view(lease);
		return view.isActive() && view.deadline() - this.instance.jvm().nanoTime() > Waiting.FEW_ROUND_TRIPS;
	}

	private void releaseAgain(Lease lease) {
		Call call = this.instance.call("release again", this.name, List.of(lease.key()), Duration.ZERO);
		var unused = this.instance.watch(call, lease.releaseAsync());
	}

}
