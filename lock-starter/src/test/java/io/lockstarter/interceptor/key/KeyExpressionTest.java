// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What the text of a key may be, and which keys it becomes.
 */
class KeyExpressionTest {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	static Stream<Arguments> texts() {
		return Stream.of(arguments("order#1", List.of("order#1")), arguments("user@host", List.of("user@host")),
				arguments("user@host.name:8080", List.of("user@host.name:8080")),
				arguments("room #42, c# and f#", List.of("room #42, c# and f#")),
				arguments("it's {fine} + [more]", List.of("it's {fine} + [more]")),
				arguments("new order", List.of("new order")), arguments("methods", List.of("methods")),
				arguments("Total(1)", List.of("Total(1)")), arguments("c# #{'#'}a", List.of("c# #a")),
				arguments("#{'@'}daily", List.of("@daily")),
				// As Spring's cache annotations have it.
				arguments("#id", List.of("7")), arguments(" #p0 ", List.of("7")), arguments("#order.id", List.of("o1")),
				arguments("'stock:' + #id", List.of("stock:7")), arguments("\"stock:\" + #a0", List.of("stock:7")),
				arguments("'stock'", List.of("stock")), arguments("'a#id'", List.of("a#id")),
				arguments("#id + ':' + #order.lines[0].item", List.of("7:pen")),
				arguments("T(java.lang.Math).max(#id, 9L)", List.of("9")),
				arguments("new java.lang.String(#order.id)", List.of("o1")), arguments("{'a', 'b'}", List.of("a", "b")),
				arguments("{#id, #order.id}", List.of("7", "o1")),
				arguments("#id > 5 ? 'many' : 'few'", List.of("many")),
				arguments("@products.prefix + #id", List.of("p-7")),
				arguments("@products.key(#order.id)", List.of("p-o1")),
				arguments("#root.methodName + '/' + #id", List.of("sell/7")),
				// Texts that are put together are the same key as a template of them.
				arguments("'stock:' + #ids", List.of("stock:1", "stock:2", "stock:3")),
				arguments("'stock:' + #maybe + ':' + #id", List.of("stock:o1:7")),
				arguments("#{#id + '/' + #ids}/x", List.of("7/1/x", "7/2/x", "7/3/x")),
				arguments("#id + 1 + 'x'", List.of("8x")), arguments("'x' + #id + 1", List.of("x71")),
				arguments("'x' + (#id + 1)", List.of("x8")), arguments("#{#id + 1}", List.of("8")),
				arguments("'it''s ' + 'a' + 'b'", List.of("it's ab")),
				// Texts that look like templates of others, but name no argument.
				arguments("{shop}:daily", List.of("{shop}:daily")), arguments("{8}:daily", List.of("{8}:daily")),
				arguments("50%discount", List.of("50%discount")), arguments("a%20b", List.of("a%20b")),
				arguments("price<$5", List.of("price<$5")), arguments("#{'{id}'}", List.of("{id}")),
				arguments("#{'stock:{id} %s'}:#{#id}", List.of("stock:{id} %s:7")),
				arguments("{#{#id}}:#{#order.id}", List.of("{7}:o1")), arguments("order:id", List.of("order:id")),
				arguments("order.create", List.of("order.create")),
				// Methods.
				arguments("#{#order.getLines().get(0).item()}", List.of("pen")),
				arguments("#{T(java.lang.String).format('%s-%s', #id, #order.id)}", List.of("7-o1")),
				arguments("#{T(java.lang.Math).getSimpleName()}", List.of("Math")),
				arguments("#{#type.parseInt('8')}", List.of("8")), arguments("#{#id.hashCode()}", List.of("7")),
				arguments("#{#raw.get(0).length()}", List.of("1")), arguments("#{#any.label()}", List.of("order o1")),
				arguments("#{new int[] {4}}", List.of("4")),
				// The call.
				arguments("#{#root.method.name}", List.of("sell")),
				arguments("#{#root.targetClass.simpleName}:#{#root.args[1].id}", List.of("Shop:o1")),
				arguments("#{#root.target.region}", List.of("eu")),
				arguments("#{#root.targetClass}",
						List.of("class io.lockstarter.interceptor.key.KeyExpressionTest$Shop")),
				// Beans.
				arguments("#{@products.key(#id)}", List.of("p-7")),
				arguments("#{@'dotted.name'.prefix}", List.of("p-")),
				// Several keys.
				arguments("stock:#{#ids}", List.of("stock:1", "stock:2", "stock:3")),
				arguments("#{#id}/#{#ids}/x", List.of("7/1/x", "7/2/x", "7/3/x")),
				arguments("#ids", List.of("1", "2", "3")), arguments("#{#order.lines.![item]}", List.of("pen", "ink")),
				arguments("#order.lines.![item].toArray()", List.of("pen", "ink")),
				arguments("#{#order.lines.?[item == 'ink'].![item]}", List.of("ink")),
				arguments("#{@products.regions}", List.of("eu")),
				// Types that say too little are followed as far as they go.
				arguments("#{#any.id}", List.of("o1")), arguments("#{#map['a'].id}", List.of("o1")),
				arguments("#{#map[a].id}", List.of("o1")), arguments("#{#map.get('a').lines[1].item}", List.of("ink")),
				arguments("#{#map.empty}", List.of("false")), arguments("#{#maybe}", List.of("o1")),
				arguments("#{#maybe.get().length()}", List.of("2")), arguments("#{#raw[0]}", List.of("x")),
				arguments("#{#raw.![length()]}", List.of("1")), arguments("#{#order.note}", List.of("n")),
				arguments("#{#order.class.simpleName}", List.of("Order")),
				arguments("#{#order.lines.^[true].item}", List.of("pen")),
				arguments("#{#order.lines.$[#this.item != null].item}", List.of("ink")),
				arguments("#{#order.lines.![item.concat(item)]}", List.of("penpen", "inkink")),
				arguments("#{{x: #id}[x]}", List.of("7")), arguments("#{#order?.id}", List.of("o1")),
				arguments("#{#ids.length}", List.of("3")), arguments("#{#type.simpleName}", List.of("Integer")),
				arguments("#{#type.MAX_VALUE}", List.of("2147483647")),
				arguments("#{T(java.util.List).of(#id, 8)}", List.of("7", "8")));
	}

