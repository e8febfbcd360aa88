// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

/**
 * Which servers keep the locks.
 */
public enum Topology {

	/** One server. */
	SINGLE,

	/** Three primaries of a Redis Cluster, with a replica each. */
	CLUSTER,

	/** Three servers that know nothing of each other. */
	QUORUM

}
