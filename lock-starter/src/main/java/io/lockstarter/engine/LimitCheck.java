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
package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockStoreException;
import io.lockstarter.Permits;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of instances that disagree about the limit of permits. An instance with a larger
 * limit uses slots that others do not know of: whoever finds all slots taken looks at the
 * next one, once a minute at most for all keys together, as a look needs a connection of
 * its own. A store that refuses to be looked at for good is not asked again.
 */
final class LimitCheck {

	private static final Log logger = LogFactory.getLog(LimitCheck.class);

	private static final long EVERY = TimeUnit.MINUTES.toNanos(1);

	private final AtomicLong againAt;

	private final Services services;

	private final LimitedLog larger;

	private volatile boolean refused;

	LimitCheck(Services services) {
		this.services = services;
		this.againAt = new AtomicLong(services.now());
		this.larger = new LimitedLog(logger::warn, "more times permits had a larger limit elsewhere",
				services.timing().platform().logTimer());
	}

	void allTaken(Slots slots) {
		long now = this.services.now();
		long due = this.againAt.get();
		boolean possible = !this.refused && slots.limit() < Permits.MAX_LIMIT;
		if (possible && now - due >= 0 && this.againAt.compareAndSet(due, now + EVERY)) {
			Completions.on(this.services.store().inspect(slots.keyBeyond()), (details, failure) -> {
				this.refused = failure != null && isForGood(Completions.cause(failure));
				if (details != null && details.lock().isHeld()) {
					warn(slots, details);
				}
			});
		}
	}

	private static boolean isForGood(Throwable failure) {
		return (failure instanceof LockStoreException ex) ? !ex.isTransient()
				: failure instanceof UnsupportedOperationException;
	}

	private void warn(Slots slots, StoredLockDetails details) {
		this.larger.write(slots.key(),
				() -> "Permits of '%s' are limited to %d here, and to more elsewhere, as %s has permit '%s': set the same limit everywhere"
					.formatted(slots.key(), slots.limit(), String.join(", ", details.lock().ownerIds()),
							slots.keyBeyond()));
	}

}
