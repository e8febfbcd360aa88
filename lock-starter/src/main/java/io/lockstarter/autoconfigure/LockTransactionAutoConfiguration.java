// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * {@link AutoConfiguration Auto-configuration} that rolls back transactions whose lock
 * was lost.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass(TransactionExecutionListener.class)
@Conditional(LockEnabled.class)
public final class LockTransactionAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static TransactionListeners lockCommitChecks(ConfigurableListableBeanFactory beans) {
		return new TransactionListeners(beans);
	}

}
