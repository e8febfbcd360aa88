package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.interceptor.LockCommitCheck;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * {@link AutoConfiguration Auto-configuration} that has transactions rolled back whose
 * lock was lost.
 */
@AutoConfiguration
@ConditionalOnClass(TransactionExecutionListener.class)
@Conditional(LockEnabled.class)
public final class LockTransactionAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CommitChecks lockCommitChecks() {
		return new CommitChecks();
	}

	/**
	 * Adds the check to every transaction manager. As a listener bean it would reach only
	 * those that Spring Boot defines itself.
	 */
	static final class CommitChecks implements BeanPostProcessor {

		private final LockCommitCheck check = new LockCommitCheck();

		// Before a proxy, whose final methods would not reach the transaction manager.
		@Override
		public Object postProcessBeforeInitialization(Object bean, String beanName) {
			if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
				// A copy, as the present list may be immutable.
				List<TransactionExecutionListener> listeners = new ArrayList<>(
						manager.getTransactionExecutionListeners());
				listeners.add(this.check);
				manager.setTransactionExecutionListeners(listeners);
			}
			return bean;
		}

	}

}
