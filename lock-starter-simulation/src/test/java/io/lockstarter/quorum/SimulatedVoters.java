// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore;
import io.lockstarter.quorum.redis.SimulatedVoter;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.JvmPlatform;
import io.lockstarter.simulation.Net;
import io.lockstarter.simulation.VoteChecks;
import org.jspecify.annotations.Nullable;

import static io.lockstarter.testkit.PrivateFields.field;
import static io.lockstarter.testkit.PrivateFields.read;

/**
 * Stores of the simulation that ask several servers.
 */
public final class SimulatedVoters {

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

	private static final int MOST_NODES = 5;

	private static final Field KEYS = field(QuorumLockStore.class, "keys");

	private static final Field HELD = field(HeldKeys.class, "keys");

	private static final Field ORDER = field(QuorumLockStore.class, "order");

	private SimulatedVoters() {
	}

	public static Duration abstention(Duration maxTtl) {
		return QuorumLockStore.abstention(maxTtl);
	}

	/**
	 * Return which servers are believed to have a key; {@code null} if nothing is known
	 * of it.
	 */
	public static VoteChecks.@Nullable Votes votes(LockStore store, String key, String ownerId) {
		HeldKey known = ((HeldKeys) read(KEYS, store)).get(key, ownerId);
		if (known == null) {
			return null;
		}
		int unshared = 0;
		for (int node = 0; node < MOST_NODES; node++) {
			unshared |= known.isUnsharedAt(node) ? 1 << node : 0;
		}
		return new VoteChecks.Votes(known.mine(), known.sure(), unshared, known.mode() == LockMode.SHARED);
	}

	/**
	 * Return which keys the servers are believed to have.
	 */
	public static List<String> held(LockStore store) {
		return (store instanceof QuorumLockStore)
				? ((Map<?, ?>) read(HELD, read(KEYS, store))).keySet().stream().map((id) -> "held " + id).toList()
				: List.of();
	}

	/**
	 * Return what has no end.
	 */
	public static List<String> leftovers(LockStore store) {
		int waiting = (store instanceof QuorumLockStore) ? ((KeyOrder) read(ORDER, store)).size() : 0;
		return (waiting > 0) ? List.of(waiting + " keys whose commands wait for others") : List.of();
	}

	public static LockStore store(JvmPlatform platform, Net net, List<String> addresses, RedisStoreSettings settings,
			Duration maxTtl) {
		Duration abstention = abstention(maxTtl);
		List<QuorumNode> nodes = addresses.stream()
			.map((address) -> new QuorumNode(
					SimulatedVoter.of(SimulatedStores.application(platform, net, address), settings, abstention),
					NODE_TIMEOUT))
			.toList();
		return new QuorumLockStore(nodes, maxTtl, Duration.ofMillis(100), platform);
	}

}
