// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Set;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes the methods by which the container calls a bean. An annotation on the type
 * of the bean does not apply to them: a lock around {@code isRunning()} would make the
 * start of the application wait for Redis.
 */
final class ContainerCallbacks {

	private static final Set<Class<?>> TYPES = Set.of(Lifecycle.class, SmartLifecycle.class, Phased.class,
			Ordered.class, FactoryBean.class, SmartFactoryBean.class, SmartInitializingSingleton.class,
			InitializingBean.class, DisposableBean.class, SmartApplicationListener.class,
			GenericApplicationListener.class);

	private ContainerCallbacks() {
	}

	/**
	 * Return whether a method is there for the container, and for no other caller.
	 */
	static boolean isOne(Method method, Class<?> targetClass) {
		return TYPES.stream().anyMatch((type) -> type.isAssignableFrom(targetClass) && declares(type, method))
				|| ClassUtils.getAllInterfacesForClassAsSet(targetClass)
					.stream()
					.anyMatch((type) -> Aware.class.isAssignableFrom(type) && declares(type, method));
	}

	// Not what it inherits: the work of a listener is done in a method of a type above.
	private static boolean declares(Class<?> type, Method method) {
		Method found = ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes());
		return found != null && found.getDeclaringClass() == type;
	}

}
