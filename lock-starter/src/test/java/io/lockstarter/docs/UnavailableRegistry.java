/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
