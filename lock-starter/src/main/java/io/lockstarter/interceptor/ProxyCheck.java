// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;

import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.key.AnnotatedMethod;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Conventions;
import org.springframework.util.ClassUtils;

/**
 * Refuses annotated methods that the proxy of their bean could not intercept. They would
 * run without their lock.
 */
record ProxyCheck(ConfigurableListableBeanFactory beans) {

	// As AutoProxyUtils has it since Spring 7.
	private static final String EXPOSED_INTERFACES = Conventions.getQualifiedAttributeName(AutoProxyUtils.class,
			"exposedInterfaces");

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
		if (!extendsTheClass(targetClass, beanName)) {
			return;
		}
		for (Method method : methods) {
			if (Modifier.isFinal(method.getModifiers())) {
				throw notInterceptable(method, targetClass);
			}
		}
		if (cannotBeExtended(targetClass)) {
			throw LockSpecSource.subject(methods.get(methods.size() - 1), targetClass)
				.invalid("its class is final or sealed, so no proxy can extend it and take the lock",
						"Make the class open for extension (in Kotlin: open, or the plugin kotlin-spring), or let it implement an interface for its callers "
								+ "and set spring.aop.proxy-target-class to false");
		}
	}

	private boolean extendsTheClass(Class<?> targetClass, String beanName) {
		return isProxiedByClass(beanName) || new Interfaces(this.beans).areNoneForCallers(targetClass);
	}

	/**
	 * Whether the proxy of a bean extends its class even where there is an interface. The
	 * definition of the bean counts for more than the setting for all.
	 */
	private boolean isProxiedByClass(String beanName) {
		if (this.beans.containsBeanDefinition(beanName)) {
			if (AutoProxyUtils.shouldProxyTargetClass(this.beans, beanName)) {
				return true;
			}
			if (this.beans.getBeanDefinition(beanName).getAttribute(EXPOSED_INTERFACES) != null) {
				return false;
			}
		}
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return this.beans.containsBean(creator) && this.beans.getBean(creator) instanceof ProxyConfig config
				&& config.isProxyTargetClass();
	}

	private static boolean cannotBeExtended(Class<?> targetClass) {
		boolean closed = Modifier.isFinal(targetClass.getModifiers()) || targetClass.isSealed();
		// Spring does not extend what is a proxy or a lambda already.
		return closed && !Proxy.isProxyClass(targetClass) && !ClassUtils.isLambdaClass(targetClass);
	}

	/**
	 * Finds interfaces in the way in which those that make proxies do.
	 */
	@SuppressWarnings("serial")
	private static final class Interfaces extends ProxyProcessorSupport {

		Interfaces(ConfigurableListableBeanFactory beans) {
			setProxyClassLoader(beans.getBeanClassLoader());
		}

		boolean areNoneForCallers(Class<?> targetClass) {
			ProxyFactory proxy = new ProxyFactory();
			evaluateProxyInterfaces(targetClass, proxy);
			return proxy.isProxyTargetClass();
		}

	}

}
