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

import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Sets the store that {@link AutoConfigureDistributedLock} names. Spring Boot's
 * {@code @PropertyMapping} would do, but has another name in Boot 3.5.
 */
final class LockTestContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		AutoConfigureDistributedLock annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureDistributedLock.class);
		return (annotation != null) ? new Customizer(annotation.store()) : null;
	}

	/**
	 * Equal if the store is, so that tests share their contexts.
	 */
	private record Customizer(AutoConfigureDistributedLock.Store store) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource(AutoConfigureDistributedLock.class.getSimpleName(),
						Map.of("distributed-lock.store", this.store.name().toLowerCase(Locale.ROOT))));
		}

	}

}
