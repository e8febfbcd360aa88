// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.LeaseView;
import io.lockstarter.engine.SimulatedRegistry;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.leader.RevocationCause;
import io.lockstarter.leader.SimulatedElection;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A process that wants to lead, does what only the leader may, and yields at times.
 */
final class Candidate {

	private static final String ROLE = "reports";

	/**
	 * The key of the role.
	 */
	static final String KEY = LeaderElection.KEY_PREFIX + ROLE;

	private static final int STREAM = 60316;

	private static final int[] TTLS = { 300, 1000, 2000 };

	/**
	 * How late listeners may be told, by a process that runs and that nothing disturbs.
	 */
	private static final long TOLD_WITHIN = 500 * World.MILLI;

	/**
	 * After that a process that led, and led no more, is a candidate again.
	 */
	private static final long STANDS_WITHIN = 3 * World.SECOND;

	private final Run run;

	private final Instance instance;

	private final Jvm jvm;

	private final SplittableRandom random;

	private final SplittableRandom extending;

	private final LeaderElection election;

	private final Jvm.Lane lane;

	private final List<Entered> sections = new ArrayList<>();

	private final Told told = new Told();

	private @Nullable Told late;

	// of what the section that writes has entered
	private boolean writing;

	private @Nullable CompletableFuture<?> attempt;

	private boolean started;

	private boolean ended;

	// the last one that it gave up, perhaps before anybody was told that it had it
	private @Nullable LeaseInfo yielded;

	private boolean stopped;

	private boolean stoppedEver;

	private long wrongSince = Long.MAX_VALUE;

	private long idleSince = Long.MAX_VALUE;

	private long keptSince = Long.MAX_VALUE;

	Candidate(Run run, Instance instance, int number, JvmPlatform platform, DefaultLockRegistry registry) {
		this.run = run;
		this.instance = instance;
		this.jvm = platform.jvm();
		this.random = run.world().stream(STREAM, number);
		this.extending = run.world().stream(STREAM + 1, number);
		this.lane = this.jvm.lane("leader's work");
		Duration ttl = Duration.ofMillis(TTLS[this.random.nextInt(TTLS.length)]);
		this.election = SimulatedElection.create(watched(registry), ROLE, LockOptions.defaults().withTtl(ttl),
				platform);
		this.election.addListener(this.told);
	}

