// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;

import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Refuses annotated methods that the proxy of their bean could not intercept. They would
 * run without their lock.
 */
record ProxyCheck(ConfigurableListableBeanFactory beans) {

	static LockSetupException notInterceptable(Method method, Class<?> targetClass) {
		return new AnnotatedMethod(method, ClassUtils.getUserClass(targetClass)).invalid(
				"a method that is private, static or final is never intercepted and would run without the lock",
				"Make it overridable (in Kotlin: open), or call LockRegistry.call in its body");
	}

	/**
	 * Check that the proxy of a bean can intercept the annotated methods of its class.
	 * @param methods all of them; at least one
	 */
	void check(List<Method> methods, Class<?> targetClass, String beanName) {
		LockSetupException obstacle = obstacle(methods, targetClass);
		if (obstacle != null && isToBeExtended(targetClass, beanName)) {
			throw obstacle;
		}
	}

	/**
	 * Say why no proxy that extends a class could take the lock.
	 */
	private static @Nullable LockSetupException obstacle(List<Method> methods, Class<?> targetClass) {
		for (Method method : methods) {
			if (Modifier.isFinal(method.getModifiers())) {
				return notInterceptable(method, targetClass);
			}
		}
		return (Modifier.isFinal(targetClass.getModifiers()) || targetClass.isSealed()) ? LockSpecSource
			.subject(methods.get(methods.size() - 1), targetClass)
			.invalid("its class is final or sealed, so no proxy can extend it and take the lock",
					"Make the class open for extension (in Kotlin: open, or the plugin kotlin-spring), or let it implement an interface for its callers "
							+ "and set spring.aop.proxy-target-class to false")
				: null;
	}

	/**
	 * Ask who is going to make the proxy of a bean for its class.
	 */
	private boolean isToBeExtended(Class<?> targetClass, String beanName) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		try {
			return this.beans.containsLocalBean(creator)
					&& this.beans.getBean(creator) instanceof SmartInstantiationAwareBeanPostProcessor proxies
					&& !Proxy.isProxyClass(proxies.determineBeanType(targetClass, beanName));
		}
		catch (AopConfigException ex) {
			// the class of such a proxy cannot be made
			return true;
		}
	}

}
