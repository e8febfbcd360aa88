// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Source of the specifications of each method. Each method is resolved once.
 */
final class LockSpecSource implements ClassFilter {

	private static final Log logger = LogFactory.getLog(LockSpecSource.class);

	private final LockSpecFactory factory;

	private final LockValidation validation;

	private final Map<MethodClassKey, List<LockSpec>> specs = new ConcurrentHashMap<>();

	private final Map<Class<?>, List<Method>> lockedMethods = new ConcurrentHashMap<>();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	LockSpecSource(LockSpecFactory factory, LockValidation validation) {
		this.factory = factory;
		this.validation = validation;
	}

	/**
	 * Return whether a method, possibly of an interface or a bridge, is annotated,
	 * rightly or wrongly: it must not run without a lock.
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		return this.specs.containsKey(new MethodClassKey(method, targetClass))
				|| LockAnnotations.isFound(method, subject(method, targetClass));
	}

	/**
	 * Return what each annotation of a method says, outermost first.
	 * @throws LockSetupException if an annotation cannot be meant
	 */
	List<LockSpec> find(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		List<LockSpec> found = this.specs.get(key);
		if (found == null) {
			// Outside of the map, as resolving may create a bean, which asks here anew.
			found = resolve(method, targetClass);
			this.specs.put(key, found);
		}
		return found;
	}

	/**
	 * Return whether any method of a class is annotated, after a look at each of them: so
	 * a mistake in the last one fails at start-up too, not at its first call.
	 * @throws LockSetupException if a method could run without its lock or, unless the
	 * validation says otherwise, if an annotation cannot be meant
	 */
	@Override
	public boolean matches(Class<?> targetClass) {
		List<Method> methods = lockedMethods(targetClass);
		if (this.validation != LockValidation.OFF) {
			for (Method method : methods) {
				validate(method, targetClass);
			}
		}
		return !methods.isEmpty();
	}

	/**
	 * Return the methods of a class that are annotated, those of interfaces last.
	 * @throws LockSetupException if one of them would run without its lock, whatever
	 * proxy the bean has
	 */
	List<Method> lockedMethods(Class<?> targetClass) {
		List<Method> methods = this.lockedMethods.get(targetClass);
		if (methods == null) {
			methods = inspect(targetClass);
			this.lockedMethods.put(targetClass, methods);
		}
		return methods;
	}

	private static List<Method> inspect(Class<?> targetClass) {
		if (!mayBeLocked(targetClass)) {
			return List.of();
		}
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		List<Method> methods = new ArrayList<>();
		if (!Proxy.isProxyClass(targetClass)) {
			addLocked(methods, userClass, targetClass);
		}
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
			addLocked(methods, type, targetClass);
		}
		if (LockAnnotations.isOnType(userClass)
				&& methods.stream().allMatch((method) -> ContainerCallbacks.isBehindTheProxy(method, userClass))) {
			throw new LockSetupException(
					"@%s on %s has no effect, as it applies to public methods that can be overridden, and there are none"
						.formatted(AnnotatedMethod.annotationOn(userClass), userClass.getName()),
					"Annotate the method that is to be locked, which may be protected", null);
		}
		return List.copyOf(methods);
	}

	private static void addLocked(List<Method> methods, Class<?> type, Class<?> targetClass) {
		for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
			// An annotation is copied to a bridge, which calls the method that has it,
			// and to
			// what Kotlin makes of the body of a suspend function.
			boolean copy = method.isBridge() || (method.isSynthetic() && Modifier.isStatic(method.getModifiers()));
			if (!copy && inspect(method, targetClass)) {
				methods.add(method);
			}
		}
	}

	private static boolean mayBeLocked(Class<?> targetClass) {
		try {
			return LockAnnotations.isAnywhereIn(targetClass);
		}
		catch (AnnotationConfigurationException ex) {
			return true;
		}
	}

	private static boolean inspect(Method method, Class<?> targetClass) {
		AnnotatedMethod subject = subject(method, targetClass);
		boolean hidden = Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers());
		if (hidden ? LockAnnotations.isOn(method) : LockAnnotations.isFoundOnMethod(method, subject)) {
			ContainerCallbacks.check(subject);
			if (hidden) {
				throw ProxyCheck.notInterceptable(method, targetClass);
			}
			return true;
		}
		boolean covered = !hidden && LockAnnotations.isCoveredByType(subject);
		if (!covered && LockAnnotations.isOnType(subject.targetClass()) && ContainerCallbacks.isEntry(method)) {
			throw subject.invalid(
					"the annotation of its class applies to public methods that can be overridden, "
							+ "so this one would run without the lock",
					"Make it public, or annotate it instead of its class");
		}
		return covered;
	}

	private void validate(Method method, Class<?> targetClass) {
		try {
			find(method, targetClass);
		}
		catch (LockSetupException ex) {
			if (this.validation == LockValidation.FAIL) {
				throw ex;
			}
			if (this.reported.add(ex.getMessage())) {
				logger.warn(ex.getMessage() + " Each call of the method fails until then");
			}
		}
	}

	static AnnotatedMethod subject(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		// The methods of a JDK proxy are final and have no parameter names.
		Method specific = Proxy.isProxyClass(userClass) ? method : AopUtils.getMostSpecificMethod(method, userClass);
		return new AnnotatedMethod(specific, userClass);
	}

	private List<LockSpec> resolve(Method method, Class<?> targetClass) {
		AnnotatedMethod subject = subject(method, targetClass);
		try {
			List<LockSpec> all = new ArrayList<>();
			for (MergedAnnotation<DistributedLock> annotation : LockAnnotations.find(method, subject)) {
				all.add(this.factory.create(annotation, subject));
			}
			return List.copyOf(all);
		}
		catch (AnnotationConfigurationException ex) {
			throw subject.invalid("its attributes contradict each other: " + ex.getMessage(),
					"Set either key or value, not both", ex);
		}
	}

}