	@ParameterizedTest
	@MethodSource("texts")
	void textBecomesKeys(String text, List<String> keys) {
		assertThat(parse(text).of(new Shop(), values())).containsExactlyElementsOf(keys);
	}

	@Test
	void collectionIsKnownByItsValueWhereItsTypeDoesNotTell() {
		@Nullable Object[] values = values();
		values[3] = new LinkedHashSet<>(List.of("b", "a"));
		assertThat(parse("#any").of(new Shop(), values)).containsExactly("b", "a");
		assertThatIllegalArgumentException().isThrownBy(() -> parse("#{#any}/#{#raw}").of(new Shop(), values))
			.withMessageContaining("#{#raw} is a second collection: write a key for each");
		values[3] = "single";
		assertThat(parse("#{#any}/#{#raw}").of(new Shop(), values)).containsExactly("single/x");
	}

	@Test
	void wordInBracketsIsTheKeyOfWhatMayBeAMap() {
		@Nullable Object[] values = values();
		values[3] = Map.of("id", 7);
		assertThat(parse("#{#any[id]}").of(new Shop(), values)).containsExactly("7");
	}

	@Test
	void emptyCollectionIsRefusedByTheNameOfItsTemplate() {
		@Nullable Object[] values = values();
		values[2] = new long[0];
		assertThatIllegalArgumentException().isThrownBy(() -> parse("stock:#{#ids}").of(new Shop(), values))
			.withMessage("Key \"stock:#{#ids}\" of @DistributedLock on " + Shop.class.getName()
					+ ".sell(long, Order, long[], Object, Map, Optional, List, Class)"
					+ " cannot be locked: #{#ids} has no elements");
		assertThatIllegalArgumentException().isThrownBy(() -> parse("#ids").of(new Shop(), values))
			.withMessageEndingWith("cannot be locked: #ids has no elements");
	}

