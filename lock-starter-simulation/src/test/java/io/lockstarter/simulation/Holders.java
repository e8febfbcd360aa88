// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Who has a lock, as far as a server knows, or most of those that vote.
 *
 * @param alone the owner id of who has it alone, if anybody
 * @param readers the owner ids of those who share it
 */
record Holders(@Nullable String alone, Set<String> readers) {

	static final Holders NONE = new Holders(null, Set.of());

	/**
	 * Return who has a lock at more than half of some servers.
	 */
	static Holders most(List<Holders> each) {
		Set<String> all = new HashSet<>();
		each.forEach((holders) -> all.addAll(holders.all()));
		String alone = null;
		Set<String> readers = new HashSet<>();
		for (String ownerId : all) {
			if (2 * each.stream().filter((holders) -> ownerId.equals(holders.alone)).count() > each.size()) {
				alone = ownerId;
			}
			else if (2 * each.stream().filter((holders) -> holders.has(ownerId)).count() > each.size()) {
				readers.add(ownerId);
			}
		}
		return new Holders(alone, readers);
	}

	boolean has(String ownerId) {
		return ownerId.equals(this.alone) || this.readers.contains(ownerId);
	}

	/**
	 * Return the owner ids.
	 */
	Set<String> all() {
		return (this.alone != null) ? Set.of(this.alone) : this.readers;
	}

	/**
	 * Return an owner id which somebody excludes who has the lock.
	 * @param shared whether that one shares it
	 */
	@Nullable String excluding(String ownerId, boolean shared) {
		if (this.alone != null) {
			return this.alone.equals(ownerId) ? null : this.alone;
		}
		return shared ? null
				: this.readers.stream().filter((reader) -> !reader.equals(ownerId)).findFirst().orElse(null);
	}

}
