// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockMonitor;
import io.lockstarter.LossCause;
import io.lockstarter.platform.Platform;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Registries on another platform, and what is inside of them.
 */
public final class SimulatedRegistry {

	/**
	 * The name of leases that are asked for in shared mode: what they were asked for does
	 * not follow from what was granted.
	 */
	public static final String SHARED = "shared";

	private static final Field RUNNING = field(DefaultLockRegistry.class, "running");

	private static final Field QUEUES = field(LockEngine.class, "queues");

	private static final Field WAITERS = field(LocalQueue.class, "waiters");

	private static final Field LEAVING = field(StoreQueues.class, "leaving");

	private static final Field COMBINED = field(LockEngine.class, "combined");

	private static final Field PENDING = field(StoreClient.class, "pending");

	private static final Field LESSOR = field(DefaultLease.class, "lessor");

	private static final Field UNREACHED = field(OrphanCleaner.class, "unreached");

	private SimulatedRegistry() {
	}

	public static DefaultLockRegistry create(Platform platform, String instance, LockStore store,
			RegistrySettings settings, LockListener listener, LockMonitor monitor) {
		return new DefaultLockRegistry(instance, store, settings, List.of(listener), List.of(monitor), platform);
	}

	/**
	 * Return what is known of a lease, without side effects.
	 */
	public static LeaseView view(LeaseInfo lease) {
		return new View((DefaultLease) lease);
	}

	/**
	 * Go on sharing the key of a lease, without blocking.
	 */
	public static CompletableFuture<Boolean> share(LeaseInfo lease) {
		return ((Lessor) read(LESSOR, lease)).share((DefaultLease) lease);
	}

	/**
	 * Return the keys that a registry is concerned with: it has them, asks for them, or
	 * gives them back.
	 */
	public static Set<String> keys(DefaultLockRegistry registry) {
		return queues(registry).keySet().stream().map(Object::toString).collect(Collectors.toSet());
	}

	private static Map<?, ?> queues(DefaultLockRegistry registry) {
		DefaultLockRegistry.Running running = (DefaultLockRegistry.Running) read(RUNNING, registry);
		return (running != null) ? (Map<?, ?>) read(QUEUES, running.engine()) : Map.of();
	}

	/**
	 * Return how many wait for a key, or for a slot of permits: whoever waits for one
	 * permit does so for each slot.
	 */
	public static int waiters(DefaultLockRegistry registry) {
		return queues(registry).values().stream().mapToInt((queue) -> ((WaiterList) read(WAITERS, queue)).size()).sum();
	}

	/**
	 * Return what has no end.
	 */
	public static List<String> leftovers(DefaultLockRegistry registry) {
		List<String> left = new ArrayList<>();
		if (registry.leaseCount() > 0) {
			left.add(registry.leaseCount() + " leases: " + registry.held());
		}
		if (registry.waiterCount() > 0) {
			left.add(registry.waiterCount() + " waiters: " + registry.waiting());
		}
		DefaultLockRegistry.Running running = (DefaultLockRegistry.Running) read(RUNNING, registry);
		if (running != null) {
			LockEngine engine = running.engine();
			Services services = engine.services();
			addUnlessEmpty(left, "queues", read(QUEUES, engine));
			addUnlessEmpty(left, "keys whose queue is being left", read(LEAVING, services.storeQueues()));
			addUnlessEmpty(left, "requests for several keys", read(COMBINED, engine));
			StoreClient client = services.store();
			addUnlessEmpty(left, "commands", read(PENDING, client));
			addUnlessEmpty(left, "orphans", read(UNREACHED, client.orphans()));
		}
		return left;
	}

	private static void addUnlessEmpty(List<String> left, String what, Object container) {
		Collection<?> found = (container instanceof Map<?, ?> map) ? map.keySet() : (Collection<?>) container;
		if (!found.isEmpty()) {
			left.add(found.size() + " " + what + ": " + found);
		}
	}

	private static Field field(Class<?> type, String name) {
		Field field = ReflectionUtils.findField(type, name);
		if (field == null) {
			throw new IllegalStateException(type + " has no field " + name);
		}
		ReflectionUtils.makeAccessible(field);
		return field;
	}

	@SuppressWarnings("NullAway") // what is null is compared with that
	private static Object read(Field field, Object object) {
		return ReflectionUtils.getField(field, object);
	}

	/**
	 * A lease, by its identity.
	 */
	private record View(DefaultLease lease) implements LeaseView {

		@Override
		public String key() {
			return this.lease.key();
		}

		@Override
		public String ownerId() {
			return this.lease.ownerId();
		}

		@Override
		public long token() {
			return this.lease.fencingToken();
		}

		@Override
		public boolean isAskedShared() {
			return this.lease.name().equals(SHARED);
		}

		@Override
		public boolean isActive() {
			return this.lease.isActive();
		}

		@Override
		public long deadline() {
			return this.lease.ownership().deadline();
		}

		@Override
		public long ownerSince() {
			Ownership ownership = this.lease.ownership();
			return Math.min(ownership.ownerSince(), ownership.askedAt());
		}

		@Override
		public boolean isRenewed() {
			return this.lease.isRenewed(this.lease.ownership().deadline());
		}

		@Override
		public long ttl() {
			return this.lease.ownership().longestTtl().toNanos();
		}

		@Override
		public @Nullable LossCause lossCause() {
			return this.lease.lossCause();
		}

	}

}
