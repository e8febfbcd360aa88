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
