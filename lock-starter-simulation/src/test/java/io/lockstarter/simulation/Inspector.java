// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.engine.LeaseView;
import io.lockstarter.engine.SimulatedRegistry;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Looks at locks and releases them by force when nothing goes wrong any more, while
 * others hold them, share them and wait for them. What it is told is what servers have,
 * and who is forced out is told so, whatever he is about to do.
 */
final class Inspector {

	/**
	 * The line of a trace after which all is its doing.
	 */
	static final String BEGINS = "somebody inspects locks";

	private static final int STREAM = 700512;

	private static final int ROUNDS = 2;

	/**
	 * After that all who are concerned know what was done.
	 */
	private static final long KNOWN = 400 * World.MILLI;

	/**
	 * By how much what a holder does comes earlier or later than a release by force.
	 */
	private static final long ABOUT = 3 * World.MILLI;

	/**
	 * Longer than any answer takes.
	 */
	private static final long LONGEST = 10 * World.SECOND;

	/**
	 * How much of a minimum hold is left at a release, and how much longer it may take to
	 * hear of its end, as the answer that says for how long it lasts may be late.
	 */
	private static final Duration REST = Duration.ofMillis(300);

	private static final long HEARD = 150 * World.MILLI;

	private final Run run;

	private final SplittableRandom random;

	Inspector(Run run) {
		this.run = run;
		this.random = run.world().stream(STREAM, 0);
	}

	void act() {
		this.run.world().trace(BEGINS);
		for (int i = 0; i < ROUNDS; i++) {
			List<Instance> instances = this.run.instances();
			int first = this.random.nextInt(instances.size());
			Instance holder = instances.get(first);
			Instance next = instances.get((first + 1) % instances.size());
			String key = this.run.locks().get(this.random.nextInt(this.run.locks().size()));
			forceOut(key, holder, next);
			share(key, next, holder);
		}
	}

	/**
	 * Take a lock from its holder, for whom another one waits, who keeps it for a while
	 * when he has it.
	 */
	private void forceOut(String key, Instance holder, Instance next) {
		Lease lease = acquire(holder, key, LockOptions.defaults());
		if (lease == null) {
			return;
		}
		boolean later = this.random.nextBoolean();
		CompletableFuture<Lease> waits = ask(next, key,
				LockOptions.defaults().withMinHold(later ? null : REST.plusNanos(KNOWN)));
		long[] since = new long[1];
		var unused = waits.thenRun(() -> since[0] = this.run.world().now());
		this.run.passFor(KNOWN);
		look(key);
		checkHeld(holder, lease, next);
		force(key, lease, holder);
		Lease kept = get(next, key, waits);
		if (kept != null) {
			if (later) {
				kept.holdAtLeast(REST);
			}
			long minHold = REST.toNanos() + (later ? 0 : KNOWN);
			long end = minHold + (later ? this.run.world().now() : since[0]);
			this.run.checks().kept(key, end - minHold / 50 - 20 * World.MILLI);
			release(next, kept);
			this.run.keeps(key);
			this.run.waiting().untold(key, end + HEARD);
			Lease last = acquire(holder, key, LockOptions.defaults());
			if (last != null) {
				release(holder, last);
			}
		}
	}

	/**
	 * Hold a lock, and go on sharing it with another one.
	 */
	private void share(String key, Instance holder, Instance other) {
		Lease lease = acquire(holder, key, LockOptions.defaults());
		if (lease == null) {
			return;
		}
		if (!Boolean.TRUE.equals(answer("share", share(holder, lease)))) {
			this.run.checks().violated(Rule.MISTOLD, "%s is told that it does not share %s".formatted(holder, lease));
			return;
		}
		Lease beside = acquire(other, key,
				LockOptions.defaults().withMode(LockMode.SHARED).withName(SimulatedRegistry.SHARED));
		this.run.passFor(KNOWN);
		look(key);
		release(holder, lease);
		if (beside != null) {
			release(other, beside);
		}
		this.run.passFor(KNOWN);
	}

	// By force

	/**
	 * Release a lock by force while its holder may be about to do something.
	 */
	private void force(String key, Lease lease, Instance holder) {
		Instance inspector = draw();
		// Servers that vote may be told in another order.
		// In one process a release would pass the lock on by the same owner id.
		int most = (this.run.instances().size() == 1) ? 3 : 4;
		int what = this.run.servers().isQuorum() ? 0 : this.random.nextInt(most);
		boolean first = this.random.nextBoolean();
		long between = this.random.nextLong(ABOUT);
		this.run.checks().forcing(key);
		holder.actOnLoss(lease);
		CompletableFuture<Boolean> told = first ? act(what, lease, holder) : null;
		this.run.passFor(first ? between : 0);
		// Of a quorum one server says who has it, which may not know.
		boolean anybody = what == 0 && !this.run.servers().isQuorum() && this.random.nextBoolean();
		String ownerId = anybody ? null : lease.ownerId();
		CompletableFuture<Boolean> forced = call(inspector, "force",
				() -> inspector.registry().forceRelease(key, ownerId));
		if (told == null) {
			this.run.passFor(between);
			told = act(what, lease, holder);
		}
		if (!this.run.servers().isQuorum() && this.random.nextBoolean()) {
			// Then the news is lost, or the answer, and what was sent is sent again.
			this.run.passFor(this.random.nextLong(ABOUT));
			cut(key, this.random.nextBoolean() ? holder : inspector);
		}
		this.run.passFor(KNOWN);
		var unused = this.run.stepUntil(forced::isDone, LONGEST);
		CompletableFuture<Boolean> answer = told;
		if (isTold(forced, true)) {
			// Who hears no signals finds it with the next renewal.
			unused = this.run.stepUntil(() -> answer.isDone() && !SimulatedRegistry.view(lease).isActive(),
					lease.ttl().toNanos());
		}
		this.run.checks().forcingEnds(key);
		if ((isTold(forced, true) || isTold(forced, false)) && (isTold(told, true) || isTold(told, false))) {
			judge(lease, forced.join(), what == 3, told.join());
		}
		if (lease.isValid()) {
			// The release by force may have failed.
			release(holder, lease);
		}
	}

