// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.memory;

import io.lockstarter.platform.Platform;

/**
 * The inside of stores in memory, for tests of other packages.
 */
public final class MemoryStores {

	private MemoryStores() {
	}

	public static MemoryLockStore on(Platform platform) {
		return new MemoryLockStore(platform);
	}

	public static int size(MemoryLockStore store) {
		return store.size();
	}

}
