// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Checks what an expression refers to: arguments, beans, types, and properties and
 * methods of what they are declared as. What follows an index is left to the first call.
 *
 * @param corrected the text with a template for each variable
 */
record KeyReferences(String text, String corrected, KeyScope scope) {

	private static final ResolvableType UNKNOWN = ResolvableType.NONE;

	private static final ResolvableType ROOT = ResolvableType.forClass(KeyRoot.class);

	void check(SpelNode expression) {
		check(expression, false);
	}

	// Returns the type as far as it is known. Inside of a projection, selection or map, a
	// word without # is no mistake.
	private ResolvableType check(SpelNode node, boolean words) {
		String text = node.toStringAST();
		if (node instanceof VariableReference) {
			return variable(text.substring(1), words);
		}
		if (node instanceof BeanReference) {
			return bean(text.replaceFirst("^@", "").replace("'", ""));
		}
		if (node instanceof TypeReference) {
			return ResolvableType.forClassWithGenerics(Class.class, type(node.getChild(0).toStringAST()));
		}
		if (node instanceof ConstructorReference) {
			var unused = type(node.getChild(0).toStringAST());
		}
		if (node instanceof FunctionReference) {
			throw invalid("calls the function %s, which does not exist".formatted(text),
					"Call a method of an argument, a bean or a type");
		}
		if (node instanceof CompoundExpression) {
			ResolvableType type = check(node.getChild(0), words);
			for (int i = 1; i < node.getChildCount(); i++) {
				type = follow(node.getChild(i), type, words);
			}
			return type;
		}
		if (!words && (node instanceof PropertyOrFieldReference || node instanceof MethodReference
				|| node instanceof Indexer)) {
			throw invalid("refers to '%s', but a key knows only the arguments, written with #".formatted(text),
					(Accessor.INSTANCE.find(text, ROOT) != null) ? "Write #root." + text : useArguments());
		}
		return checkChildren(node, words || node instanceof InlineMap);
	}

	private ResolvableType follow(SpelNode node, ResolvableType target, boolean words) {
		if (node instanceof PropertyOrFieldReference property) {
			return property(property.getName(), target, property.isNullSafe());
		}
		if (node instanceof MethodReference call) {
			var unused = checkChildren(node, words);
			return method(call, target);
		}
		Class<?> type = target.resolve(Object.class);
		boolean named = node instanceof Indexer
				&& (type == Object.class || type == Optional.class || Map.class.isAssignableFrom(type));
		return checkChildren(node, words || named || node instanceof Projection || node instanceof Selection);
	}

