// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.util.List;

import io.lockstarter.annotation.DistributedLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ReflectionUtils;

/**
 * Logs a warning if the context of a test has annotated beans but no locks, as for a
 * slice such as {@code @WebMvcTest}: their methods run without a lock there.
 */
final class UnlockedTestNotice implements ContextCustomizerFactory {

	@Override
	public ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return new Customizer();
	}

	/**
	 * Equal to all others, so that tests go on to share their contexts.
	 */
	private record Customizer() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			context.getBeanFactory().addBeanPostProcessor(new Notice(context));
		}

	}

	private record Notice(ConfigurableApplicationContext context) implements BeanPostProcessor {

		private static final Log logger = LogFactory.getLog(UnlockedTestNotice.class);

		@Override
		public @Nullable Object postProcessAfterInitialization(Object bean, String beanName) {
			Class<?> type = AopUtils.getTargetClass(bean);
			// If locks are disabled on purpose, another notice says so.
			if (isAnnotated(type) && !this.context.containsBean("distributedLockAdvisor")
					&& isEnabled(this.context.getEnvironment())) {
				logger
					.warn(("@DistributedLock methods of %s run WITHOUT a lock in this test, whose context has no lock "
							+ "auto-configuration. Add @AutoConfigureDistributedLock to the test class to have locks in its memory")
						.formatted(type.getName()));
			}
			return bean;
		}

		private static boolean isEnabled(Environment environment) {
			return Binder.get(environment).bind("distributed-lock.enabled", Boolean.class).orElse(true);
		}

		private static boolean isAnnotated(Class<?> type) {
			if (type.getName().startsWith("org.springframework.")) {
				return false;
			}
			return isOn(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY))
					|| List.of(ReflectionUtils.getUniqueDeclaredMethods(type))
						.stream()
						.anyMatch((method) -> isOn(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)));
		}

		private static boolean isOn(MergedAnnotations annotations) {
			return annotations.stream(DistributedLock.class).findAny().isPresent();
		}

	}

}
