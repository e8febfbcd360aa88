// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.Set;

/**
 * How a crowd is doing, or did.
 *
 * @param id the number of the crowd; zero while it is shopping
 * @param request what crowd it is
 * @param instances how many instances it went to
 * @param done how many buyers are through
 * @param sold how many of them got an item
 * @param oversold how many items were sold that never existed; known in the end
 * @param refused how many buyers were refused by the fence
 * @param commitsRefused how many were refused at the commit, as their lock was lost
 * @param failed how many got no answer, or an error
 * @param mishaps what befell holders of the lock meanwhile
 * @param soldPerSecond how many items were sold in a second
 * @param p99WaitMicros how long 99 of 100 buyers waited at most, in microseconds
 */
record CrowdReport(long id, CrowdRequest request, int instances, int done, int sold, int oversold, int refused,
		int commitsRefused, int failed, Set<Mishap> mishaps, double soldPerSecond, long p99WaitMicros) {

	CrowdReport finished(long id, int oversold) {
		return new CrowdReport(id, this.request, this.instances, this.done, this.sold, oversold, this.refused,
				this.commitsRefused, this.failed, this.mishaps, this.soldPerSecond, this.p99WaitMicros);
	}

}