	/**
	 * Reset the connections of a process to the server of a lock. If the message of a
	 * grant is lost, it lasts for its term.
	 */
	private void cut(String key, Instance instance) {
		this.run.waiting().untold(key, this.run.world().now() + StateChecks.GRANT_TERM + HEARD);
		String lock = this.run.servers().lock(key);
		this.run.servers()
			.hosts()
			.stream()
			.filter((host) -> this.run.servers().leads(host, lock))
			.forEach((host) -> this.run.cut(instance, host));
	}

	private static boolean isTold(CompletableFuture<Boolean> answer, boolean told) {
		return answer.isDone() && !answer.isCompletedExceptionally() && answer.join() == told;
	}

	/**
	 * Check that who is forced out is told so, and nobody else.
	 * @param told what the holder is told of what he did: whether the lock was his
	 */
	private void judge(Lease lease, boolean forced, boolean released, boolean told) {
		LeaseView view = SimulatedRegistry.view(lease);
		boolean lost = view.lossCause() == LossCause.FORCED && !lease.isValid();
		boolean given = released && told;
		// A holder that is told by one server gives back the votes of others, where
		// nothing is found then.
		boolean givenBack = lost && this.run.servers().isQuorum();
		if (!givenBack && (forced == given || forced != lost)) {
			this.run.checks()
				.violated(Rule.MISTOLD,
						"%s of %s, which is %s (%s), was released by force: %s%s".formatted(lease.key(),
								lease.ownerId(), lease, view.lossCause(), forced,
								released ? "; its holder released it: " + told : ""));
		}
	}

	/**
	 * Do what a holder does: nothing, extend, share or release.
	 */
	private CompletableFuture<Boolean> act(int what, Lease lease, Instance holder) {
		return switch (what) {
			case 0 -> CompletableFuture.completedFuture(true);
			case 1 -> {
				this.run.states().extended(SimulatedRegistry.view(lease));
				holder.asked().extended(lease.key(), lease.ownerId());
				yield call(holder, "extend", () -> lease.extendAsync(lease.ttl()));
			}
			case 2 -> share(holder, lease);
			default -> {
				this.run.released(lease.key());
				yield call(holder, "release", lease::releaseAsync);
			}
		};
	}

	// What is there

	/**
	 * Check that what is told of a lock, and of all, is what a server has.
	 */
	private void look(String key) {
		Instance inspector = draw();
		// Who waits asks a quorum now and then, and has some of its votes for a moment.
		Set<String> present = new HashSet<>();
		Runnable note = () -> present.addAll(present());
		StoredLockDetails details = answer("inspect",
				call(inspector, "inspect", () -> inspector.registry().inspect(key)), note);
		List<StoredLock> listed = list(inspector, note);
		if (details == null || listed == null) {
			return;
		}
		expect(inspector, present, lock(details.lock()) + queue(details));
		Map<String, String> locks = new TreeMap<>();
		listed.forEach((lock) -> locks.put(lock.key(), lock(lock)));
		expect(inspector, present, locks.values().toString());
	}

	private @Nullable List<StoredLock> list(Instance inspector, Runnable note) {
		List<StoredLock> listed = new ArrayList<>();
		String cursor = null;
		do {
			String from = cursor;
			StoredLocks page = answer("list", call(inspector, "list", () -> inspector.registry().scan(from, 10)), note);
			if (page == null) {
				return null;
			}
			listed.addAll(page.locks());
			cursor = page.next();
		}
		while (cursor != null);
		return listed;
	}

	private void expect(Instance inspector, Set<String> present, String told) {
		if (!present.contains(told)) {
			this.run.checks()
				.violated(Rule.MISTOLD, "%s is told %s, and there is %s".formatted(inspector, told, present));
		}
	}

