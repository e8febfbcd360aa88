package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Knows what to lock for each method of each class; looked up once.
 */
final class LockSpecSource {

	private final LockSpecFactory factory;

	private final Map<MethodClassKey, List<LockSpec>> specs = new ConcurrentHashMap<>();

	private final Map<Class<?>, Boolean> lockedClasses = new ConcurrentHashMap<>();

	LockSpecSource(LockSpecFactory factory) {
		this.factory = factory;
	}

	/**
	 * Return what to lock for a method.
	 * @param method the method, possibly of an interface or a bridge
	 * @param targetClass the class of the object it is called on
	 * @return what each annotation says, outermost first; empty if there is none
	 */
	List<LockSpec> find(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		List<LockSpec> found = this.specs.get(key);
		return (found != null) ? found : this.specs.computeIfAbsent(key, (absent) -> resolve(method, targetClass));
	}

	/**
	 * Return whether any method of a class is annotated, after a look at each of them: so
	 * a mistake in the last one fails at start-up too, not at its first call.
	 * @param targetClass the class
	 * @return whether any method is annotated
	 */
	boolean hasLockedMethods(Class<?> targetClass) {
		return this.lockedClasses.computeIfAbsent(targetClass, this::inspect);
	}

	private boolean inspect(Class<?> targetClass) {
		boolean found = false;
		if (!Proxy.isProxyClass(targetClass)) {
			for (Method method : ReflectionUtils.getAllDeclaredMethods(ClassUtils.getUserClass(targetClass))) {
				found |= inspect(method, targetClass);
			}
		}
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
			for (Method method : type.getMethods()) {
				found |= inspect(method, targetClass);
			}
		}
		return found;
	}

	private boolean inspect(Method method, Class<?> targetClass) {
		if (method.isSynthetic()) {
			return false;
		}
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			if (LockAnnotations.isOn(method)) {
				throw notInterceptable(method, targetClass);
			}
			return false;
		}
		List<LockSpec> found = resolve(method, targetClass);
		if (!found.isEmpty() && Modifier.isFinal(method.getModifiers())) {
			throw notInterceptable(method, targetClass);
		}
		// Nothing is kept of the many methods without an annotation.
		if (!found.isEmpty()) {
			this.specs.put(new MethodClassKey(method, targetClass), found);
		}
		return !found.isEmpty();
	}

	private static LockSetupException notInterceptable(Method method, Class<?> targetClass) {
		return new LockedMethod(method, ClassUtils.getUserClass(targetClass)).invalid(
				"a method that is private, static or final is never intercepted and would run without the lock",
				"Make it overridable, or call LockRegistry.call in its body");
	}

	private List<LockSpec> resolve(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		// The methods of a JDK proxy are final and have no parameter names.
		Method specific = Proxy.isProxyClass(userClass) ? method : AopUtils.getMostSpecificMethod(method, userClass);
		LockedMethod subject = new LockedMethod(specific, userClass);
		try {
			return LockAnnotations.find(method, specific, userClass)
				.stream()
				.map((annotation) -> this.factory.create(annotation, subject))
				.toList();
		}
		catch (AnnotationConfigurationException ex) {
			throw subject.invalid("its attributes contradict each other: " + ex.getMessage(),
					"Set either key or value, not both", ex);
		}
	}

}
