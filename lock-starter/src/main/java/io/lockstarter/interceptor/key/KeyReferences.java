/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.interceptor.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Checks what an expression refers to: arguments, beans, and properties of their declared
 * types. What follows a method call or an index is left to the first call.
 */
final class KeyReferences {

	private static final ResolvableType UNKNOWN = ResolvableType.NONE;

	private static final Accessor ACCESSOR = new Accessor();

	private final String text;

	private final String corrected;

	private final KeyScope scope;

	/**
	 * Create the check of one key.
	 * @param text the text of the key
	 * @param corrected the same text with a template for each variable
	 * @param scope what the key may refer to
	 */
	KeyReferences(String text, String corrected, KeyScope scope) {
		this.text = text;
		this.corrected = corrected;
		this.scope = scope;
	}

	/**
	 * Check an expression.
	 * @param expression its tree
	 * @throws LockSetupException if it refers to something that does not exist
	 */
	void check(SpelNode expression) {
		check(expression, false);
	}

	// Returns the type as far as it is known. Inside of a projection, selection or map, a
	// word without # is no mistake.
	private ResolvableType check(SpelNode node, boolean words) {
		if (node instanceof VariableReference) {
			return variable(node.toStringAST().substring(1), words);
		}
		if (node instanceof BeanReference) {
			return bean(node.toStringAST());
		}
		if (!words && (node instanceof PropertyOrFieldReference || node instanceof MethodReference
				|| node instanceof Indexer)) {
			throw withoutTarget(node.toStringAST());
		}
		if (node instanceof CompoundExpression) {
			ResolvableType type = check(node.getChild(0), words);
			for (int i = 1; i < node.getChildCount(); i++) {
				type = follow(node.getChild(i), type, words);
			}
			return type;
		}
		checkChildren(node, words || node instanceof InlineMap);
		return UNKNOWN;
	}

	private ResolvableType follow(SpelNode node, ResolvableType target, boolean words) {
		if (node instanceof PropertyOrFieldReference property) {
			return property(property.getName(), target, property.isNullSafe());
		}
		Class<?> type = target.resolve();
		boolean named = node instanceof Indexer
				&& (type == null || type == Object.class || type == Optional.class || Map.class.isAssignableFrom(type));
		checkChildren(node, words || named || node instanceof Projection || node instanceof Selection);
		return UNKNOWN;
	}

	private void checkChildren(SpelNode node, boolean words) {
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), words);
		}
	}

	private ResolvableType variable(String name, boolean words) {
		if (name.equals("root")) {
			return ResolvableType.forClass(KeyRoot.class);
		}
		if (name.equals("this") && words) {
			return UNKNOWN;
		}
		Integer index = this.scope.names().indexOf(name);
		if (index == null) {
			throw invalid("refers to the unknown argument #" + name, useArguments());
		}
		AnnotatedMethod subject = this.scope.subject();
		return ResolvableType.forType(subject.method().getGenericParameterTypes()[index],
				ResolvableType.forClass(subject.targetClass()).as(subject.method().getDeclaringClass()));
	}

	private ResolvableType bean(String reference) {
		String name = reference.replaceFirst("^@", "").replace("'", "");
		if (!this.scope.beans().contains(name)) {
			throw invalid("refers to the bean '%s', which does not exist".formatted(name),
					"Define it, or name another; a literal @ in front is written #{'@'}");
		}
		Class<?> type = this.scope.beans().type(name);
		// What a method that makes a bean declares is often less than the bean is.
		return (type == null || Modifier.isAbstract(type.getModifiers())) ? UNKNOWN : ResolvableType.forClass(type);
	}

	private ResolvableType property(String name, ResolvableType target, boolean nullSafe) {
		Class<?> declared = target.resolve();
		if (declared == null || declared == Object.class || declared.isArray()) {
			return UNKNOWN;
		}
		if (declared == KeyRoot.class && name.equals("target")) {
			return ResolvableType.forClass(this.scope.subject().targetClass());
		}
		if (declared == KeyRoot.class && name.equals("targetClass")) {
			checkTargetClass();
		}
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
		ResolvableType found = ACCESSOR.find(name, type, target);
		if (found == null && type == Optional.class && nullSafe) {
			return property(name, target.getGeneric(0), false);
		}
		if (found == null && type != Class.class) {
			throw invalid(
					"refers to '%s', which %s does not have".formatted(name,
							(type == KeyRoot.class) ? "#root" : target.toString()),
					Map.class.isAssignableFrom(type) ? "Write ['%s'] for the value of a map".formatted(name)
							: "Use one of: " + propertyNames(type));
		}
		return (found != null) ? found : UNKNOWN;
	}

	private void checkTargetClass() {
		Class<?> type = this.scope.subject().targetClass();
		if (Proxy.isProxyClass(type) || type.isHidden()) {
			throw invalid("refers to #root.targetClass, which is generated in each JVM",
					"Use #root.method.declaringClass");
		}
	}

	private static String propertyNames(Class<?> type) {
		Stream<String> fields = Arrays.stream(type.getFields()).map(Field::getName);
		Stream<String> getters = Arrays.stream(type.getMethods())
			.filter((method) -> method.getParameterCount() == 0 && method.getReturnType() != void.class
					&& method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers()))
			.map((method) -> method.getName().replaceFirst("^(get|is)(?=[A-Z])", ""))
			.map((name) -> name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1))
			.filter((name) -> !name.equals("hashCode") && !name.equals("toString"));
		return Stream.concat(fields, getters).distinct().sorted().collect(Collectors.joining(", "));
	}

	private LockSetupException withoutTarget(String word) {
		boolean root = ACCESSOR.find(word, KeyRoot.class, ResolvableType.forClass(KeyRoot.class)) != null;
		return invalid("refers to '%s', but a key knows only the arguments, written with #".formatted(word),
				root ? "Write #root." + word : useArguments());
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

		@Nullable ResolvableType find(String name, Class<?> type, ResolvableType target) {
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
