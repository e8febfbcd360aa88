package io.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;

/**
 * What annotations need of the beans of an application. Nothing is created before a call
 * needs it.
 */
final class LockBeans {

	private final BeanFactory factory;

	private final BeanResolver resolver;

	LockBeans(BeanFactory factory) {
		this.factory = factory;
		this.resolver = new BeanFactoryResolver(factory);
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

	BeanResolver resolver() {
		return this.resolver;
	}

	/**
	 * Return whether proxies of beans extend their class even where there is an
	 * interface.
	 * @return whether that is known to be so
	 */
	boolean areProxiedByClass() {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		// It exists by now, as it is what asks for our advisor.
		return contains(creator) && this.factory.getBean(creator) instanceof ProxyConfig config
				&& config.isProxyTargetClass();
	}

}
