// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * A small cluster does what a store needs, under the real scripts and the real connection
 * layer.
 */
class SmallClusterContractTest extends SmallRedisContract {

	SmallClusterContractTest() {
		super(Topology.CLUSTER);
	}

}
