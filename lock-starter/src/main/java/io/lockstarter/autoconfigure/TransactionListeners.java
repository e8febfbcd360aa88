// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.interceptor.transaction.LockCommitCheck;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Adds a listener to every transaction manager: the check before the commit, unless a
 * subclass has another. As a listener bean it would reach only those managers that Spring
 * Boot defines itself.
 */
class TransactionListeners implements BeanPostProcessor, SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beans;

	TransactionListeners(ConfigurableListableBeanFactory beans) {
		this.beans = beans;
	}

	/**
	 * Reach those that were created before this post-processor was, as another one needed
	 * them.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beans.getBeanNamesForType(ConfigurableTransactionManager.class, false, false)) {
			Object bean = this.beans.containsSingleton(name) ? this.beans.getSingleton(name) : null;
			Object target = (bean != null) ? AopProxyUtils.getSingletonTarget(bean) : null;
			add((target != null) ? target : bean);
		}
	}

	// Before a proxy, whose final methods would not reach the transaction manager.
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		add(bean);
		return bean;
	}

	private void add(@Nullable Object bean) {
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			TransactionExecutionListener listener = listenerOf(manager);
			if (listener != null && !manager.getTransactionExecutionListeners().contains(listener)) {
				// A copy, as the present list may be immutable.
				List<TransactionExecutionListener> listeners = new ArrayList<>(
						manager.getTransactionExecutionListeners());
				listeners.add(listener);
				manager.setTransactionExecutionListeners(listeners);
			}
		}
	}

	/**
	 * Return what is to listen to a manager, if anything is.
	 */
	@Nullable TransactionExecutionListener listenerOf(ConfigurableTransactionManager manager) {
		return new LockCommitCheck();
	}

}
