package io.lockstarter.interceptor.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

/**
 * Follows the declared types through an expression, and refuses what no call could
 * evaluate: a variable, bean, property or method that does not exist. Where a type says
 * too little, as {@code Object} or {@code List<?>} do, everything may exist.
 */
final class KeyTypes {

	private static final ResolvableType UNKNOWN = ResolvableType.NONE;

	private static final Accessor ACCESSOR = new Accessor();

	private final String text;

	private final @Nullable String corrected;

	private final KeyScope scope;

	/**
	 * Create the types of one expression.
	 * @param text the text of the key
	 * @param corrected the text with a template for each variable, if it is an expression
	 * as a whole
	 * @param scope what the expression may refer to
	 */
	KeyTypes(String text, @Nullable String corrected, KeyScope scope) {
		this.text = text;
		this.corrected = corrected;
		this.scope = scope;
	}

	/**
	 * Return the type of an expression.
	 * @param expression its tree
	 * @return the type as far as it is known
	 */
	ResolvableType of(SpelNode expression) {
		return visit(expression, null);
	}

	// What has no target of its own refers to an element, inside of a projection or
	// selection, and else to nothing: an expression begins with a variable or a bean.
	private ResolvableType visit(SpelNode node, @Nullable ResolvableType element) {
		if (node instanceof CompoundExpression) {
			ResolvableType type = visit(node.getChild(0), element);
			for (int i = 1; i < node.getChildCount(); i++) {
				type = follow(node.getChild(i), type, element);
			}
			return type;
		}
		if (needsTarget(node)) {
			if (element == null) {
				throw withoutTarget(node);
			}
			return follow(node, element, element);
		}
		if (node instanceof VariableReference) {
			return variable(node.toStringAST().substring(1), element);
		}
		if (node instanceof BeanReference) {
			return bean(node.toStringAST());
		}
		if (node instanceof TypeReference type) {
			return type(type);
		}
		if (node instanceof FunctionReference) {
			throw invalid("calls the function '%s', but a key knows none".formatted(node.toStringAST()),
					"Call a method of an argument, a bean or a type, as in T(java.lang.Math).abs(#p0)");
		}
		if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			throw invalid("changes a value with '%s'".formatted(node.toStringAST()),
					"Write an expression that only reads, for example == to compare");
		}
		visitChildren(node, element);
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (value != null) ? ResolvableType.forClass(value.getClass()) : UNKNOWN;
		}
		return (node instanceof InlineList) ? ResolvableType.forClass(List.class) : UNKNOWN;
	}

	private void visitChildren(SpelNode node, @Nullable ResolvableType element) {
		boolean named = node instanceof InlineMap;
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			// The key in {key: 1} stands for itself.
			if (!(named && i % 2 == 0 && child instanceof PropertyOrFieldReference)) {
				visit(child, element);
			}
		}
	}

	private static boolean needsTarget(SpelNode node) {
		return node instanceof PropertyOrFieldReference || node instanceof MethodReference || node instanceof Indexer
				|| node instanceof Projection || node instanceof Selection;
	}

	private ResolvableType follow(SpelNode node, ResolvableType target, @Nullable ResolvableType element) {
		if (node instanceof PropertyOrFieldReference property) {
			return property(property.getName(), target, property.isNullSafe());
		}
		if (node instanceof MethodReference method) {
			visitChildren(node, element);
			return method(method, target);
		}
		if (node instanceof Indexer) {
			return index(node, target, element);
		}
		ResolvableType unwrapped = unwrapped(target, node);
		if (node instanceof Projection) {
			ResolvableType type = visit(node.getChild(0), element(unwrapped));
			Class<?> resolved = type.resolve();
			return (resolved != null && !type.hasUnresolvableGenerics())
					? ResolvableType.forClassWithGenerics(List.class, type) : ResolvableType.forClass(List.class);
		}
		if (node instanceof Selection) {
			ResolvableType one = element(unwrapped);
			visit(node.getChild(0), one);
			boolean all = node.toStringAST().startsWith("?");
			return all ? unwrapped : (isMap(unwrapped) ? UNKNOWN : one);
		}
		visit(node, element);
		return UNKNOWN;
	}

	private ResolvableType variable(String name, @Nullable ResolvableType element) {
		if (name.equals("this") && element != null) {
			return element;
		}
		if (name.equals("root")) {
			return ResolvableType.forClass(KeyRoot.class);
		}
		Integer index = this.scope.names().indexOf(name);
		if (index == null) {
			throw invalid("refers to the unknown argument #" + name,
					"Use one of: " + this.scope.names() + asText("; or, if it is meant as text, write \"%s\""));
		}
		AnnotatedMethod subject = this.scope.subject();
		Type type = subject.method().getGenericParameterTypes()[index];
		return ResolvableType.forType(type,
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

	private ResolvableType type(TypeReference reference) {
		try {
			StandardEvaluationContext context = new StandardEvaluationContext();
			context.setTypeLocator(this.scope.beans().types());
			Object type = reference.getValue(new ExpressionState(context));
			return (type instanceof Class<?> found) ? ResolvableType.forClassWithGenerics(Class.class, found) : UNKNOWN;
		}
		catch (EvaluationException ex) {
			throw invalid("refers to the type '%s', which does not exist".formatted(reference.toStringAST()),
					"Write its name with the package, as in T(java.time.LocalDate)");
		}
	}

	private ResolvableType property(String name, ResolvableType target, boolean nullSafe) {
		Class<?> type = known(target);
		if (type == null) {
			return UNKNOWN;
		}
		if (type == KeyRoot.class && name.equals("target")) {
			return ResolvableType.forClass(this.scope.subject().targetClass());
		}
		if (type == KeyRoot.class && name.equals("targetClass")) {
			return targetClass();
		}
		if (type.isArray() && name.equals("length")) {
			return ResolvableType.forClass(Integer.class);
		}
		ResolvableType found = ACCESSOR.find(name, type, target);
		if (found != null) {
			return found;
		}
		if (type == Class.class) {
			Class<?> named = target.getGeneric(0).resolve();
			if (named == null || named == Object.class || ACCESSOR.findStatic(name, named)) {
				return UNKNOWN;
			}
		}
		if (type == Optional.class && nullSafe) {
			return property(name, target.getGeneric(0), false);
		}
		throw invalid("refers to '%s', which %s does not have".formatted(name, describe(target)),
				Map.class.isAssignableFrom(type) ? "Write ['%s'] for the value of a map".formatted(name)
						: "Use one of: " + propertyNames(type));
	}

	private ResolvableType targetClass() {
		Class<?> type = this.scope.subject().targetClass();
		if (Proxy.isProxyClass(type) || type.isHidden()) {
			throw invalid("refers to #root.targetClass, which is generated in each JVM",
					"Use #root.method.declaringClass");
		}
		return ResolvableType.forClassWithGenerics(Class.class, type);
	}

	private ResolvableType method(MethodReference call, ResolvableType target) {
		Class<?> type = known(target);
		if (type == null) {
			return UNKNOWN;
		}
		int count = call.getChildCount();
		List<Method> named = methods(type).filter((method) -> method.getName().equals(call.getName())).toList();
		List<Method> fitting = named.stream().filter((method) -> takes(method, count)).toList();
		if (!fitting.isEmpty()) {
			return resultOf(fitting, target);
		}
		if (type == Class.class) {
			Class<?> of = target.getGeneric(0).resolve();
			if (of == null || of == Object.class
					|| methods(of).anyMatch((method) -> method.getName().equals(call.getName())
							&& Modifier.isStatic(method.getModifiers()) && takes(method, count))) {
				return UNKNOWN;
			}
		}
		if (type == Optional.class && call.isNullSafe()) {
			return method(call, target.getGeneric(0));
		}
		throw invalid(
				named.isEmpty() ? "calls '%s', which %s does not have".formatted(call.getName(), describe(target))
						: "calls '%s' of %s with %d arguments".formatted(call.getName(), describe(target), count),
				named.isEmpty() ? "Use one of: " + methodNames(type)
						: "Use one of: " + named.stream().map(KeyTypes::signature).sorted().collect(listed()));
	}

	private static boolean takes(Method method, int count) {
		return method.isVarArgs() ? count >= method.getParameterCount() - 1 : count == method.getParameterCount();
	}

	private static ResolvableType resultOf(List<Method> methods, ResolvableType target) {
		Method first = methods.get(0);
		boolean same = methods.stream()
			.allMatch((method) -> method.getGenericReturnType().equals(first.getGenericReturnType()));
		return same ? ResolvableType.forType(first.getGenericReturnType(), target.as(first.getDeclaringClass()))
				: UNKNOWN;
	}

	private ResolvableType index(SpelNode node, ResolvableType target, @Nullable ResolvableType element) {
		ResolvableType container = unwrapped(target, node);
		Class<?> type = known(container);
		SpelNode position = node.getChild(0);
		boolean name = position instanceof PropertyOrFieldReference && (type == null || isMap(container));
		if (!name) {
			visit(position, element);
		}
		if (type == null) {
			return UNKNOWN;
		}
		if (isMap(container)) {
			return container.asMap().getGeneric(1);
		}
		return (type.isArray() || Collection.class.isAssignableFrom(type)) ? element(container) : UNKNOWN;
	}

	private static ResolvableType element(ResolvableType container) {
		if (container.isArray()) {
			return container.getComponentType();
		}
		Class<?> type = container.resolve();
		if (type == null || !Iterable.class.isAssignableFrom(type)) {
			return UNKNOWN;
		}
		return container.as(Iterable.class).getGeneric(0);
	}

	private static boolean isMap(ResolvableType type) {
		Class<?> resolved = type.resolve();
		return resolved != null && Map.class.isAssignableFrom(resolved);
	}

	private static ResolvableType unwrapped(ResolvableType type, SpelNode node) {
		boolean nullSafe = node instanceof SpelNodeImpl impl && impl.isNullSafe();
		return (nullSafe && type.resolve() == Optional.class) ? type.getGeneric(0) : type;
	}

	private static @Nullable Class<?> known(ResolvableType type) {
		Class<?> resolved = type.resolve();
		return (resolved == null || resolved == Object.class) ? null : ClassUtils.resolvePrimitiveIfNecessary(resolved);
	}

	private static Stream<Method> methods(Class<?> type) {
		Stream<Method> methods = Arrays.stream(type.getMethods()).filter((method) -> !method.isBridge());
		return type.isInterface() ? Stream.concat(methods, Arrays.stream(Object.class.getMethods())) : methods;
	}

	private static String methodNames(Class<?> type) {
		return names(methods(type).map(Method::getName));
	}

	private static String propertyNames(Class<?> type) {
		Stream<String> fields = Arrays.stream(type.getFields()).map(Field::getName);
		Stream<String> getters = methods(type)
			.filter((method) -> method.getParameterCount() == 0 && method.getReturnType() != void.class
					&& method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers()))
			.map((method) -> method.getName().replaceFirst("^(get|is)(?=[A-Z])", ""))
			.map((name) -> name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1))
			.filter((name) -> !name.equals("hashCode") && !name.equals("toString"));
		return names(Stream.concat(fields, getters));
	}

	private static String names(Stream<String> names) {
		return new TreeSet<>(names.toList()).stream().collect(listed());
	}

	private static Collector<CharSequence, ?, String> listed() {
		return Collectors.joining(", ");
	}

	private static String signature(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", method.getName() + "(", ")"));
	}

	private static String describe(ResolvableType type) {
		Class<?> resolved = type.resolve();
		return (resolved == KeyRoot.class) ? "#root" : type.toString();
	}

	private LockSetupException withoutTarget(SpelNode node) {
		String written = node.toStringAST();
		boolean root = ACCESSOR.find(written, KeyRoot.class, ResolvableType.forClass(KeyRoot.class)) != null;
		return invalid("refers to '%s', but a key knows only the arguments, written with #".formatted(written),
				root ? "Write #root." + written
						: "Use one of: " + this.scope.names() + asText("; or, if it is meant as text, write \"%s\""));
	}

	private String asText(String remedy) {
		return (this.corrected != null && !this.corrected.equals(this.text)) ? remedy.formatted(this.corrected) : "";
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

		boolean findStatic(String name, Class<?> type) {
			return findGetterForProperty(name, type, true) != null || findField(name, type, true) != null;
		}

	}

}
