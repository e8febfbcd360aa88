// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.interceptor.async.Leases;

/**
 * Fails a call that has its leases, or has none, but no thread to run on. Nobody else is
 * asked to answer, as that needs a thread, too.
 */
@SuppressWarnings("serial")
final class NoThreadException extends RuntimeException {

	private final Throwable failure;

	NoThreadException(Throwable failure, RuntimeException rejection) {
		this.failure = Leases.cause(failure);
		if (this.failure != rejection) {
			this.failure.addSuppressed(rejection);
		}
	}

	Throwable failure() {
		return this.failure;
	}

}
