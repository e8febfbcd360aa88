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
package io.lockstarter.autoconfigure;

import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
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
	static SmartInitializingSingleton lockDisabledNotice() {
		return () -> LogFactory.getLog(LockDisabledAutoConfiguration.class)
			.warn("'distributed-lock.enabled' is false: @LeaderOnly, @DistributedPermit and @DistributedLock methods run WITHOUT a lock");
	}

}
