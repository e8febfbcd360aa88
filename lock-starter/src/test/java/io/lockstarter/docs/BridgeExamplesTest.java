// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockRegistry;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.integration.spring.LockStarterLockRegistry;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the examples of docs/bridges.md.
 */
class BridgeExamplesTest {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@Test
	void theLeaderInitiatorTakesOurLock() {
		this.application.withUserConfiguration(BridgeExamples.IntegrationConfiguration.class).run((context) -> {
			LockRegistryLeaderInitiator initiator = context.getBean(LockRegistryLeaderInitiator.class);
			await().until(() -> initiator.getContext().isLeader());
			initiator.stop();
		});
	}

	@Test
	void theFencingTokenIsThatOfTheSameKey() {
		this.application.withUserConfiguration(BridgeExamples.IntegrationConfiguration.class).run((context) -> {
			BridgeExamples.Imports imports = new BridgeExamples.Imports(context.getBean(LockStarterLockRegistry.class),
					context.getBean(LockRegistry.class));
			imports.importFile("orders.csv");
			imports.importFile("orders.csv");
			assertThat(imports.tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
		});
	}

	@Test
	void keysHaveThePrefix() {
		this.application.withUserConfiguration(BridgeExamples.PrefixedConfiguration.class).run((context) -> {
			var lock = context.getBean(LockStarterLockRegistry.class).obtain("orders.csv");
			assertThat(lock.tryLock()).isTrue();
			assertThat(context.getBean(LockRegistry.class).obtain("integration:orders.csv").holdCount()).isOne();
			lock.unlock();
		});
	}

	@Test
	void aJobIsSkippedWhileItsLockIsHeld() {
		this.application.withUserConfiguration(BridgeExamples.ShedLockConfiguration.class).run((context) -> {
			assertThat(context).hasSingleBean(LockProvider.class);
			BridgeExamples.Report report = context.getBean(BridgeExamples.Report.class);
			report.send();
			report.send();
			assertThat(BridgeExamples.Report.SENT).as("the lock is held for a minute at least").hasValue(1);
		});
	}

}
