// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link AutoConfiguration Auto-configuration} that logs a warning if
 * {@code distributed-lock.enabled} is false.
 *
 * @since 0.1
 */
@AutoConfiguration
@Conditional(LockEnabled.Not.class)
public final class LockDisabledAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "lockDisabledNotice")
	static SmartInitializingSingleton lockDisabledNotice() {
		return () -> LogFactory.getLog(LockDisabledAutoConfiguration.class)
			.warn("'distributed-lock.enabled' is false: @LeaderOnly, @DistributedPermit and @DistributedLock methods run WITHOUT a lock");
	}

}
