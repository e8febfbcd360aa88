// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.key.AnnotatedMethod;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationFilter;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes the methods by which the container calls a bean. An annotation on the type
 * of the bean does not apply to them: a lock around {@code isRunning()} would make the
 * start of the application wait for Redis. One on such a method is refused if the
 * container calls it on the object behind the proxy.
 */
final class ContainerCallbacks {

	private static final Set<Class<?>> TYPES = Set.of(Lifecycle.class, SmartLifecycle.class, Phased.class,
			Ordered.class, FactoryBean.class, SmartFactoryBean.class, SmartInitializingSingleton.class,
			InitializingBean.class, DisposableBean.class, SmartApplicationListener.class,
			GenericApplicationListener.class);

	private static final Set<Class<?>> FACTORIES = Set.of(FactoryBean.class, SmartFactoryBean.class);

	private static final Set<Class<?>> BEFORE_THE_PROXY = Set.of(InitializingBean.class, DisposableBean.class);

	// By name, as none of them but Spring's needs to be on the class path.
	private static final Set<String> INJECTED = Set.of("jakarta.annotation.PostConstruct",
			"javax.annotation.PostConstruct", "jakarta.annotation.PreDestroy", "javax.annotation.PreDestroy",
			"jakarta.annotation.Resource", "javax.annotation.Resource", "jakarta.inject.Inject", "javax.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value");

	// Whose attributes may contradict each other.
	private static final AnnotationFilter NOT_OURS = AnnotationFilter.packages(DistributedLock.class.getPackageName());

	private ContainerCallbacks() {
	}

	/**
	 * Return whether a method is there for the container, and for no other caller.
	 */
	static boolean isOne(Method method, Class<?> targetClass) {
		return isBeanMethod(method) || isOf(TYPES, method, targetClass) || isAware(method, targetClass);
	}

	/**
	 * Return whether the container calls a method on the object behind the proxy.
	 */
	static boolean isBehindTheProxy(Method method, Class<?> targetClass) {
		if (isOf(BEFORE_THE_PROXY, method, targetClass) || isAware(method, targetClass)) {
			return true;
		}
		for (MergedAnnotation<?> annotation : annotations(method)) {
			if (INJECTED.contains(annotation.getType().getName())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Check that an annotation on a method, not on its type, has an effect for those who
	 * call the method.
	 */
	static void check(AnnotatedMethod subject) {
		Method method = subject.method();
		Class<?> type = subject.targetClass();
		if (isBeanMethod(method) || isOf(FACTORIES, method, type)) {
			throw subject.invalid(
					"the method makes a bean, so a lock would be around the making and not around its use",
					"Annotate the methods of the class whose bean it makes");
		}
		if (isBehindTheProxy(method, type)) {
			throw behindTheProxy(subject);
		}
	}

	static LockSetupException behindTheProxy(AnnotatedMethod subject) {
		return subject.invalid(
				"the container calls the method on the object behind the proxy, where it would run without the lock",
				"Call LockRegistry.call in its body, or annotate a method that is called when the application has "
						+ "started, such as the one of an ApplicationRunner");
	}

	/**
	 * Return whether Spring, or what extends it, calls a method because of an annotation:
	 * a scheduled method, a listener, a handler of requests.
	 */
	static boolean isEntry(Method method) {
		for (MergedAnnotation<?> annotation : annotations(method)) {
			if (isScheduleOrListener(annotation) || annotation.getType().getSimpleName().endsWith("Mapping")) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether an annotation on a method, or on a class, lets a scheduler or a
	 * listener of messages keep the object that it sees when the bean is initialized.
	 * Listeners of events ask for the bean at each event.
	 */
	static boolean isKept(AnnotatedElement element) {
		for (MergedAnnotation<?> annotation : annotations(element)) {
			if (isScheduleOrListener(annotation) && annotation.getType() != EventListener.class
					&& !MergedAnnotations.from(annotation.getType()).isPresent(EventListener.class)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isScheduleOrListener(MergedAnnotation<?> annotation) {
		String name = annotation.getType().getSimpleName();
		return name.equals("Scheduled") || name.endsWith("Listener");
	}

	private static MergedAnnotations annotations(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY,
				RepeatableContainers.standardRepeatables(), NOT_OURS);
	}

	private static boolean isBeanMethod(Method method) {
		return MergedAnnotations.from(method).isPresent(Bean.class);
	}

	private static boolean isAware(Method method, Class<?> targetClass) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
			if (List.of(type.getInterfaces()).contains(Aware.class) && declares(type, method)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOf(Set<Class<?>> types, Method method, Class<?> targetClass) {
		for (Class<?> type : types) {
			if (type.isAssignableFrom(targetClass) && declares(type, method)) {
				return true;
			}
		}
		return false;
	}

	// Not what it inherits: the work of a listener is done in a method of a type above.
	private static boolean declares(Class<?> type, Method method) {
		Method found = ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes());
		return found != null && found.getDeclaringClass() == type;
	}

}
