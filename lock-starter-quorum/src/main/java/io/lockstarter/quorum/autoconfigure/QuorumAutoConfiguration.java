// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.autoconfigure;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockStoreFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * {@link AutoConfiguration Auto-configuration} of a quorum, where
 * {@code distributed-lock.quorum.nodes} ask for one.
 *
 * @since 0.1
 */
// After it, which tells of properties that do not exist before these are bound.
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnBean(name = "distributedLockRedis", search = SearchStrategy.CURRENT)
@ConditionalOnMissingBean(LockStoreFactory.class)
@EnableConfigurationProperties(QuorumProperties.class)
@ImportRuntimeHints(QuorumProperties.NodeHints.class)
public final class QuorumAutoConfiguration {

	@Bean
	QuorumStoreFactory quorumStoreFactory(QuorumProperties properties, ObjectProvider<SslBundles> bundles) {
		return new QuorumStoreFactory(properties, bundles);
	}

}
