// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.integration.shedlock.LockStarterLockProvider;
import io.lockstarter.integration.spring.LockStarterLockRegistry;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The examples of docs/bridges.md.
 */
class BridgeExamples {

	@Configuration(proxyBeanMethods = false)
	static class IntegrationConfiguration {

		@Bean
		LockStarterLockRegistry integrationLocks(LockRegistry registry) {
			return new LockStarterLockRegistry(registry);
		}

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(LockStarterLockRegistry integrationLocks) {
			return new LockRegistryLeaderInitiator(integrationLocks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrefixedConfiguration {

		@Bean
		LockStarterLockRegistry integrationLocks(LockRegistry registry) {
			LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(60)).withName("integration");
			return new LockStarterLockRegistry(registry, "integration:", options);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "PT10M")
	static class ShedLockConfiguration {

		@Bean
		LockProvider lockProvider(LockRegistry registry) {
			return new LockStarterLockProvider(registry);
		}

		@Bean
		Report report() {
			return new Report();
		}

	}

	static class Report {

		static final AtomicInteger SENT = new AtomicInteger();

		@Scheduled(cron = "0 0 4 * * *")
		@SchedulerLock(name = "nightly-report", lockAtMostFor = "PT30M", lockAtLeastFor = "PT1M")
		public void send() {
			SENT.incrementAndGet();
		}

	}

	static class Imports {

		final List<Long> tokens = new ArrayList<>();

		private final LockStarterLockRegistry integrationLocks;

		private final LockRegistry registry;

		Imports(LockStarterLockRegistry integrationLocks, LockRegistry registry) {
			this.integrationLocks = integrationLocks;
			this.registry = registry;
		}

		public void importFile(String path) {
			DistributedLock lock = this.integrationLocks.obtain(path);
			lock.lock();
			try {
				long token = this.registry.obtain(path).lease().fencingToken();
				this.tokens.add(token);
			}
			finally {
				lock.unlock();
			}
		}

	}

}
