// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.lockstarter.LossCause;
import io.lockstarter.LockMonitor.Reason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of one lock name.
 */
final class LockMeters {

	private static final String LOCK = "lock";

	private final MeterRegistry registry;

	private final String name;

	final Timer acquired;

	final Timer handedOn;

	final Counter handOns;

	final Timer held;

	final Counter renewed;

	final Counter renewedLate;

	final Counter unconfirmed;

	final DistributionSummary margin;

	private final Map<Reason, Timer> notAcquired = new EnumMap<>(Reason.class);

	private final Map<LossCause, Counter> lost = new EnumMap<>(LossCause.class);

	LockMeters(MeterRegistry registry, String name) {
		this.registry = registry;
		this.name = name;
		this.acquired = acquire("acquired", "store");
		this.handedOn = acquire("acquired", "local");
		for (Reason reason : Reason.values()) {
			this.notAcquired.put(reason, acquire(tag(reason), "none"));
		}
		this.held = Timer.builder("distributed.lock.held")
			.description("How long locks were held that were released by their holder")
			.tag(LOCK, name)
			.register(registry);
		this.handOns = counter("distributed.lock.handons",
				"Locks that one holder handed on to another in the same instance, without Redis");
		for (LossCause cause : LossCause.values()) {
			this.lost.put(cause, counter("distributed.lock.losses", "Locks that were lost while they were held",
					"cause", tag(cause)));
		}
		this.unconfirmed = counter("distributed.lock.releases.unconfirmed", "Releases that Redis did not confirm");
		this.renewed = renewals("false");
		this.renewedLate = renewals("true");
		this.margin = DistributionSummary.builder("distributed.lock.renewal.margin")
			.description("What was left of the ttl when a renewal was confirmed, in percent of the ttl")
			// Not as a fraction, as Micrometer rounds up to integers before it looks for
			// the bucket. 66 is normal, and more than 100 may be left of an extended
			// lease.
			.baseUnit("percent")
			.serviceLevelObjectives(5, 10, 20, 30, 40, 50, 60, 70, 100)
			.tag(LOCK, name)
			.register(registry);
	}

	Timer notAcquired(Reason reason) {
		return Objects.requireNonNull(this.notAcquired.get(reason));
	}

	Counter lost(LossCause cause) {
		return Objects.requireNonNull(this.lost.get(cause));
	}

	private Timer acquire(String outcome, String source) {
		return Timer.builder("distributed.lock.acquire")
			.description("How long acquirers of locks waited")
			.tag(LOCK, this.name)
			.tag("outcome", outcome)
			.tag("source", source)
			.register(this.registry);
	}

	private Counter renewals(String late) {
		return counter("distributed.lock.renewals", "Confirmed renewals, and whether they came late", "late", late);
	}

	private Counter counter(String meter, String description, String... tags) {
		return Counter.builder(meter).description(description).tag(LOCK, this.name).tags(tags).register(this.registry);
	}

	private static String tag(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
