// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.store.VotingStore;
import org.jspecify.annotations.Nullable;

/**
 * Lists the keys of a quorum page by page: those of one node after the other, until no
 * majority is left that has a key and was not asked. What was listed is remembered, so
 * that it is not listed again. Thread-safe.
 */
final class Listing {

	private static final int MOST_LISTINGS = 4;

	// beyond that a key may be listed twice
	private static final int MOST_KEYS = 20_000;

	private final List<VotingStore> nodes;

	// so many nodes have each key that a majority has
	private final int enough;

	// guarded by this; of the listings used last, for which node each key was listed: all
	// that a cursor does not say
	private final Map<String, Map<String, Integer>> listings = new LinkedHashMap<>(16, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Map<String, Integer>> eldest) {
			return size() > MOST_LISTINGS;
		}

	};

	private final RandomGenerator random;

	/**
	 * Create a list.
	 * @param random names each listing, as another instance may be asked for the next
	 * page
	 */
	Listing(List<VotingStore> nodes, int majority, RandomGenerator random) {
		this.nodes = nodes;
		this.random = random;
		this.enough = nodes.size() - majority + 1;
	}

	CompletableFuture<StoredLocks> page(String prefix, @Nullable String cursor, int limit) {
		if (cursor == null) {
			return page(new Place(Long.toHexString(this.random.nextLong()), 0, 0, null), prefix, limit);
		}
		Place place;
		try {
			place = Place.of(cursor, this.nodes.size(), this.enough);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(
					new IllegalArgumentException("The cursor '%s' is not one of a page before".formatted(cursor), ex));
		}
		return page(place, prefix, limit);
	}

	private CompletableFuture<StoredLocks> page(Place place, String prefix, int limit) {
		return this.nodes.get(place.node)
			.scan(prefix, place.cursor, limit)
			.thenApply((page) -> new StoredLocks(unlisted(place, page.locks()), next(place, page.next())))
			.exceptionallyCompose((failure) -> {
				Place other = new Place(place.listing, place.node + 1, place.missed + 1, null);
				return (other.missed <= this.nodes.size() - this.enough) ? page(other, prefix, limit)
						: CompletableFuture.failedFuture(failure);
			});
	}

	private @Nullable String next(Place place, @Nullable String cursor) {
		if (cursor != null) {
			return new Place(place.listing, place.node, place.missed, cursor).toString();
		}
		boolean all = place.node + 1 - place.missed >= this.enough;
		return all ? null : new Place(place.listing, place.node + 1, place.missed, null).toString();
	}

	// What the same node has is listed again, as a page may be asked for once more.
	private synchronized List<StoredLock> unlisted(Place place, List<StoredLock> locks) {
		Map<String, Integer> listed = this.listings.computeIfAbsent(place.listing, (begun) -> new HashMap<>());
		return locks.stream().filter((lock) -> {
			if (listed.size() < MOST_KEYS) {
				listed.putIfAbsent(lock.key(), place.node);
			}
			return listed.getOrDefault(lock.key(), place.node) == place.node;
		}).toList();
	}

	/**
	 * Where a listing goes on. Another instance may be asked for the next page.
	 *
	 * @param listing identifies it among those of all instances
	 * @param node the node to ask
	 * @param missed how many nodes before it did not answer
	 * @param cursor where to go on at the node; {@code null} at the beginning
	 */
	private record Place(String listing, int node, int missed, @Nullable String cursor) {

		static Place of(String text, int nodes, int enough) {
			String[] parts = text.split(":", 4);
			Place place = new Place(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]),
					parts[3].isEmpty() ? null : parts[3]);
			int before = place.node - place.missed;
			if (place.missed < 0 || place.missed > nodes - enough || before < 0 || before >= enough) {
				throw new IllegalArgumentException(text);
			}
			return place;
		}

		@Override
		public String toString() {
			return this.listing + ":" + this.node + ":" + this.missed + ":"
					+ ((this.cursor != null) ? this.cursor : "");
		}

	}

}
