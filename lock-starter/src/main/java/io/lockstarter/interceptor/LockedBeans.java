// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.CollectionUtils;

/**
 * Sees to it that each bean with annotated methods is called through a proxy that takes
 * the lock, and that it takes it once. A bean is looked at when it is made. What was made
 * too early for that, or is registered as an object, is looked at once all singletons
 * exist, and so are the beans of contexts above and below this one that have no such
 * check of their own.
 *
 * <p>
 * Has no order of its own, so that it comes after those that make proxies.
 *
 * @since 0.1
 */
public final class LockedBeans implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		ApplicationListener<ContextRefreshedEvent> {

	// What replaces a bean in a test is registered as an object, and has no proxy.
	private static final List<String> REPLACED_IN_TESTS = List.of(
			"org.springframework.test.context.bean.override.internalBeanOverrideRegistry",
			"org.springframework.boot.test.mock.mockito.MockitoPostProcessor");

	private final LockSpecSource specs;

	private final ConfigurableListableBeanFactory beans;

	private final ProxyCheck proxies;

	private final Predicate<Environment> enabled;

	private final boolean foreign;

	/**
	 * Beans that others have the proxy of, while the object is still being initialized.
	 */
	private final Set<String> early = ConcurrentHashMap.newKeySet();

	/**
	 * Create the check of a context.
	 * @param advisor the advisor of the context
	 * @param beans the beans of the context
	 * @param enabled whether locks are enabled in another context
	 */
	public LockedBeans(DistributedLockAdvisor advisor, ConfigurableListableBeanFactory beans,
			Predicate<Environment> enabled) {
		this(advisor.specs(), beans, enabled, false);
	}

	private LockedBeans(LockSpecSource specs, ConfigurableListableBeanFactory beans, Predicate<Environment> enabled,
			boolean foreign) {
		this.specs = specs;
		this.beans = beans;
		this.proxies = new ProxyCheck(beans);
		this.enabled = enabled;
		this.foreign = foreign;
	}

