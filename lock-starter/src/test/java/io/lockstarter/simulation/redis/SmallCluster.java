// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.lettuce.core.cluster.SlotHash;
import io.lockstarter.simulation.redis.Subscriptions.Message;
import org.jspecify.annotations.Nullable;

/**
 * Servers that share the slots of a Redis Cluster. All of them know at once who has what,
 * but those that are {@linkplain #cutOff cut off}. Not thread-safe.
 */
public final class SmallCluster {

	private final List<SmallRedis> nodes;

	private final @Nullable SmallRedis[] owners = new SmallRedis[SlotHash.SLOT_COUNT];

	/** To whom slots are being moved. */
	private final Map<Integer, SmallRedis> moving = new HashMap<>();

	/** What those believe that hear nothing of the others. */
	private final Map<SmallRedis, @Nullable SmallRedis[]> outdated = new HashMap<>();

	/**
	 * Make a cluster of primaries, which get as many slots each; replicas are attached by
	 * {@link SmallRedis#replicaOf}.
	 * @param primaries its first nodes
	 */
	public SmallCluster(List<SmallRedis> primaries) {
		this.nodes = new ArrayList<>(primaries);
		for (int slot = 0; slot < this.owners.length; slot++) {
			this.owners[slot] = primaries.get(slot * primaries.size() / this.owners.length);
		}
		primaries.forEach((node) -> node.join(this));
	}

	/**
	 * Add a node that has no slots, such as a replica.
	 * @param node the node
	 */
	public void add(SmallRedis node) {
		this.nodes.add(node);
		node.join(this);
	}

	public List<SmallRedis> nodes() {
		return List.copyOf(this.nodes);
	}

	/**
	 * Return the slot of a key.
	 * @param key its bytes, one character each
	 * @return its slot
	 */
	static int slot(String key) {
		return SlotHash.getSlot(key.getBytes(StandardCharsets.ISO_8859_1));
	}

	/**
	 * Return who has a slot.
	 * @param slot the slot
	 * @return its primary; {@code null} if nobody
	 */
	public @Nullable SmallRedis owner(int slot) {
		return this.owners[slot];
	}

	/**
	 * Move a slot and its keys at once.
	 * @param slot the slot
	 * @param target who has it then
	 */
	public void move(int slot, SmallRedis target) {
		startMove(slot, target);
		keysOf(slot).forEach(this::moveKey);
		endMove(slot);
	}

	/**
	 * Begin to move a slot: who has it redirects for keys that it does not have.
	 * @param slot the slot
	 * @param target who is to have it
	 */
	public void startMove(int slot, SmallRedis target) {
		this.moving.put(slot, target);
	}

	/**
	 * Return the keys of a slot that were not moved yet.
	 * @param slot the slot
	 * @return the keys, one character for each byte
	 */
	public List<String> keysOf(int slot) {
		SmallRedis owner = this.owners[slot];
		return (owner != null) ? owner.entries().keySet().stream().filter((key) -> slot(key) == slot).toList()
				: List.of();
	}

	/**
	 * Move a key of a slot that is being moved. Its time to live goes on by the clock of
	 * the other node.
	 * @param key the key, one character for each byte
	 */
	public void moveKey(String key) {
		SmallRedis source = Objects.requireNonNull(this.owners[slot(key)]);
		SmallRedis target = Objects.requireNonNull(this.moving.get(slot(key)));
		Entry entry = source.entries().get(key);
		if (entry != null && source != target) {
			target.migrate(key, (entry.expiresAt() == Entry.NEVER) ? entry
					: entry.until(entry.expiresAt() - source.keyspace().now() + target.millis()));
			source.migrate(key, null);
		}
	}

	/**
	 * End the move of a slot: all others know of it, and who listens to its channels is
	 * told that they are gone.
	 * @param slot the slot
	 */
	public void endMove(int slot) {
		SmallRedis target = Objects.requireNonNull(this.moving.remove(slot));
		SmallRedis source = this.owners[slot];
		this.owners[slot] = target;
		if (source != null && source != target) {
			source.subscriptions().removeShardChannels((channel) -> slot(channel) == slot);
		}
	}