	/**
	 * Return all that may be told: of each lock, and of all of them, by one server of a
	 * quorum, or by all that have locks.
	 */
	private Set<String> present() {
		Set<String> present = new HashSet<>();
		Map<String, String> all = new TreeMap<>();
		for (Host host : this.run.servers().hosts()) {
			Map<String, String> locks = this.run.servers().isQuorum() ? new TreeMap<>() : all;
			for (String key : this.run.keys()) {
				String lock = this.run.servers().lock(key);
				if (!this.run.servers().leads(host, lock)) {
					continue;
				}
				Holders holders = host.holders(lock);
				List<String> queue = host.queued(lock)
					.stream()
					.map((member) -> member.startsWith("!") ? member.substring(1) : member)
					.toList();
				String told = told(key, holders.all(), holders.alone() == null && !holders.all().isEmpty());
				present.add(told + queue);
				if (host.exists(lock)) {
					locks.put(key, told);
				}
			}
			if (this.run.servers().isQuorum()) {
				present.add(locks.values().toString());
			}
		}
		if (!this.run.servers().isQuorum()) {
			present.add(all.values().toString());
		}
		return present;
	}

	private static String lock(StoredLock lock) {
		return told(lock.key(), Set.copyOf(lock.ownerIds()), lock.shared());
	}

	private static String queue(StoredLockDetails details) {
		return details.queue().stream().map((queued) -> queued.instance()).toList().toString();
	}

	private static String told(String key, Set<String> ownerIds, boolean shared) {
		return "%s of %s%s".formatted(key, ownerIds.stream().sorted().toList(), shared ? " shared" : "");
	}

	/**
	 * Check what processes say of themselves.
	 */
	private void checkHeld(Instance holder, Lease lease, Instance next) {
		for (Instance each : this.run.instances()) {
			List<Long> held = each.registry().held().stream().map((lock) -> lock.fencingToken()).toList();
			long waiting = each.registry().waiting().stream().filter((who) -> who.key().equals(lease.key())).count();
			if (!held.equals((each == holder) ? List.of(lease.fencingToken()) : List.of())
					|| waiting != ((each == next) ? 1 : 0)) {
				this.run.checks()
					.violated(Rule.MISTOLD, "%s says that it holds %s, and that %d wait for %s".formatted(each,
							each.registry().held(), waiting, lease.key()));
			}
		}
	}

	// Calls

	private Instance draw() {
		return this.run.instances().get(this.random.nextInt(this.run.instances().size()));
	}

	private @Nullable Lease acquire(Instance instance, String key, LockOptions options) {
		return get(instance, key, ask(instance, key, options));
	}

	private CompletableFuture<Lease> ask(Instance instance, String key, LockOptions options) {
		Duration wait = instance.actors().get(0).longestRecovery();
		Call call = instance.call("acquire", "inspected", List.of(key), wait);
		call.shared = options.mode() == LockMode.SHARED;
		return instance.watch(call, instance.registry().acquireAsync(key, options.withWaitTime(wait)));
	}

	private @Nullable Lease get(Instance instance, String key, CompletableFuture<Lease> asked) {
		boolean ended = this.run.stepUntil(asked::isDone, 2 * instance.actors().get(0).longestRecovery().toNanos());
		if (!ended || asked.isCompletedExceptionally()) {
			this.run.checks().violated(Rule.NOT_ACQUIRED, "%s does not get %s: %s".formatted(instance, key, asked));
			return null;
		}
		if (!asked.isDone()) {
			return null;
		}
		Lease lease = asked.join();
		this.run.waiting().delivered(SimulatedRegistry.view(lease));
		return lease;
	}

	private void release(Instance instance, Lease lease) {
		Boolean held = answer("release", call(instance, "release", lease::releaseAsync));
		this.run.released(lease.key());
		if (Boolean.FALSE.equals(held)) {
			this.run.checks().violated(Rule.FALSE_LOSS, lease + " is told that it was not held when it was released");
		}
	}

	private CompletableFuture<Boolean> share(Instance holder, Lease lease) {
		LeaseView view = SimulatedRegistry.view(lease);
		this.run.checks().shares(view);
		Call call = holder.call("share", "inspected", List.of(lease.key()), Duration.ZERO);
		CompletableFuture<Boolean> shared = holder.watch(call, SimulatedRegistry.share(lease));
		var unused = shared.whenComplete((held, failure) -> {
			if (!Boolean.TRUE.equals(held)) {
				this.run.checks().mayNotShare(view);
			}
		});
		return shared;
	}

	private static <T> CompletableFuture<T> call(Instance instance, String what,
			Supplier<CompletableFuture<T>> question) {
		return instance.watch(instance.call(what, "inspector", List.of(), Duration.ZERO), question.get());
	}

	private <T> @Nullable T answer(String what, CompletableFuture<T> asked) {
		return answer(what, asked, () -> {
		});
	}

	/**
	 * Return the answer to a question.
	 * @param note what to do before it is asked, and after each step until it is answered
	 */
	private <T> @Nullable T answer(String what, CompletableFuture<T> asked, Runnable note) {
		boolean ended = this.run.stepUntil(() -> {
			note.run();
			return asked.isDone();
		}, LONGEST);
		if (!ended || asked.isCompletedExceptionally()) {
			this.run.checks().violated(Rule.EXCEPTION, "%s ends by %s".formatted(what, asked));
			return null;
		}
		return asked.isDone() ? asked.join() : null;
	}

}
