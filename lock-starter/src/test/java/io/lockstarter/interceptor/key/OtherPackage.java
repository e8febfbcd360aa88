// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;

/**
 * Has a method that classes of other packages cannot override.
 */
public class OtherPackage {

	@DistributedLock("base")
	boolean work() {
		return LockScope.find().isPresent();
	}

	public boolean call() {
		return work();
	}

}
