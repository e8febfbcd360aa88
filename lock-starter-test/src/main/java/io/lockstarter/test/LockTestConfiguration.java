// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import io.lockstarter.LockRegistry;
import io.lockstarter.LockMonitor;
import io.lockstarter.store.LockStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration of the {@link LockTester} of a context.
 */
@Configuration(proxyBeanMethods = false)
class LockTestConfiguration {

	@Bean
	static LockTester lockTester(ObjectProvider<LockRegistry> registry, ObjectProvider<LockStore> store) {
		return new LockTester(registry::getObject, store::getIfAvailable);
	}

	@Bean
	static LockMonitor lockTesterRecorder(LockTester tester) {
		return tester.recorder();
	}

	/**
	 * Puts a store that can be made unavailable around each store of the context.
	 */
	@Bean
	static BeanPostProcessor lockTesterStores(ObjectProvider<LockTester> tester) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return (bean instanceof LockStore store) ? tester.getObject().wrap(store) : bean;
			}

		};
	}

}
