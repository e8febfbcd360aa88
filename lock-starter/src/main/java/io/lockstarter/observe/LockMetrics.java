// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.LockMonitor;
import io.lockstarter.leader.LeaderElection;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Meters of locks. Each lock name has its own, which are registered at its first use. Of
 * more than {@value #MAX_NAMES} names the others share the meters of the name
 * {@value #OTHER_NAMES}, so that a name that is a key by mistake does not fill the
 * memory.
 *
 * @since 0.1
 */
public final class LockMetrics implements LockMonitor {

	/**
	 * How many lock names have meters of their own.
	 */
	public static final int MAX_NAMES = 1_000;

	/**
	 * The lock name of all others.
	 */
	public static final String OTHER_NAMES = "others";

	private final ConcurrentMap<String, LockMeters> meters = new ConcurrentHashMap<>();

	private final LockNames names = new LockNames();

	private final MeterRegistry registry;

	/**
	 * Create the monitor.
	 * @param registry where to register the meters
	 */
	public LockMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Register the gauges of a registry of locks.
	 * @param locks the registry
	 */
	public void bindTo(DefaultLockRegistry locks) {
		Gauge.builder("distributed.lock.active", locks, DefaultLockRegistry::leaseCount)
			.description("Locks that this instance holds")
			.register(this.registry);
		Gauge.builder("distributed.lock.waiting", locks, DefaultLockRegistry::waiterCount)
			.description("Acquirers in this instance that have no answer yet")
			.register(this.registry);
		Gauge.builder("distributed.lock.connections", locks, DefaultLockRegistry::connectionCount)
			.description("Open connections to Redis for commands and signals of locks")
			.register(this.registry);
	}

	/**
	 * Register the gauge of an election.
	 * @param election the election
	 */
	public void bindTo(LeaderElection election) {
		Gauge.builder("distributed.lock.leader", election, (leader) -> leader.isLeader() ? 1 : 0)
			.description("Whether this instance leads the role")
			.tag("role", election.role())
			.register(this.registry);
	}

	@Override
	public void acquired(Lease lease, long waited, boolean handedOn) {
		LockMeters of = meters(lease.name());
		(handedOn ? of.handedOn : of.acquired).record(waited, TimeUnit.NANOSECONDS);
		if (handedOn) {
			of.handOns.increment();
		}
	}

	@Override
	public void notAcquired(String key, String name, Reason reason, long waited, List<String> holders) {
		meters(name).notAcquired(reason).record(waited, TimeUnit.NANOSECONDS);
	}

	@Override
	public void released(Lease lease, long held) {
		meters(lease.name()).held.record(held, TimeUnit.NANOSECONDS);
	}

	@Override
	public void lost(Lease lease, LossCause cause) {
		meters(lease.name()).lost(cause).increment();
	}

	@Override
	public void releaseUnconfirmed(Lease lease) {
		meters(lease.name()).unconfirmed.increment();
	}

	@Override
	public void renewed(Lease lease, long margin, long ttl, boolean late) {
		LockMeters of = meters(lease.name());
		(late ? of.renewedLate : of.renewed).increment();
		of.margin.record(Math.max(0, 100.0 * margin / ttl));
	}

	private LockMeters meters(String name) {
		LockMeters known = this.meters.get(name);
		return (known != null) ? known
				: this.meters.computeIfAbsent(this.names.of(name), (tag) -> new LockMeters(this.registry, tag));
	}

}
