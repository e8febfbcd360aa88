// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.SlotHash;

/**
 * What is called how in Redis. All names of one prefix share a hash tag, which no key can
 * alter, because a prefix has no braces; so no two prefixes share a name. In a cluster, a
 * prefix has {@value #BUCKETS} hash tags, which are the prefix, a colon and a number, and
 * all names of one lock share one of these. Immutable. For the lock {@code K} and the
 * hash tag {@code P} there are the keys
 * <ul>
 * <li>{@code {P}lock:K}, a string: the owner id that holds the lock, with a {@code *}
 * behind it once others queue, or {@code !instance} while it is reserved for an instance,
 * or {@code &} while it is shared, and the owner id if only one shares it;
 * <li>{@code {P}readers:K}, a sorted set: the owner ids that share the lock if they are
 * several, and {@code !instance} for one that may, by the server's time up to when they
 * do;
 * <li>{@code {P}queue:K}, a sorted set: the ids of the instances that wait, with a
 * {@code !} before them if they would share the lock, by the server's time when they
 * came, the last four bits of which say how many tokens to grant them with the lock;
 * <li>{@code {P}forced:K}, a sorted set: the owner ids from which the lock was taken by
 * force, by the server's time up to when they may not know it yet;
 * <li>{@code {P}fence}, a string: the last fencing token that was handed out, of whatever
 * lock; and
 * <li>{@code {P}server}, a string that identifies the server that handed it out.
 * </ul>
 * The channel {@code {P}signal:I} of the instance {@code I} has {@code r} and a key that
 * was reserved for it, {@code g}, tokens and a key that was granted to it, or {@code c}
 * and a key that it holds and others want, or {@code f}, an owner id, a space and the key
 * that was taken from it by force.
 *
 * @param hashTag what all names begin with, in braces
 */
record RedisNames(String hashTag) {

	/**
	 * How many hash tags locks are spread over in a cluster: enough for a dozen
	 * primaries, and few enough that commands for different locks still share calls.
	 */
	static final int BUCKETS = 16;

	/**
	 * Return the names of each bucket of a prefix: one, or those of a cluster. Their hash
	 * tags are chosen so that bucket {@code i} is somewhere in the i-th part of all
	 * slots, because nodes have ranges of slots.
	 */
	static List<RedisNames> of(String prefix, boolean cluster) {
		if (!cluster) {
			return List.of(new RedisNames(prefix));
		}
		return IntStream.range(0, BUCKETS)
			.mapToObj((bucket) -> IntStream.iterate(0, (number) -> number + 1)
				.mapToObj((number) -> new RedisNames(prefix + ":" + number))
				.filter((names) -> bucketOf(names.slot()) == bucket)
				.findFirst()
				.orElseThrow())
			.toList();
	}

	/**
	 * Return the bucket of a key: the one nearest to the slot of a key of that name, so
	 * that keys with the same hash tag are together.
	 */
	static int bucketOf(String key) {
		return bucketOf(SlotHash.getSlot(key));
	}

	/**
	 * Return the bucket of a key among as many as there are: one, or those of a cluster.
	 */
	static int bucketOf(String key, int buckets) {
		return (buckets == 1) ? 0 : bucketOf(key);
	}

	private static int bucketOf(int slot) {
		return slot * BUCKETS / SlotHash.SLOT_COUNT;
	}

	int slot() {
		return SlotHash.getSlot(tag());
	}

	String tag() {
		return "{" + this.hashTag + "}";
	}

	String locks() {
		return tag() + "lock:";
	}

	String lock(String key) {
		return locks() + key;
	}

	String queue(String key) {
		return tag() + "queue:" + key;
	}

	String readers(String key) {
		return tag() + "readers:" + key;
	}

	String forced(String key) {
		return tag() + "forced:" + key;
	}

	String fence() {
		return tag() + "fence";
	}

	String channel(String instance) {
		return tag() + "signal:" + instance;
	}

}
