// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * A small server does what a store needs, under the real scripts and the real connection
 * layer.
 */
class SmallServerContractTest extends SmallRedisContract {

	SmallServerContractTest() {
		super(Topology.ONE);
	}

}
