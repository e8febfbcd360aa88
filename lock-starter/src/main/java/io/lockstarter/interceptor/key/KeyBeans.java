// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Beans and types of an application that keys may refer to. No bean is created before a
 * call needs it.
 *
 * @since 0.1
 */
public final class KeyBeans {

	private final BeanFactory factory;

	/**
	 * Create a view of the beans of an application.
	 */
	public KeyBeans(BeanFactory factory) {
		this.factory = factory;
	}

	boolean contains(String name) {
		return this.factory.containsBean(name);
	}

	/**
	 * Return the type of a bean that exists, as far as it is known without creating it.
	 */
	@Nullable Class<?> type(String name) {
		return BeanFactoryUtils.isFactoryDereference(name) ? null : this.factory.getType(name, false);
	}

	<T> T get(String name, Class<T> type) {
		return this.factory.getBean(name, type);
	}

	/**
	 * Return the only bean of a type, if there is one.
	 */
	public <T> @Nullable T find(Class<T> type) {
		return this.factory.getBeanProvider(type).getIfAvailable();
	}

	public @Nullable ClassLoader classLoader() {
		return (this.factory instanceof ConfigurableBeanFactory beans) ? beans.getBeanClassLoader() : null;
	}

	/**
	 * Return the locator of types. It uses the class loader of the application, not that
	 * of the thread that makes the first call.
	 */
	TypeLocator types() {
		return new StandardTypeLocator(classLoader());
	}

	BeanResolver resolver() {
		return new BeanFactoryResolver(this.factory);
	}

}