	/**
	 * Promote a replica in the place of its primary, which stays what it is until
	 * somebody attaches it to the new one; cut it off before to let it believe in its
	 * slots.
	 * @param replica the replica
	 */
	public void failOver(SmallRedis replica) {
		SmallRedis primary = Objects.requireNonNull(replica.primary(), "It has no primary");
		replica.promote();
		for (int slot = 0; slot < this.owners.length; slot++) {
			if (this.owners[slot] == primary) {
				this.owners[slot] = replica;
			}
		}
		this.moving.replaceAll((slot, target) -> (target == primary) ? replica : target);
	}

	/**
	 * Let a node hear nothing of the others: it believes in what it knows now.
	 * @param node the node
	 */
	public void cutOff(SmallRedis node) {
		this.outdated.putIfAbsent(node, Arrays.copyOf(this.owners, this.owners.length));
	}

	/**
	 * Let a node hear of the others again.
	 * @param node the node
	 */
	public void reconnect(SmallRedis node) {
		this.outdated.remove(node);
		node.subscriptions()
			.removeShardChannels(
					(channel) -> this.owners[slot(channel)] != node && this.owners[slot(channel)] != node.primary());
	}

	private @Nullable SmallRedis[] ownersFor(SmallRedis node) {
		return this.outdated.getOrDefault(node, this.owners);
	}

	/**
	 * Check that a node has what a command needs.
	 * @throws Refusal if another one has it
	 */
	void check(SmallRedis node, SmallClient client, Command command, List<String> keys) {
		if (keys.isEmpty()) {
			return;
		}
		int slot = slot(keys.get(0));
		if (keys.stream().anyMatch((key) -> slot(key) != slot)) {
			throw new Refusal("CROSSSLOT Keys in request don't hash to the same slot");
		}
		SmallRedis owner = ownersFor(node)[slot];
		if (owner == null) {
			throw new Refusal("CLUSTERDOWN Hash slot not served");
		}
		SmallRedis target = this.outdated.containsKey(node) ? null : this.moving.get(slot);
		// Channels are not moved.
		if (target != null && !command.keys().areChannels()) {
			long missing = keys.stream().filter((key) -> node.keyspace().find(key) == null).count();
			if (node == owner && missing > 0) {
				throw new Refusal((missing < keys.size()) ? "TRYAGAIN Multiple keys request during rehashing of slot"
						: "ASK " + slot + " " + target);
			}
			if (node == target && client.isAsking()) {
				if (keys.size() > 1 && missing > 0) {
					throw new Refusal("TRYAGAIN Multiple keys request during rehashing of slot");
				}
				return;
			}
		}
		if (node != owner) {
			throw new Refusal("MOVED " + slot + " " + owner);
		}
	}

	void broadcast(SmallRedis from, Message message) {
		if (this.outdated.containsKey(from)) {
			return;
		}
		for (SmallRedis node : this.nodes) {
			if (node != from && !this.outdated.containsKey(node)) {
				node.subscriptions().publish(message);
			}
		}
	}

	/**
	 * Return what {@code CLUSTER SLOTS} says.
	 */
	Reply slots(SmallRedis node) {
		@Nullable SmallRedis[] known = ownersFor(node);
		List<Reply> ranges = new ArrayList<>();
		for (int first = 0; first < known.length;) {
			int last = first;
			while (last + 1 < known.length && known[last + 1] == known[first]) {
				last++;
			}
			SmallRedis owner = known[first];
			if (owner != null) {
				List<Reply> range = new ArrayList<>(List.of(Reply.of(first), Reply.of(last), describe(owner)));
				owner.replicas().stream().filter(this.nodes::contains).map(SmallCluster::describe).forEach(range::add);
				ranges.add(new Reply.Array(range));
			}
			first = last + 1;
		}
		return new Reply.Array(ranges);
	}

	private static Reply describe(SmallRedis node) {
		return Reply.ofAll(new Reply.Bulk(node.host()), Reply.of(node.port()), new Reply.Bulk(node.nodeId()),
				Reply.ofAll());
	}

}
