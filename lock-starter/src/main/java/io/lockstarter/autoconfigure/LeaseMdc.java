// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LeaseInfo;
import org.slf4j.MDC;

import org.springframework.util.ClassUtils;

/**
 * Names a lease in the mapped diagnostic context (MDC) of SLF4J, if that is there, so
 * that whatever is logged meanwhile can be searched by it.
 */
final class LeaseMdc {

	static final String KEY = "lock.key";

	static final String OWNER = "lock.owner";

	static final String TOKEN = "lock.token";

	private static final boolean PRESENT = ClassUtils.isPresent("org.slf4j.MDC", LeaseMdc.class.getClassLoader());

	private LeaseMdc() {
	}

	static void run(LeaseInfo lease, Runnable action) {
		if (PRESENT) {
			Slf4j.run(lease, action);
		}
		else {
			action.run();
		}
	}

	/**
	 * Loaded only if SLF4J is there.
	 */
	private static final class Slf4j {

		@SuppressWarnings("try")
		static void run(LeaseInfo lease, Runnable action) {
			try (MDC.MDCCloseable key = MDC.putCloseable(KEY, lease.key());
					MDC.MDCCloseable owner = MDC.putCloseable(OWNER, lease.ownerId());
					MDC.MDCCloseable token = MDC.putCloseable(TOKEN, String.valueOf(lease.fencingToken()))) {
				action.run();
			}
		}

	}

}
