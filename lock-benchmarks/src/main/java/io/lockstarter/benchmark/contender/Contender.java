// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

import io.lockstarter.ReleaseMode;
import io.lockstarter.observe.LockMetrics;
import io.lockstarter.redis.RedisStoreSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.redisson.api.RedissonClient;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Everything that is compared, in the order of the tables.
 */
public enum Contender {

	STARTER("lock-starter", StarterAdapter::new),

	STARTER_ASYNC("lock-starter, async release",
			(target) -> new StarterAdapter(target, RedisStoreSettings.defaults(), ReleaseMode.ASYNC, List.of())),

	STARTER_METRICS("lock-starter, with metrics",
			(target) -> new StarterAdapter(target, RedisStoreSettings.defaults(), ReleaseMode.CONFIRMED,
					List.of(new LockMetrics(new SimpleMeterRegistry())))),

	STARTER_ACKNOWLEDGED("lock-starter, a replica acknowledges",
			(target) -> new StarterAdapter(target,
					RedisStoreSettings.defaults()
						.withReplicasAcknowledged(1)
						.withAcknowledgementTimeout(Duration.ofMillis(500)),
					ReleaseMode.CONFIRMED, List.of())),

	/**
	 * What a cluster and a quorum are compared with.
	 */
	STARTER_SINGLE("lock-starter, one server", StarterAdapter::new),

	REDISSON("Redisson lock", (target) -> new RedissonAdapter(target, RedissonClient::getLock)),

	REDISSON_FAIR("Redisson fair lock", (target) -> new RedissonAdapter(target, RedissonClient::getFairLock)),

	REDISSON_SPIN("Redisson spin lock", (target) -> new RedissonAdapter(target, RedissonClient::getSpinLock)),

	REDISSON_RED("Redisson red lock", RedissonAdapter::red),

	SPRING_PUBSUB("Spring Integration pub/sub",
			(target) -> new SpringIntegrationAdapter(target, RedisLockType.PUB_SUB_LOCK, Polling.DOCUMENTED, false)),

	SPRING_PUBSUB_RENEWED("Spring Integration pub/sub, renewed",
			(target) -> new SpringIntegrationAdapter(target, RedisLockType.PUB_SUB_LOCK, Polling.DOCUMENTED, true)),

	SPRING_SPIN("Spring Integration spin",
			(target) -> new SpringIntegrationAdapter(target, RedisLockType.SPIN_LOCK, Polling.DOCUMENTED, false)),

	SPRING_SPIN_1MS("Spring Integration spin, 1 ms poll",
			(target) -> new SpringIntegrationAdapter(target, RedisLockType.SPIN_LOCK, Polling.TUNED, false)),

	LOCK4J("Lock4j", (target) -> new Lock4jAdapter(target, Polling.DOCUMENTED)),

	LOCK4J_1MS("Lock4j, 1 ms poll", (target) -> new Lock4jAdapter(target, Polling.TUNED)),

	TEXTBOOK("textbook lock, 1 ms poll", (target) -> new TextbookAdapter(target, Polling.TUNED)),

	TWO_PINGS("limit: two PINGs", TwoPings::new),

	/**
	 * Nobody waits for it, so that only the start of a service can be compared.
	 */
	SHEDLOCK("ShedLock", Contender::unsupported),

	/**
	 * Locks nothing, so that the start of a service with a library can be compared with
	 * what any annotation costs.
	 */
	FLOOR("floor: an annotation that does nothing", Contender::unsupported);

	private final String label;

	@SuppressWarnings("ImmutableEnumChecker")
	private final Function<Target, LockAdapter> factory;

	Contender(String label, Function<Target, LockAdapter> factory) {
		this.label = label;
		this.factory = factory;
	}

	/**
	 * Return the contender of an {@link #id()}.
	 * @param id the id
	 * @return the contender
	 */
	public static Contender of(String id) {
		return Arrays.stream(values())
			.filter((contender) -> contender.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown contender: " + id));
	}

	/**
	 * Return lock-starter itself, in all its variants.
	 * @return ours
	 */
	public static Set<Contender> ours() {
		return EnumSet.range(STARTER, STARTER_SINGLE);
	}

	/**
	 * Return the ones that are measured as locks: all but the limit and ShedLock.
	 * @return the locks
	 */
	public static Set<Contender> locks() {
		return EnumSet.complementOf(EnumSet.of(TWO_PINGS, SHEDLOCK, FLOOR));
	}

	/**
	 * Connect to Redis.
	 * @param target where and how to lock
	 * @return the lock, to be closed by the caller
	 */
	public LockAdapter connect(Target target) {
		return this.factory.apply(target);
	}

	/**
	 * Return the name in files and on the command line.
	 * @return the id
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Return the name in tables and plots.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Return whether this is lock-starter itself.
	 * @return whether this is ours
	 */
	public boolean isOurs() {
		return ours().contains(this);
	}

	private static LockAdapter unsupported(Target target) {
		throw new UnsupportedOperationException("It does not wait for a lock");
	}

	/**
	 * How often those ask again who poll.
	 */
	private static final class Polling {

		/**
		 * The default in the documentation of both Spring Integration and Lock4j.
		 */
		static final Duration DOCUMENTED = Duration.ofMillis(100);

		static final Duration TUNED = Duration.ofMillis(1);

	}

}
