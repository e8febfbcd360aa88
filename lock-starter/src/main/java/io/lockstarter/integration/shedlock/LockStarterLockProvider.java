// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.lockstarter.Lease;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * The lock provider of ShedLock on top of a {@link LockRegistry}, so that
 * {@code @SchedulerLock} methods keep their annotations. Declare it as a bean in place of
 * the provider up to now: <pre class="code">
 * &#64;Bean
 * LockProvider lockProvider(LockRegistry registry) {
 *     return new LockStarterLockProvider(registry);
 * }
 * </pre>
 * <p>
 * {@code lockAtMostFor} is the ttl of a lease that is not renewed, {@code lockAtLeastFor}
 * its {@link LockOptions#withMinHold minimum hold}. A job that takes longer than
 * {@code lockAtMostFor} loses its lease, which is told to the listeners.
 *
 * @since 0.1
 */
public final class LockStarterLockProvider implements ExtensibleLockProvider {

	private final LockRegistry registry;

	private final String keyPrefix;

	private final LockOptions options;

	/**
	 * Create a provider whose keys are the names of the locks.
	 * @param registry where the locks are
	 */
	public LockStarterLockProvider(LockRegistry registry) {
		this(registry, "", LockOptions.defaults());
	}

	/**
	 * Create a provider.
	 * @param registry where the locks are
	 * @param keyPrefix what to put before the names of the locks, for example
	 * {@code job:}
	 * @param options the name and the release mode of all locks; the rest follows from
	 * the configuration of each lock
	 */
	public LockStarterLockProvider(LockRegistry registry, String keyPrefix, LockOptions options) {
		this.registry = registry;
		this.keyPrefix = keyPrefix;
		this.options = LockOptions.defaults()
			.withWaitTime(Duration.ZERO)
			.withRenew(false)
			.withReleaseMode(options.releaseMode())
			.withName(options.name());
	}

	/**
	 * Try once to acquire a lock.
	 * @param lockConfiguration its name, and how long it is held at most and at least
	 * @return the lock; empty if it is held already
	 * @throws io.lockstarter.LockStoreException if the store refused or did not answer
	 * @throws LockInterruptedException if interrupted
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration lockConfiguration) {
		String key = this.keyPrefix + lockConfiguration.getName();
		try {
			return this.registry.tryAcquire(key, options(lockConfiguration))
				.map((lease) -> new LeaseLock(lockConfiguration, lease));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(key, ex);
		}
	}

	private LockOptions options(LockConfiguration configuration) {
		try {
			return this.options.withTtl(configuration.getLockAtMostFor())
				.withMinHold(configuration.getLockAtLeastFor());
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot have these times: lockAtMostFor is its ttl, and lockAtLeastFor its minHold: %s"
						.formatted(configuration.getName(), ex.getMessage()),
					ex);
		}
	}

	private static final class LeaseLock extends AbstractSimpleLock {

		private final Lease lease;

		LeaseLock(LockConfiguration configuration, Lease lease) {
			super(configuration);
			this.lease = lease;
		}

		@Override
		protected void doUnlock() {
			this.lease.close();
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
			if (!this.lease.extend(newConfiguration.getLockAtMostFor())) {
				// ShedLock does not unlock it any more, but the store may have it still
				this.lease.close();
				return Optional.empty();
			}
			this.lease.holdAtLeast(newConfiguration.getLockAtLeastFor());
			return Optional.of(new LeaseLock(newConfiguration, this.lease));
		}

		@Override
		public String toString() {
			return this.lease.toString();
		}

	}

}