	@Test
	void textThatIsPutTogetherIsRefusedLikeOneOfATemplate() {
		@Nullable Object[] values = values();
		values[3] = null;
		assertThatIllegalArgumentException().isThrownBy(() -> parse("'stock:' + #any").of(new Shop(), values))
			.withMessageEndingWith("cannot be locked: #{#any} is null");
		values[3] = new Object();
		assertThatIllegalArgumentException().isThrownBy(() -> parse("#{'stock:' + #any}").of(new Shop(), values))
			.withMessageContaining("#{#any} is a java.lang.Object, which has no text of its own");
	}

	@Test
	void wordThatAMethodHasAnArgumentForIsATextIfTheAnnotationIsOnTheType() {
		AnnotatedMethod subject = new AnnotatedMethod(sell(), Shop.class);
		LockKeys keys = LockKeys.parse(List.of("order"), subject, Shop.class, this.beans);
		assertThat(keys.of(new Shop(), values())).containsExactly("order");
	}

	@Test
	void expressionThatChangesAValueFailsTheCall() {
		for (String text : List.of("#{#id = 5}", "#{#id++}")) {
			assertThatIllegalArgumentException().isThrownBy(() -> parse(text).of(new Shop(), values()))
				.withMessageContaining("cannot be evaluated");
		}
	}

	@Test
	void expressionCannotChangeTheArgumentsOfTheCall() {
		@Nullable Object[] values = values();
		parse("#{T(java.util.Arrays).fill(#root.args, 'x') ?: 'k'}").of(new Shop(), values);
		assertThat(values).containsExactly(values());
	}

	@Test
	void beanOfAKeyIsCreatedByTheFirstCall() {
		KeyExpression key = parse("#{@products.key(#id)}");
		assertThat(this.beans.containsSingleton("products")).isFalse();
		key.of(new Shop(), values());
		assertThat(this.beans.containsSingleton("products")).isTrue();
	}

	private KeyExpression parse(String text) {
		for (String name : List.of("products", "dotted.name")) {
			if (!this.beans.containsBeanDefinition(name)) {
				this.beans.registerBeanDefinition(name, new RootBeanDefinition(Products.class));
			}
		}
		AnnotatedMethod subject = new AnnotatedMethod(sell(), Shop.class);
		return KeyExpression.parse(text, new KeyScope(subject, ArgumentNames.of(sell(), null), this.beans));
	}

	private static Method sell() {
		return Arrays.stream(Shop.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals("sell"))
			.findFirst()
			.orElseThrow();
	}

	private static final Order ORDER = new Order("o1", List.of(new Line("pen"), new Line("ink")));

	private static @Nullable Object[] values() {
		Map<String, Order> map = new HashMap<>(Map.of("a", ORDER));
		return new @Nullable Object[] { 7L, ORDER, IDS, ORDER, map, Optional.of("o1"), List.of("x"), Integer.class };
	}

	private static final long[] IDS = { 1, 2, 3 };

	record Line(String item) {
	}

	static class Order {

		public final String note = "n";

		private final String id;

		private final List<Line> lines;

		Order(String id, List<Line> lines) {
			this.id = id;
			this.lines = lines;
		}

		public String getId() {
			return this.id;
		}

		public List<Line> getLines() {
			return this.lines;
		}

		public String label() {
			return "order " + this.id;
		}

	}

	static class Products {

		public String getPrefix() {
			return "p-";
		}

		public Collection<String> getRegions() {
			return List.of("eu");
		}

		public String key(Object id) {
			return "p-" + id;
		}

	}

	static class Shop {

		public String getRegion() {
			return "eu";
		}

		@SuppressWarnings("rawtypes")
		public void sell(long id, Order order, long[] ids, Object any, Map<String, Order> map, Optional<String> maybe,
				List raw, Class<?> type) {
		}

	}

}
