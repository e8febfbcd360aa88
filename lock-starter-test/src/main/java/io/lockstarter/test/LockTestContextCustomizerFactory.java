// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Sets the store that {@link AutoConfigureDistributedLock} names, and makes the table of
 * fencing tokens unless the test says otherwise. Spring Boot's {@code @PropertyMapping}
 * would do, but has another name in Boot 3.5.
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
			String name = AutoConfigureDistributedLock.class.getSimpleName();
			MutablePropertySources sources = context.getEnvironment().getPropertySources();
			sources.addFirst(new MapPropertySource(name,
					Map.of("distributed-lock.store", this.store.name().toLowerCase(Locale.ROOT))));
			sources.addLast(
					new MapPropertySource(name + " defaults", Map.of("distributed-lock.fence.create-table", "true")));
		}

	}

}