	/**
	 * Return a registry that lets its calls be watched.
	 */
	private LockRegistry watched(DefaultLockRegistry registry) {
		return (LockRegistry) Proxy.newProxyInstance(Candidate.class.getClassLoader(),
				new Class<?>[] { LockRegistry.class }, (proxy, method, arguments) -> {
					Object result;
					try {
						result = method.invoke(registry, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
					if (result instanceof CompletableFuture<?> begun) {
						this.attempt = begun;
						var unused = this.instance
							.watch(this.instance.call("acquire", "leader", List.of(KEY), Duration.ofHours(1)), begun);
					}
					return result;
				});
	}

	void start() {
		if (this.ended) {
			return;
		}
		this.stopped = false;
		this.election.start();
		if (!this.started) {
			this.started = true;
			act();
		}
	}

	/**
	 * Stop for a while.
	 */
	void stop() {
		this.stopped = true;
		this.stoppedEver = true;
		this.election.stop();
	}

	/**
	 * Stop for good.
	 * @return completes when nothing is left of it
	 */
	CompletableFuture<?> end() {
		this.ended = true;
		this.stopped = true;
		this.stoppedEver = true;
		return SimulatedElection.end(this.election);
	}

	boolean isLeader() {
		return this.jvm.isAlive() && this.election.isLeader();
	}

	private void act() {
		this.lane.schedule(() -> {
			if (!this.ended) {
				doOne();
				act();
			}
		}, this.random.nextLong(300 * World.MILLI));
	}

	private void doOne() {
		switch (this.random.nextInt(12)) {
			case 0 -> {
				this.yielded = this.election.lease().orElse(this.yielded);
				this.election.yieldLeadership();
			}
			case 1 -> runAtOnce();
			case 2 -> listen();
			case 3, 4, 5, 6, 7 -> enter();
			default -> {
			}
		}
	}

	private void enter() {
		LeaseInfo lease = this.election.lease().orElse(null);
		Lease section = this.election.tryEnter().orElse(null);
		if ((lease == null) != (section == null)) {
			wrong("lets nobody enter who leads, or somebody who does not: " + lease);
		}
		if (lease == null || section == null) {
			return;
		}
		Entered entered = new Entered(section, lease);
		this.sections.add(entered);
		boolean writes = !this.writing;
		this.writing = true;
		Section done = writes ? new Section(this.run, (Lease) lease, false) : null;
		long hold = this.random.nextLong((this.random.nextInt(4) == 0) ? 1500 * World.MILLI : 50 * World.MILLI);
		this.lane.schedule(() -> {
			if (done != null) {
				done.end();
				this.writing = false;
			}
			LeaseView view = SimulatedRegistry.view(lease);
			if (!view.isActive() && view.lossCause() == null && this.instance.registry().isRunning()) {
				wrong("has released %s before a section of it ended".formatted(view.ownerId()));
			}
			entered.checkSame();
			this.sections.remove(entered);
			entered.end();
		}, hold);
	}

	private void runAtOnce() {
		boolean leads = this.election.isLeader();
		boolean[] ran = new boolean[1];
		boolean said = this.election.runIfLeader((scope) -> ran[0] = scope.leases().get(0).key().equals(KEY));
		if (said != leads || said != ran[0]) {
			wrong("ran a task: %s, and says %s; leads: %s".formatted(ran[0], said, leads));
		}
	}

	/**
	 * Let a listener come late, or go.
	 */
	private void listen() {
		Told present = this.late;
		if (present == null) {
			this.late = new Told();
			this.election.addListener(this.late);
		}
		else {
			this.election.removeListener(present);
			present.removed = true;
			this.late = null;
		}
	}

	/**
	 * Look whether what it says is so.
	 */
	void step() {
		long runs = this.jvm.runsSince();
		if (!this.jvm.isAlive() || runs == Long.MAX_VALUE) {
			return;
		}
		this.sections.forEach(Entered::look);
		if (this.election.isRunning() != (this.started && !this.stopped)) {
			wrong("says that it runs: " + this.election.isRunning());
		}
		LeaseInfo lease = this.election.lease().orElse(null);
		boolean leads = this.election.isLeader();
		LeaseInfo known = this.told.lease;
		if (leads != (lease != null)) {
			wrong("leads: %s, by %s".formatted(leads, lease));
		}
		if (lease != null && !SimulatedRegistry.view(lease).isActive()) {
			wrong("leads by a lease that is over: " + lease);
		}
		Lease given = given();
		boolean unused = given != null && given.isValid() && this.told.before != given && !this.stopped;
		boolean untold = unused || (leads ? known != lease : known != null && !known.isValid());
		this.wrongSince = untold ? Math.min(this.wrongSince, this.run.world().now()) : Long.MAX_VALUE;
		if (isOver(this.wrongSince, TOLD_WITHIN)) {
			wrong("has told of %s, and leads by %s".formatted(known, lease));
		}
		boolean attempting = this.attempt != null && !this.attempt.isDone();
		boolean idle = this.started && !this.stopped && !leads && !attempting && this.sections.isEmpty();
		this.idleSince = idle ? Math.min(this.idleSince, this.run.world().now()) : Long.MAX_VALUE;
		if (isOver(this.idleSince, STANDS_WITHIN)) {
			wrong("is no candidate");
		}
		LeaseInfo over = this.told.over;
		boolean kept = over != null && this.sections.isEmpty() && SimulatedRegistry.view(over).isActive();
		this.keptSince = kept ? Math.min(this.keptSince, this.run.world().now()) : Long.MAX_VALUE;
		if (isOver(this.keptSince, TOLD_WITHIN)) {
			wrong("keeps %s although it leads no more and no section goes on".formatted(over));
		}
	}

	/**
	 * Return what its last attempt got; {@code null} if nothing.
	 */
	private @Nullable Lease given() {
		CompletableFuture<?> answered = this.attempt;
		boolean got = answered != null && answered.isDone() && !answered.isCompletedExceptionally();
		return got ? (Lease) answered.join() : null;
	}

	private boolean isOver(long since, long longest) {
		return since != Long.MAX_VALUE && this.run.world().now() > Math.max(since, this.jvm.runsSince()) + longest
				&& !this.run.checks().isDisturbedSince(this.jvm.toString(), since);
	}

	private void wrong(String what) {
		this.run.checks().violated(Rule.LEADER, this.instance + " " + what);
	}

	/**
	 * A section of the leader: as far as it is concerned, the lease of the leader.
	 */
	private final class Entered {

		private final Lease section;

		private final LeaseInfo lease;

		private @Nullable LossCause told;

		private boolean endedWhileHeld;

		private long lostSince = Long.MAX_VALUE;

		Entered(Lease section, LeaseInfo lease) {
			this.section = section;
			this.lease = lease;
			var unused = section.onLost(this::lost);
			checkSame();
			if (Candidate.this.extending.nextInt(4) == 0) {
				var unusedAnswer = section.extendAsync(lease.ttl()).thenAccept(this::extended);
			}
		}

		private void lost(LossCause cause) {
			this.told = cause;
			if (this.endedWhileHeld || SimulatedRegistry.view(this.lease).lossCause() != cause) {
				wrong("tells a section%s that its lease is %s".formatted(this.endedWhileHeld ? " that has ended" : "",
						cause));
			}
		}

		private void extended(boolean held) {
			if (!held && this.lease.isValid()) {
				wrong("does not extend " + this.lease);
			}
		}

		void look() {
			boolean lost = SimulatedRegistry.view(this.lease).lossCause() != null && this.told == null;
			this.lostSince = lost ? Math.min(this.lostSince, Candidate.this.run.world().now()) : Long.MAX_VALUE;
			if (isOver(this.lostSince, TOLD_WITHIN)) {
				wrong("does not tell a section that its lease is lost");
			}
		}

		void checkSame() {
			if (this.section.isValid() != this.lease.isValid()) {
				wrong("says to a section that it is " + this.section.isValid());
			}
			if (!this.section.key().equals(this.lease.key()) || !this.section.name().equals(this.lease.name())
					|| !this.section.ownerId().equals(this.lease.ownerId())
					|| this.section.fencingToken() != this.lease.fencingToken()
					|| !this.section.ttl().equals(this.lease.ttl())
					|| !this.section.remaining().equals(this.lease.remaining())
					|| this.section.isRenewed() != this.lease.isRenewed()) {
				wrong("has a section of %s, and leads by %s".formatted(this.section, this.lease));
			}
		}

		void end() {
			this.endedWhileHeld = SimulatedRegistry.view(this.lease).lossCause() == null;
			boolean valid = this.lease.isValid();
			if (isPassing() != valid) {
				wrong("has a section of %s checked as if it were not so".formatted(this.lease));
			}
			if (Candidate.this.extending.nextBoolean()) {
				this.section.close();
			}
			else if (this.section.releaseAsync().join() != valid) {
				wrong("says that a section of %s was released, and it was not, or not, and it was"
					.formatted(this.lease));
			}
			if (this.section.isValid() || !this.section.remaining().isZero() || isPassing()
					|| !Boolean.FALSE.equals(this.section.extendAsync(this.lease.ttl()).getNow(null))
					|| this.section.extend(this.lease.ttl())) {
				wrong("says that a section is valid that has ended");
			}
			var unused = this.section.onLost(this::lost);
		}

		private boolean isPassing() {
			try {
				this.section.checkValid();
				return true;
			}
			catch (IllegalStateException | LockLostException ex) {
				return false;
			}
		}

	}

	/**
	 * What a listener knows.
	 */
	private final class Told implements LeadershipListener {

		private @Nullable LeaseInfo lease;

		// the last one that it was told of
		private @Nullable LeaseInfo before;

		// the last one of whose end it was told
		private @Nullable LeaseInfo over;

		private boolean removed;

		@Override
		public void onGranted(String role, LeaseInfo granted) {
			Candidate candidate = Candidate.this;
			if (this.lease != null || this.removed || !role.equals(ROLE) || !granted.key().equals(KEY)) {
				wrong("tells that it leads by %s after %s%s".formatted(granted, this.lease,
						this.removed ? ", to who listens no more" : ""));
			}
			this.lease = granted;
			this.before = granted;
			if (candidate.run.world().isTracing()) {
				candidate.run.world().trace(candidate.instance + " leads by " + granted.ownerId());
			}
		}

		@Override
		public void onRevoked(String role, LeaseInfo over, RevocationCause cause) {
			Candidate candidate = Candidate.this;
			if (this.lease != over || this.removed) {
				wrong("tells that it leads no more by %s after %s%s".formatted(over, this.lease,
						this.removed ? ", to who listens no more" : ""));
			}
			boolean asked = cause == RevocationCause.YIELDED || cause == RevocationCause.STOPPED;
			if (!asked ? over.isValid() : candidate.yielded != over && !candidate.stoppedEver) {
				wrong("tells of %s, which is %s".formatted(cause, over));
			}
			this.lease = null;
			this.over = over;
			if (candidate.run.world().isTracing()) {
				candidate.run.world().trace(candidate.instance + " leads no more: " + cause);
			}
		}

	}

}
