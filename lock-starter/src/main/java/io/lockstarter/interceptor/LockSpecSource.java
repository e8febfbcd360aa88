// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Source of the specifications of each method. Each method is resolved once.
 */
final class LockSpecSource {

	private static final Log logger = LogFactory.getLog(LockSpecSource.class);

	private final LockSpecFactory factory;

	private final ProxyCheck proxies;

	private final LockValidation validation;

	private final Map<MethodClassKey, List<LockSpec>> specs = new ConcurrentHashMap<>();

	private final Map<Class<?>, Locked> lockedClasses = new ConcurrentHashMap<>();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	LockSpecSource(LockSpecFactory factory, ProxyCheck proxies, LockValidation validation) {
		this.factory = factory;
		this.proxies = proxies;
		this.validation = validation;
	}

	/**
	 * Return whether a method, possibly of an interface or a bridge, is annotated,
	 * rightly or wrongly: it must not run without a lock.
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		try {
			return this.specs.containsKey(new MethodClassKey(method, targetClass))
					|| !annotations(method, subject(method, targetClass)).isEmpty();
		}
		catch (AnnotationConfigurationException ex) {
			return true;
		}
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
	boolean hasLockedMethods(Class<?> targetClass) {
		Locked locked = this.lockedClasses.get(targetClass);
		boolean isNew = locked == null;
		if (locked == null) {
			locked = inspect(targetClass);
			this.lockedClasses.put(targetClass, locked);
		}
		if (locked.any() != null && (isNew || ProxyCheck.isBeingProxied())) {
			this.proxies.check(subject(locked.any(), targetClass), locked.closed(), targetClass);
		}
		return locked.any() != null;
	}

	private Locked inspect(Class<?> targetClass) {
		if (!mayBeLocked(targetClass)) {
			return new Locked(null, null);
		}
		Method found = null;
		Method closed = null;
		if (!Proxy.isProxyClass(targetClass)) {
			for (Method method : ReflectionUtils.getAllDeclaredMethods(ClassUtils.getUserClass(targetClass))) {
				if (inspect(method, targetClass)) {
					found = method;
					closed = Modifier.isFinal(method.getModifiers()) ? method : closed;
				}
			}
		}
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
			for (Method method : type.getMethods()) {
				found = inspect(method, targetClass) ? method : found;
			}
		}
		return new Locked(found, closed);
	}

	private static boolean mayBeLocked(Class<?> targetClass) {
		try {
			return LockAnnotations.isAnywhereIn(targetClass);
		}
		catch (AnnotationConfigurationException ex) {
			return true;
		}
	}

	private boolean inspect(Method method, Class<?> targetClass) {
		if (method.isSynthetic()) {
			return false;
		}
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			if (LockAnnotations.isOn(method)) {
				throw ProxyCheck.notInterceptable(method, targetClass);
			}
			return false;
		}
		if (!isLocked(method, targetClass)) {
			return false;
		}
		if (this.validation != LockValidation.OFF) {
			validate(method, targetClass);
		}
		return true;
	}

	private void validate(Method method, Class<?> targetClass) {
		try {
			// Nothing is kept of the many methods without an annotation.
			this.specs.put(new MethodClassKey(method, targetClass), resolve(method, targetClass));
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

	private static AnnotatedMethod subject(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		// The methods of a JDK proxy are final and have no parameter names.
		Method specific = Proxy.isProxyClass(userClass) ? method : AopUtils.getMostSpecificMethod(method, userClass);
		return new AnnotatedMethod(specific, userClass);
	}

	private static List<MergedAnnotation<DistributedLock>> annotations(Method method, AnnotatedMethod subject) {
		return LockAnnotations.find(method, subject.method(), subject.targetClass());
	}

	private List<LockSpec> resolve(Method method, Class<?> targetClass) {
		AnnotatedMethod subject = subject(method, targetClass);
		try {
			return annotations(method, subject).stream()
				.map((annotation) -> this.factory.create(annotation, subject))
				.toList();
		}
		catch (AnnotationConfigurationException ex) {
			throw subject.invalid("its attributes contradict each other: " + ex.getMessage(),
					"Set either key or value, not both", ex);
		}
	}

	/**
	 * What is annotated in a class.
	 *
	 * @param any one of the annotated methods; {@code null} if there is none
	 * @param closed an annotated method that no class can override, if there is one
	 */
	private record Locked(@Nullable Method any, @Nullable Method closed) {

	}

}
