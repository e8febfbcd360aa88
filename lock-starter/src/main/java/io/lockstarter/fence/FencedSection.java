// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What runs on a thread under fenced leases: those of its own, and those of the fenced
 * sections around it.
 */
final class FencedSection {

	private final @Nullable FencedSection outer;

	private final List<Lease> leases;

	// Who has which row locked, in all sections of the thread.
	private final Map<Claim, Object> claims;

	private boolean used;

	FencedSection(@Nullable FencedSection outer, List<Lease> leases) {
		this.outer = outer;
		this.leases = leases;
		this.claims = (outer != null) ? outer.claims : new HashMap<>();
	}

	/**
	 * Return the leases whose rows no open transaction of this thread has locked. In the
	 * order of their keys, whatever section they belong to: two transactions that claim
	 * several rows do not wait for each other.
	 */
	List<Lease> unclaimed() {
		List<Lease> unclaimed = new ArrayList<>();
		for (FencedSection section = this; section != null; section = section.outer) {
			for (Lease lease : section.leases) {
				if (!this.claims.containsKey(Claim.of(lease))) {
					unclaimed.add(lease);
				}
			}
		}
		unclaimed.sort(Comparator.comparing(Lease::key));
		return unclaimed;
	}

	void claimed(List<Lease> leases, Object transaction) {
		leases.forEach((lease) -> this.claims.put(Claim.of(lease), transaction));
	}

	/**
	 * A transaction ends, and with it what it has locked.
	 */
	void ended(Object transaction) {
		this.claims.values().removeIf((claimer) -> claimer == transaction);
	}

	/**
	 * A transaction was begun, or entered with its rows locked.
	 */
	void use() {
		for (FencedSection section = this; section != null; section = section.outer) {
			section.used = true;
		}
	}

	boolean isUsed() {
		return this.used;
	}

	private record Claim(String key, long token) {

		static Claim of(Lease lease) {
			return new Claim(lease.key(), lease.fencingToken());
		}

	}

}
