// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * A registry whose store does not answer.
 */
final class UnavailableRegistry {

	private UnavailableRegistry() {
	}

	static LockRegistry create() {
		LockRegistry registry = mock();
		LeasedLock lock = mock();
		given(registry.obtain(any(), any())).willReturn(lock);
		try {
			willThrow(new LockStoreException("down", false, null)).given(lock).acquire();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return registry;
	}

}
