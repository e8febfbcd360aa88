// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.List;

/**
 * Where and how to lock.
 *
 * @param topology what the servers are to each other
 * @param ports the ports of Redis on 127.0.0.1: one, or those of all servers
 * @param ttl how long a lock outlives its holder
 */
public record Target(Topology topology, List<Integer> ports, Duration ttl) {

	private static final String HOST = "127.0.0.1";

	private static final int NEVER_OUTLIVED = 20;

	/**
	 * Return each server of a quorum as one that stands alone.
	 * @return as many targets as ports
	 */
	List<Target> singles() {
		return this.ports.stream().map((port) -> new Target(Topology.SINGLE, List.of(port), this.ttl)).toList();
	}

	/**
	 * Return all addresses.
	 * @return such as {@code 127.0.0.1:6379}
	 */
	List<String> addresses() {
		return this.ports.stream().map((port) -> HOST + ":" + port).toList();
	}

	/**
	 * Return a ttl for locks that are not renewed: their users have to choose one that no
	 * section outlives.
	 * @return a long ttl
	 */
	Duration longTtl() {
		return this.ttl.multipliedBy(NEVER_OUTLIVED);
	}

}