	private ResolvableType checkChildren(SpelNode node, boolean words) {
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), words);
		}
		return UNKNOWN;
	}

	private ResolvableType variable(String name, boolean words) {
		if (name.equals("root")) {
			return ROOT;
		}
		if (name.equals("this") && words) {
			return UNKNOWN;
		}
		Integer index = this.scope.names().indexOf(name);
		if (index == null) {
			throw invalid("refers to the unknown argument #" + name, useArguments());
		}
		Method method = this.scope.subject().method();
		return ResolvableType.forType(method.getGenericParameterTypes()[index],
				ResolvableType.forClass(this.scope.subject().targetClass()).as(method.getDeclaringClass()));
	}

	private ResolvableType bean(String name) {
		if (!this.scope.beans().containsBean(name)) {
			throw invalid("refers to the bean '%s', which does not exist".formatted(name),
					"Define it, or name another; a literal @ in front is written #{'@'}");
		}
		Class<?> type = BeanFactoryUtils.isFactoryDereference(name) ? null : this.scope.beans().getType(name, false);
		// What a method that makes a bean declares is often less than the bean is.
		return (type == null || Modifier.isAbstract(type.getModifiers())) ? UNKNOWN : ResolvableType.forClass(type);
	}

	private ResolvableType property(String name, ResolvableType target, boolean nullSafe) {
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(target.resolve(Object.class));
		if (type == Object.class || type.isArray()) {
			return UNKNOWN;
		}
		Class<?> targetClass = this.scope.subject().targetClass();
		if (type == KeyRoot.class && name.equals("target")) {
			return ResolvableType.forClass(targetClass);
		}
		if (type == KeyRoot.class && name.equals("targetClass")
				&& (Proxy.isProxyClass(targetClass) || targetClass.isHidden())) {
			throw invalid("refers to #root.targetClass, which is generated in each JVM",
					"Use #root.method.declaringClass");
		}
		ResolvableType found = Accessor.INSTANCE.find(name, target);
		if (found == null && type == Optional.class && nullSafe) {
			return property(name, target.getGeneric(0), false);
		}
		if (found == null && type != Class.class) {
			throw invalid(
					"refers to '%s', which %s does not have".formatted(name,
							(type == KeyRoot.class) ? "#root" : target.toString()),
					Map.class.isAssignableFrom(type) ? "Write ['%s'] for the value of a map".formatted(name)
							: useOneOf(propertyNames(type)));
		}
		return (found != null) ? found : UNKNOWN;
	}

	private ResolvableType method(MethodReference call, ResolvableType target) {
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(target.resolve(Object.class));
		boolean ofClass = type == Class.class;
		if (ofClass && target.getGeneric().getType() instanceof Class<?> named) {
			type = named;
		}
		if (type == Object.class || type == Class.class || type.isArray()) {
			return UNKNOWN;
		}
		List<Method> methods = Stream.of(type, ofClass ? Class.class : Object.class)
			.flatMap((each) -> Arrays.stream(each.getMethods()))
			.filter((method) -> !ofClass || method.getDeclaringClass() == Class.class
					|| Modifier.isStatic(method.getModifiers()))
			.toList();
		List<Method> fitting = methods.stream().filter((method) -> fits(method, call)).toList();
		if (fitting.isEmpty() && type == Optional.class && call.isNullSafe()) {
			return method(call, target.getGeneric());
		}
		if (fitting.isEmpty()) {
			throw invalid(
					"calls %s with %d arguments, which %s does not have".formatted(call.getName(), call.getChildCount(),
							(type == KeyRoot.class) ? "#root" : target.toString()),
					useOneOf(methods.stream()
						.filter((method) -> !ReflectionUtils.isObjectMethod(method))
						.map((method) -> "%s(%d)".formatted(method.getName(), method.getParameterCount()))
						.distinct()
						.sorted()
						.collect(Collectors.joining(", "))));
		}
		List<ResolvableType> results = fitting.stream()
			.filter((method) -> !method.isBridge())
			.map((method) -> resultOf(method, target))
			.distinct()
			.toList();
		return (results.size() == 1) ? results.get(0) : UNKNOWN;
	}

	private static boolean fits(Method method, MethodReference call) {
		int count = method.getParameterCount();
		return method.getName().equals(call.getName())
				&& (method.isVarArgs() ? call.getChildCount() >= count - 1 : call.getChildCount() == count);
	}

	// Which type a variable of the method itself stands for, the arguments tell.
	private static ResolvableType resultOf(Method method, ResolvableType target) {
		Type result = method.getGenericReturnType();
		return (result instanceof TypeVariable<?> variable && variable.getGenericDeclaration() instanceof Method)
				? UNKNOWN : ResolvableType.forType(result, target.as(method.getDeclaringClass()));
	}

	private Class<?> type(String name) {
		try {
			boolean primitive = !name.contains(".") && Character.isLowerCase(name.charAt(0));
			return primitive ? Object.class
					: new StandardTypeLocator(this.scope.beans().getBeanClassLoader()).findType(name);
		}
		catch (EvaluationException ex) {
			throw invalid("refers to the type %s, which does not exist".formatted(name), "Write its full name");
		}
	}

	private static String propertyNames(Class<?> type) {
		Stream<String> fields = Arrays.stream(type.getFields()).map(Field::getName);
		Stream<String> getters = Arrays.stream(type.getMethods())
			.filter((method) -> method.getParameterCount() == 0 && method.getReturnType() != void.class
					&& !ReflectionUtils.isObjectMethod(method) && !Modifier.isStatic(method.getModifiers()))
			.map((method) -> StringUtils.uncapitalize(method.getName().replaceFirst("^(get|is)(?=[A-Z])", "")));
		return Stream.concat(fields, getters).distinct().sorted().collect(Collectors.joining(", "));
	}

	private static String useOneOf(String names) {
		return names.isEmpty() ? "It has nothing that is public: give it a public getter" : "Use one of: " + names;
	}

	private String useArguments() {
		return "Use one of: " + this.scope.names() + (this.corrected.equals(this.text) ? ""
				: "; or, if it is meant as text, write \"%s\"".formatted(this.corrected));
	}

	private LockSetupException invalid(String problem, String remedy) {
		return this.scope.subject().invalid("key \"%s\" %s".formatted(this.text, problem), remedy);
	}

	/**
	 * Finds properties in the way in which expressions do.
	 */
	private static final class Accessor extends ReflectivePropertyAccessor {

		private static final Accessor INSTANCE = new Accessor();

		@Nullable ResolvableType find(String name, ResolvableType target) {
			Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(target.resolve(Object.class));
			Method getter = findGetterForProperty(name, type, false);
			if (getter == null && type.isInterface()) {
				getter = findGetterForProperty(name, Object.class, false);
			}
			if (getter != null) {
				return ResolvableType.forType(getter.getGenericReturnType(), target.as(getter.getDeclaringClass()));
			}
			Field field = findField(name, type, false);
			return (field != null)
					? ResolvableType.forType(field.getGenericType(), target.as(field.getDeclaringClass())) : null;
		}

	}

}
