// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LeaseInfo;

/**
 * The context in which listeners are told of a lease, such as the trace of its holder.
 */
@FunctionalInterface
interface LeaseContext {

	/**
	 * No context.
	 */
	LeaseContext NONE = (lease, action) -> action.run();

	void run(LeaseInfo lease, Runnable action);

}