	/**
	 * Look at a bean before any of its methods is called.
	 */
	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		checkUnproxied(bean, beanName);
		return true;
	}

	/**
	 * Look at a record, which has nothing to be injected after it was made.
	 */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean.getClass().isRecord()) {
			checkUnproxied(bean, beanName);
		}
		return bean;
	}

	private void checkUnproxied(Object bean, String beanName) {
		List<Method> methods = this.specs.lockedMethods(bean.getClass());
		if (!methods.isEmpty()) {
			this.proxies.check(methods, bean.getClass(), beanName);
			checkCallbacks(methods, bean.getClass(), beanName);
		}
	}

	private void checkCallbacks(List<Method> methods, Class<?> type, String name) {
		if (methods.isEmpty() || !this.beans.containsBeanDefinition(name)) {
			return;
		}
		List<String> callbacks = callbacks(type, this.beans.getMergedBeanDefinition(name));
		for (Method method : methods) {
			AnnotatedMethod subject = LockSpecSource.subject(method, type);
			if (method.getParameterCount() == 0 && callbacks.contains(method.getName())
					&& LockAnnotations.isFoundOnMethod(method, subject)) {
				throw ContainerCallbacks.behindTheProxy(subject);
			}
		}
	}

	/**
	 * Return the names of the methods without arguments by which the container
	 * initializes and destroys a bean, as its definition says.
	 */
	private static List<String> callbacks(Class<?> type, BeanDefinition definition) {
		List<String> names = new ArrayList<>();
		if (definition instanceof RootBeanDefinition merged) {
			RootBeanDefinition methods = merged.cloneBeanDefinition();
			methods.setTargetType(type);
			methods.resolveDestroyMethodIfNecessary();
			CollectionUtils.mergeArrayIntoCollection(methods.getInitMethodNames(), names);
			CollectionUtils.mergeArrayIntoCollection(methods.getDestroyMethodNames(), names);
		}
		return names;
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		if (takesLock(bean)) {
			this.early.add(beanName);
			check(bean, beanName);
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.early.remove(beanName) && !takesLock(bean)) {
			requireNotKept(bean);
		}
		else {
			check(bean, beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		check(this.beans);
		BeanFactory parent = this.beans.getParentBeanFactory();
		while (parent instanceof ConfigurableListableBeanFactory above && !isChecked(above)) {
			if (this.enabled
				.test(above.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, Environment.class))) {
				foreign(above).check(above);
			}
			parent = above.getParentBeanFactory();
		}
	}

	/**
	 * Look at a context below this one, when it has been refreshed.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory below && isBelow(below)
				&& this.enabled.test(context.getEnvironment())) {
			LockedBeans check = foreign(below);
			check.check(below);
			below.addBeanPostProcessor(check);
		}
	}

	/**
	 * Whether some beans are below those of this context, with no other check between.
	 */
	private boolean isBelow(ConfigurableListableBeanFactory others) {
		BeanFactory each = others;
		while (each instanceof ConfigurableListableBeanFactory factory && !isChecked(factory)) {
			each = factory.getParentBeanFactory();
		}
		return each == this.beans && others != each;
	}

	private static boolean isChecked(ConfigurableListableBeanFactory factory) {
		return factory.getBeanNamesForType(LockedBeans.class, false, false).length > 0;
	}

	private LockedBeans foreign(ConfigurableListableBeanFactory others) {
		return new LockedBeans(this.specs, others, this.enabled, true);
	}

	private void check(ConfigurableListableBeanFactory beans) {
		for (String name : REPLACED_IN_TESTS) {
			if (beans.containsBean(name)) {
				return;
			}
		}
		for (String name : beans.getSingletonNames()) {
			Object bean = beans.isCurrentlyInCreation(name) ? null : beans.getSingleton(name);
			if (bean != null) {
				check(bean, name);
				Class<?> type = AopUtils.getTargetClass(bean);
				checkCallbacks(this.specs.lockedMethods(type), type, name);
			}
		}
	}

	private void check(Object bean, String name) {
		if (takesLock(bean)) {
			requireOverridable(bean);
			takeOnce(bean);
			return;
		}
		List<Method> methods = this.specs.lockedMethods(ClassUtils.getUserClass(bean));
		if (!methods.isEmpty() && (this.foreign || !isWrapped(bean, name))) {
			throw unproxied(bean, name, methods.get(0));
		}
	}

	/**
	 * Return whether somebody has wrapped a proxy of a bean, which Spring notes in its
	 * definition.
	 */
	private boolean isWrapped(Object bean, String name) {
		return !(bean instanceof Advised) && this.beans.containsBeanDefinition(name)
				&& this.beans.getMergedBeanDefinition(name)
					.hasAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
	}

	private static boolean takesLock(@Nullable Object bean) {
		if (!(bean instanceof SpringProxy && bean instanceof Advised proxy)) {
			return false;
		}
		// A target that is found at each call is a bean of its own.
		return ours(proxy) != null || !proxy.getTargetSource().isStatic()
				|| takesLock(AopProxyUtils.getSingletonTarget(bean));
	}

	private static @Nullable Advisor ours(Advised proxy) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor instanceof DistributedLockAdvisor) {
				return advisor;
			}
		}
		return null;
	}

	/**
	 * Leave the lock to the outermost of the proxies of a bean, which is outside of its
	 * transactions, too: an inner one would wait for it, unless the lock is reentrant.
	 * But if an inner one is a bean of its own, which others call, it keeps the lock.
	 */
	private void takeOnce(Object bean) {
		Advised taker = null;
		for (Object each = bean; each instanceof SpringProxy
				&& each instanceof Advised proxy; each = AopProxyUtils.getSingletonTarget(each)) {
			Advisor ours = ours(proxy);
			if (ours == null) {
				continue;
			}
			if (taker == null) {
				taker = proxy;
			}
			else if (isBean(proxy)) {
				taker.removeAdvisor(Objects.requireNonNull(ours(taker)));
				taker = proxy;
			}
			else {
				proxy.removeAdvisor(ours);
			}
		}
	}

	private boolean isBean(Object proxy) {
		BeanFactory each = this.beans;
		while (each instanceof ConfigurableListableBeanFactory factory) {
			for (String name : factory.getSingletonNames()) {
				if (!factory.isCurrentlyInCreation(name) && factory.getSingleton(name) == proxy) {
					return true;
				}
			}
			each = factory.getParentBeanFactory();
		}
		return false;
	}

	/**
	 * Check the class that the proxy really has, which may be in another class loader or
	 * be made of what a factory returned.
	 */
	private void requireOverridable(Object proxy) {
		if (!AopUtils.isCglibProxy(proxy)) {
			return;
		}
		for (Method method : this.specs.lockedMethods(AopUtils.getTargetClass(proxy))) {
			if (Modifier.isFinal(method.getModifiers())) {
				throw ProxyCheck.notInterceptable(method, AopUtils.getTargetClass(proxy));
			}
			Class<?> declaring = method.getDeclaringClass();
			int visible = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE;
			if ((method.getModifiers() & visible) == 0
					&& (!declaring.getPackageName().equals(proxy.getClass().getPackageName())
							|| declaring.getClassLoader() != proxy.getClass().getClassLoader())) {
				throw LockSpecSource.subject(method, AopUtils.getTargetClass(proxy))
					.invalid("no proxy can override a package-private method of another package or class loader, "
							+ "so it would run without the lock", "Make the method protected or public");
			}
		}
	}

	private void requireNotKept(Object bean) {
		List<Method> methods = this.specs.lockedMethods(ClassUtils.getUserClass(bean));
		for (Method method : methods) {
			if (ContainerCallbacks.isKept(method) || ContainerCallbacks.isKept(method.getDeclaringClass())) {
				throw LockSpecSource.subject(method, bean.getClass())
					.invalid(
							"its bean refers to itself, or is part of a circle of beans, so what calls the method has "
									+ "the object behind the proxy, where it would run without the lock",
							"Break the circle, for example by @Lazy where the bean is injected");
			}
		}
	}

	private LockSetupException unproxied(Object bean, String name, Method method) {
		String remedy;
		if (this.foreign) {
			remedy = "Let the auto-configuration take part in the context of the bean";
		}
		else if (isNeverProxied(bean)) {
			remedy = "Move the method to a bean that is no aspect, advice or post-processor";
		}
		else if (!this.beans.containsBeanDefinition(name)) {
			remedy = "Register a definition of the bean, not the object";
		}
		else {
			remedy = "See to it that no post-processor needs the bean, for which it was created early: "
					+ "by an ObjectProvider, @Lazy or a static @Bean method";
		}
		return LockSpecSource.subject(method, bean.getClass())
			.invalid("the bean '%s' has no proxy that takes the lock, so the method would run without it"
				.formatted(name), remedy + ", or call LockRegistry.call in its body");
	}

	private static boolean isNeverProxied(Object bean) {
		return bean instanceof Advice || bean instanceof Pointcut || bean instanceof Advisor
				|| bean instanceof AopInfrastructureBean || bean instanceof BeanPostProcessor
				|| bean instanceof BeanFactoryPostProcessor
				|| MergedAnnotations.from(bean.getClass()).isPresent("org.aspectj.lang.annotation.Aspect");
	}

}
