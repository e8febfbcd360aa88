// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.aot;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.LockAnnotations;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Contributes runtime hints for annotated beans: for their methods and fallbacks, and for
 * what the expressions of their keys read of arguments, beans and types. There are more
 * hints than needed, because a key that cannot be evaluated fails the call.
 */
final class DistributedLockBeanAotProcessor implements BeanRegistrationAotProcessor {

	private static final Pattern BEAN = Pattern.compile("@(?:'([^']+)'|([\\p{L}_$][\\w$]*))");

	private static final Pattern TYPE = Pattern.compile("\\bT\\(\\s*([\\w$.]+)");

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		Set<Method> methods = new LinkedHashSet<>();
		Set<String> keys = new LinkedHashSet<>();
		for (Method method : candidates(type)) {
			List<MergedAnnotation<DistributedLock>> annotations = find(method, type);
			if (!annotations.isEmpty()) {
				methods.add(method);
				annotations.forEach((annotation) -> keys.addAll(List.of(annotation.getStringArray("key"))));
			}
		}
		if (methods.isEmpty()) {
			return null;
		}
		ConfigurableListableBeanFactory factory = bean.getBeanFactory();
		return (context, code) -> {
			RuntimeHints hints = context.getRuntimeHints();
			registerBean(type, hints.reflection());
			methods.forEach((method) -> registerArguments(method, hints.reflection()));
			keys.forEach((key) -> registerReferences(key, factory, hints.reflection()));
		};
	}

	private static Set<Method> candidates(Class<?> type) {
		Set<Method> methods = new LinkedHashSet<>(List.of(ReflectionUtils.getAllDeclaredMethods(type)));
		for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			methods.addAll(List.of(each.getMethods()));
		}
		methods.removeIf(Method::isBridge);
		return methods;
	}

	private static List<MergedAnnotation<DistributedLock>> find(Method method, Class<?> type) {
		try {
			return LockAnnotations.find(method,
					new AnnotatedMethod(ClassUtils.getMostSpecificMethod(method, type), type));
		}
		catch (AnnotationConfigurationException ex) {
			// Fails when the bean is created.
			return List.of();
		}
	}

	private static void registerBean(Class<?> type, ReflectionHints hints) {
		Set<Class<?>> types = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
		for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
			types.add(each);
		}
		types.forEach((each) -> hints.registerType(each, MemberCategory.INVOKE_PUBLIC_METHODS,
				MemberCategory.INVOKE_DECLARED_METHODS));
	}

	private static void registerArguments(Method method, ReflectionHints hints) {
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints, method.getGenericParameterTypes());
		for (Class<?> each : method.getParameterTypes()) {
			DistributedLockRuntimeHints.registerReadable(ClassUtils.resolvePrimitiveIfNecessary(each), hints);
		}
	}

	private static void registerReferences(String key, ConfigurableListableBeanFactory factory, ReflectionHints hints) {
		for (Matcher matcher = BEAN.matcher(key); matcher.find();) {
			String name = (matcher.group(1) != null) ? matcher.group(1) : matcher.group(2);
			Class<?> type = factory.containsBean(name) ? factory.getType(name, false) : null;
			if (type != null) {
				DistributedLockRuntimeHints.registerReadable(ClassUtils.getUserClass(type), hints);
			}
		}
		for (Matcher matcher = TYPE.matcher(key); matcher.find();) {
			String name = matcher.group(1).contains(".") ? matcher.group(1) : "java.lang." + matcher.group(1);
			ClassLoader loader = factory.getBeanClassLoader();
			if (ClassUtils.isPresent(name, loader)) {
				DistributedLockRuntimeHints.registerReadable(ClassUtils.resolveClassName(name, loader), hints);
			}
		}
	}

}
