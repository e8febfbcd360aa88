// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

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
final class LimitCheck implements Consumer<Slots> {

	private static final Log logger = LogFactory.getLog(LimitCheck.class);

	private static final long EVERY = TimeUnit.MINUTES.toNanos(1);

	private final AtomicLong againAt;

	private final Services services;

	private final LimitedLog larger;

	private volatile boolean refused;

	LimitCheck(Services services) {
		this.services = services;
		this.againAt = new AtomicLong(services.now());
		this.larger = LimitedLog.warnings(logger, "more times permits had a larger limit elsewhere",
				services.timing().platform().logTimer());
	}

	@Override
	public void accept(Slots slots) {
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
