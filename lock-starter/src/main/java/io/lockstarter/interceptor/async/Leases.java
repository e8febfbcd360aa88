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
package io.lockstarter.interceptor.async;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * Utility methods for the leases of a call.
 *
 * @since 0.1
 */
public final class Leases {

	private Leases() {
	}

	/**
	 * Release leases. What they protected is done.
	 * @return completes, always normally, when whoever releases need not wait any longer
	 */
	public static CompletableFuture<Void> release(List<Lease> leases) {
		return (leases.size() == 1) ? leases.get(0).closeAsync()
				: CompletableFuture.allOf(leases.stream().map(Lease::closeAsync).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Release leases without waiting for it.
	 */
	public static void releaseAndForget(List<Lease> leases) {
		var unused = release(leases);
	}

	/**
	 * Return the first loss of a lease, if there was one. May also be asked when the
	 * leases are released.
	 */
	public static @Nullable LockLostException lossOf(LockScope scope) {
		for (Lease lease : scope.leases()) {
			try {
				lease.checkValid();
			}
			catch (LockLostException ex) {
				return ex;
			}
			catch (IllegalStateException ex) {
				// released
			}
		}
		return null;
	}

}
