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

import static io.lockstarter.testkit.PrivateFields.field;
import static io.lockstarter.testkit.PrivateFields.read;

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

	private static final Field CURRENT = field(LocalQueue.class, "current");

	private static final Field CONTENDER = field(LocalQueue.class, "contender");

	private static final Field TIMER = field(Contender.class, "timer");

	private static final Field LEAVING = field(StoreQueues.class, "leaving");

	private static final Field IN_DOUBT = field(StoreQueues.class, "inDoubt");

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
		return queues(registry).values().stream().mapToInt((queue) -> ((Waiters) read(WAITERS, queue)).size()).sum();
	}

	/**
	 * Return whether signals are received.
	 */
	public static boolean isListening(DefaultLockRegistry registry) {
		DefaultLockRegistry.Running running = (DefaultLockRegistry.Running) read(RUNNING, registry);
		return running != null && running.engine().isListening();
	}

	/**
	 * Return who waits, although nobody here has the key alone, and it is not asked for.
	 */
	public static List<Wait> waits(DefaultLockRegistry registry) {
		List<Wait> waits = new ArrayList<>();
		queues(registry).forEach((key, queue) -> {
			Contender contender = (Contender) read(CONTENDER, queue);
			CurrentLeases current = (CurrentLeases) read(CURRENT, queue);
			if (!((Waiters) read(WAITERS, queue)).isEmpty() && !contender.isAsking()
					&& (current.isEmpty() || current.isShared())) {
				waits.add(new Wait((String) key, contender.failure() != null, (Runnable) read(TIMER, contender)));
			}
		});
		return waits;
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

	/**
	 * Return the queues of which nobody knows whether this instance stands in them.
	 */
	public static List<String> doubts(DefaultLockRegistry registry) {
		List<String> left = new ArrayList<>();
		DefaultLockRegistry.Running running = (DefaultLockRegistry.Running) read(RUNNING, registry);
		if (running != null) {
			addUnlessEmpty(left, "queues in doubt", read(IN_DOUBT, running.engine().services().storeQueues()));
		}
		return left;
	}

	private static void addUnlessEmpty(List<String> left, String what, Object container) {
		Collection<?> found = (container instanceof Map<?, ?> map) ? map.keySet() : (Collection<?>) container;
		if (!found.isEmpty()) {
			left.add(found.size() + " " + what + ": " + found);
		}
	}

	/**
	 * Somebody waits.
	 *
	 * @param failing whether the store failed
	 * @param timer what asks again
	 */
	public record Wait(String key, boolean failing, @Nullable Runnable timer) {

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
