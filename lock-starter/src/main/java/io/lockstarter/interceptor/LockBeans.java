package io.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.Conventions;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * What annotations need of the beans of an application. Nothing is created before a call
 * needs it.
 */
final class LockBeans {

	// As AutoProxyUtils has it since Spring 7.
	private static final String EXPOSED_INTERFACES = Conventions.getQualifiedAttributeName(AutoProxyUtils.class,
			"exposedInterfaces");

	private final BeanFactory factory;

	private final BeanResolver resolver;

	private final TypeLocator types;

	LockBeans(BeanFactory factory) {
		this.factory = factory;
		this.resolver = new BeanFactoryResolver(factory);
		this.types = new StandardTypeLocator(classLoader());
	}

	boolean contains(String name) {
		return this.factory.containsBean(name);
	}

	/**
	 * Return the type of a bean that exists.
	 * @param name its name
	 * @return the type as far as it is known without creating the bean
	 */
	@Nullable Class<?> type(String name) {
		return BeanFactoryUtils.isFactoryDereference(name) ? null : this.factory.getType(name, false);
	}

	<T> T get(String name, Class<T> type) {
		return this.factory.getBean(name, type);
	}

	/**
	 * Return the class loader of the application.
	 * @return the class loader; {@code null} if it is not known
	 */
	@Nullable ClassLoader classLoader() {
		return (this.factory instanceof ConfigurableBeanFactory beans) ? beans.getBeanClassLoader() : null;
	}

	/**
	 * Return what finds types by the class loader of the application, not by that of the
	 * thread which happens to be first.
	 */
	TypeLocator types() {
		return this.types;
	}

	BeanResolver resolver() {
		return this.resolver;
	}

	/**
	 * Return whether a bean is being looked at in order to be proxied.
	 * @return whether {@link #isProxiedByClass()} speaks of a certain bean
	 */
	static boolean isBeingProxied() {
		return ProxyCreationContext.getCurrentProxiedBeanName() != null;
	}

	/**
	 * Return whether the proxy of the bean that is about to be proxied extends its class
	 * even where there is an interface. What the definition of the bean says counts for
	 * more than what is set for all.
	 * @return whether that is known to be so
	 */
	boolean isProxiedByClass() {
		String name = ProxyCreationContext.getCurrentProxiedBeanName();
		if (name != null && this.factory instanceof ConfigurableListableBeanFactory beans
				&& beans.containsBeanDefinition(name)) {
			if (AutoProxyUtils.shouldProxyTargetClass(beans, name)) {
				return true;
			}
			if (beans.getBeanDefinition(name).getAttribute(EXPOSED_INTERFACES) != null) {
				return false;
			}
		}
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		// It exists by now, as it is what asks for our advisor.
		return contains(creator) && this.factory.getBean(creator) instanceof ProxyConfig config
				&& config.isProxyTargetClass();
	}

}
