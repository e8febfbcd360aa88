// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.shedlock;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;
import io.lockstarter.integration.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The tests that ShedLock has for its own lock providers, on ours. They sleep for some
 * seconds.
 */
@Tag("proof")
class ShedLockOwnTest extends AbstractExtensibleLockProviderIntegrationTest {

	private final String prefix = TestInstance.newKey() + ":";

	private final TestInstance instance = new TestInstance();

	private final LockStarterLockProvider provider = new LockStarterLockProvider(this.instance.registry(), this.prefix,
			LockOptions.defaults());

	@AfterEach
	void close() {
		this.instance.close();
	}

	/**
	 * Asks for a lock of 2 ms, which is refused. That an expired lock is not extended is
	 * tested with a longer one in {@link LockStarterLockProviderTest}.
	 */
	@Override
	@Test
	public void shouldNotBeAbleToExtendExpiredLock() {
		assertThatIllegalArgumentException().isThrownBy(super::shouldNotBeAbleToExtendExpiredLock)
			.withMessageContaining("ttl must be between 10 ms and 365 days");
	}

	@Override
	protected ExtensibleLockProvider getLockProvider() {
		return this.provider;
	}

	@Override
	protected void assertUnlocked(String lockName) {
		assertThat(this.instance.remaining(this.prefix + lockName)).isZero();
	}

	@Override
	protected void assertLocked(String lockName) {
		assertThat(this.instance.remaining(this.prefix + lockName)).isPositive();
	}

}
