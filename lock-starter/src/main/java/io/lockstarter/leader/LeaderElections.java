// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.platform.Platform;

import org.springframework.context.SmartLifecycle;

/**
 * The elections of an application, one for each role: of the properties, of annotated
 * methods, of {@link LeaderElection} beans, and of whoever asks for one. Those that are
 * no beans start and stop with this one. Thread-safe.
 *
 * @since 0.1
 */
public final class LeaderElections implements SmartLifecycle {

	private final Map<String, LeaderElection> elections = new LinkedHashMap<>();

	private final Set<LeaderElection> own = new LinkedHashSet<>();

	// of those, what starts later, or could not start for want of a thread
	private final Set<LeaderElection> unstarted = new HashSet<>();

	private final Set<String> roles = new LinkedHashSet<>();

	private final List<LeadershipListener> listeners = new ArrayList<>();

	private final List<Consumer<LeaderElection>> consumers = new ArrayList<>();

	private final Supplier<? extends LockRegistry> registry;

	private final Supplier<LockOptions> options;

	private final Platform platform;

	private volatile boolean running;

	/**
	 * Create elections.
	 * @param registry gives the registry that has the leases; called when they start
	 * @param options gives the options of the leases; called for the first election
	 */
	public LeaderElections(Supplier<? extends LockRegistry> registry, Supplier<LockOptions> options) {
		this(registry, options, Platform.system());
	}

	LeaderElections(Supplier<? extends LockRegistry> registry, Supplier<LockOptions> options, Platform platform) {
		this.registry = registry;
		this.options = options;
		this.platform = platform;
	}

	/**
	 * Return the election of a role. The first call makes this instance a candidate.
	 * @param role what the leader does, the same in all instances
	 * @return the election
	 */
	public LeaderElection of(String role) {
		LeaderElection election;
		boolean start;
		synchronized (this) {
			LeaderElection known = this.elections.get(role);
			election = (known != null) ? known : create(role);
			start = this.running && this.unstarted.contains(election);
		}
		if (start) {
			start(List.of(election));
		}
		return election;
	}

	private LeaderElection create(String role) {
		LeaderElection created = LeaderElection.of(this.registry, role, this.options.get(), this.platform);
		put(created);
		this.own.add(created);
		this.unstarted.add(created);
		return created;
	}

	/**
	 * Make this instance a candidate for a role, when this is started.
	 * @param role what the leader does
	 * @throws IllegalArgumentException if the role is blank, too long or cannot be
	 * printed
	 */
	public void addRole(String role) {
		LeaderElection.checkRole(role);
		synchronized (this) {
			if (!this.running) {
				this.roles.add(role);
				return;
			}
		}
		var unused = of(role);
	}

	/**
	 * Add an election that others start and stop.
	 * @param election the election
	 * @throws LockSetupException if its role has another one
	 */
	public void add(LeaderElection election) {
		LeaderElection known;
		synchronized (this) {
			known = this.elections.get(election.role());
			if (known == null) {
				put(election);
				return;
			}
		}
		if (known != election) {
			throw new LockSetupException("There are two elections of the leader of '%s'".formatted(election.role()),
					"Define one LeaderElection bean for each role, and have that bean injected in place of "
							+ "asking LeaderElections for it in a constructor",
					null);
		}
	}

	/**
	 * Remove an election that was added.
	 * @param election the election
	 */
	public void remove(LeaderElection election) {
		synchronized (this) {
			this.elections.remove(election.role(), election);
		}
	}

	/**
	 * Add a listener to each election: to those there are, and to others when they are
	 * created.
	 * @param listener the listener
	 */
	public void addListener(LeadershipListener listener) {
		synchronized (this) {
			this.listeners.add(listener);
			for (LeaderElection election : this.elections.values()) {
				election.addListener(listener);
			}
		}
	}

	/**
	 * Remove a listener from each election.
	 * @param listener a listener that was added here
	 */
	public void removeListener(LeadershipListener listener) {
		synchronized (this) {
			this.listeners.remove(listener);
			this.elections.values().forEach((election) -> election.removeListener(listener));
		}
	}

	private void put(LeaderElection election) {
		this.elections.put(election.role(), election);
		this.listeners.forEach(election::addListener);
		this.consumers.forEach((consumer) -> consumer.accept(election));
	}

	/**
	 * Call a consumer for each election: for those there are, and for others when they
	 * are created.
	 * @param consumer what to call
	 */
	public void forEach(Consumer<LeaderElection> consumer) {
		synchronized (this) {
			this.consumers.add(consumer);
			this.elections.values().forEach(consumer);
		}
	}

	@Override
	public void start() {
		List<LeaderElection> stopped;
		synchronized (this) {
			for (String role : this.roles) {
				of(role);
			}
			this.running = true;
			stopped = List.copyOf(this.own);
		}
		start(stopped);
	}

	/**
	 * Start elections, which a stop that came first did not know to be started, nor a
	 * start after it that they are stopped.
	 */
	private void start(List<LeaderElection> stopped) {
		do {
			for (LeaderElection election : stopped) {
				election.start();
			}
			started(stopped);
			if (this.running) {
				return;
			}
			stopped.forEach(LeaderElection::stop);
		}
		while (this.running);
	}

	private synchronized void started(List<LeaderElection> some) {
		this.unstarted.removeAll(some);
	}

	@Override
	public void stop() {
		var unused = end(false);
	}

	@Override
	public void stop(Runnable callback) {
		var unused = end(true).whenComplete((none, failure) -> callback.run());
	}

	private CompletableFuture<Void> end(boolean awaited) {
		List<LeaderElection> started;
		synchronized (this) {
			this.running = false;
			started = List.copyOf(this.own);
		}
		return CompletableFuture
			.allOf(started.stream().map((election) -> election.end(awaited)).toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return LeaderElection.PHASE;
	}

}
