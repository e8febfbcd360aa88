// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.interceptor.key.LockKeys;
import io.lockstarter.testkit.PlainLockServices;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Attributes that cannot be meant are refused with a message that says what to write.
 */
class MistakesTest {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final PlainLockServices services = new PlainLockServices(new RecordingRegistry());

	private final LockSpecSource specs = new LockSpecSource(
			new LockSpecFactory(this.services, Duration.ofMinutes(1), this.beans), LockValidation.FAIL);

	@BeforeEach
	void define() {
		this.beans.registerBeanDefinition("products", new RootBeanDefinition(Products.class));
	}

	static Stream<Arguments> mistakes() {
		return Stream.of(arguments("noKey", "it has no key", "key = \"stock:#{#productId}\""),
				arguments("blankKeys", "it has no key", "Say what to lock"),
				arguments("oneBlankKey", "its key \"${none:}\" is blank", "leave this key out"),
				arguments("lineBreak",
						"key \"stock:#{#id}\\u000a\" has a character that no key may have, shown as an escape",
						"Leave it out"),
				arguments("otherDirection", "key \"a\\u202eb\" has a character that no key", "Leave it out"),
				arguments("twoKeys", "contradict each other", "either key or value"),
				arguments("badSpel", "key \"a#{#id\" cannot be parsed", "in #{…}"),
				arguments("badSecondKey", "key \"b:#{#ib}\" refers to the unknown argument #ib", "#a0, #id, #p0"),
				arguments("keyAndGenerator", "both a key and keyGenerator = \"keys\"", "Keep one of them"),
				arguments("noGenerator", "keyGenerator = \"missing\" is not the name of a bean",
						"Define a LockKeyGenerator bean"),
				arguments("otherGenerator", "keyGenerator = \"products\" is a bean of type",
						"whose type is LockKeyGenerator"),
				arguments("mixedStyle", "outside of #{…}",
						"Write \"stock:#{#id}:#{#id}\"; a literal # is written #{'#'}"),
				arguments("mixedStyleAndCalculation", "outside of #{…}", "Write \"#{#id + 'a'}:#{#id}\"; a literal"),
				arguments("textAndVariable", "outside of #{…}", "Write \"stock:#{#id}\""),
				arguments("wordAndVariable", "outside of #{…}", "Write \"user#{#id}\""),
				arguments("quoteAndTemplate", "outside of #{…}", "the whole of the expression"),
				arguments("callAndTemplate", "outside of #{…}", "the whole of the expression"),
				arguments("typeAndTemplate", "outside of #{…}", "the whole of the expression"),
				arguments("openQuote", "outside of #{…}", "begins with #{\"'\"}"),
				arguments("minusBetween", "would be calculated",
						"Write \"#{#a}-#{#b}\" for the values with text between them, or \"#{#a-#b}\""),
				arguments("slashBetween", "would be calculated", "Write \"#{#a}/#{#b}\""),
				arguments("wordMinus", "would be calculated", "Write \"stock-#{#id}\""),
				arguments("unknownWord", "would be calculated", "Write \"stock > #{#id}\""),
				arguments("unknownName", "unknown argument #prodctId", "#a0, #p0, #productId"),
				arguments("cacheUnknownName", "unknown argument #prodctId",
						"if it is meant as text, write \"'stock:' + #{#prodctId}\""),
				arguments("nestedUnknownName", "unknown argument #id", "#map"),
				arguments("noHash", "refers to 'productId', but a key knows only", "#productId"),
				arguments("noHashNested", "refers to 'map'", "#map"),
				arguments("noHashInside", "refers to 'productId'", "#productId"),
				arguments("noHashInCall", "refers to 'id'", "#map"),
				arguments("noHashInList", "refers to 'index'", "#list"),
				arguments("noRoot", "refers to 'methodName', but a key knows only", "Write #root.methodName"),
				arguments("callOnNothing", "refers to 'toString()'", "#productId"),
				arguments("indexOfNothing", "refers to '[0]'", "#productId"),
				arguments("elementOfNothing", "unknown argument #this", "#productId"),
				arguments("noArguments", "unknown argument #id", "the method has no arguments"),
				arguments("unknownBean", "the bean 'product', which does not exist",
						"a literal @ in front is written #{'@'}"),
				arguments("braces", "key \"a:{#productId}\" has an expression outside", "Write \"a:#{#productId}\"; a"),
				arguments("bareBean", "the bean 'daily', which does not exist", "#{'@'}"),
				arguments("rootTypo", "refers to 'methodNam', which #root does not have",
						"args, method, methodName, target, targetClass"),
				arguments("targetTypo",
						"refers to 'regoin', which io.lockstarter.interceptor.MistakesTest$Mistakes does not have",
						"Use one of: region"),
				arguments("property",
						"key \"stock:#{#order.idd}\" refers to 'idd', which io.lockstarter.interceptor.MistakesTest$Order does not have",
						"Use one of: id, lines, name, note"),
				arguments("recordProperty", "refers to 'itm'", "Use one of: item"),
				arguments("propertyOfNothing", "refers to 'id', which",
						"nothing that is public: give it a public getter"),
				arguments("methodOfNothing", "calls id with 0 arguments", "nothing that is public: give it a public"),
				arguments("mapProperty", "refers to 'name', which java.util.Map<java.lang.String, ?> does not have",
						"Write ['name']"),
				arguments("optionalProperty", "refers to 'id', which java.util.Optional<", "get"),
				arguments("safeOptionalProperty",
						"refers to 'idd', which io.lockstarter.interceptor.MistakesTest$Order", "id"),
				arguments("stringProperty", "refers to 'size', which java.lang.String does not have", "blank, bytes"),
				arguments("interfaceProperty",
						"refers to 'nam', which io.lockstarter.interceptor.MistakesTest$Named does not have",
						"Use one of: name"),
				arguments("genericProperty", "refers to 'idd'", "id"),
				arguments("namedBraces", "has '{productId}', which would be taken literally: one lock for all values",
						"Write #{#productId} in place of it, or #{'{productId}'} if it is meant as text"),
				arguments("propertyInBraces", "has '{order.id}'", "Write #{#order.id} in"),
				arguments("bracesBesideATemplate", "has '{b}'", "Write #{#b} in"),
				arguments("numberedBraces", "has '{0}'", "Write #{#p0} in"),
				arguments("emptyBraces", "has '{}'", "Write #{…} with one of: #a0, #p0, #productId in"),
				arguments("format", "has '%s'", "Write #{…} with one of: #a0, #p0, #productId in"),
				arguments("formatOfAPosition", "has '%1$d'", "#productId"),
				arguments("dollar", "has '$productId'", "Write #{#productId} in"),
				arguments("angles", "has '<productId>'", "Write #{#productId} in"),
				arguments("word", "has 'productId'", "Write #{#productId} in place of it, or #{'productId'} if"),
				arguments("pathOfWords", "has 'order.id'", "Write #{#order.id} in"),
				arguments("callOfAWord", "has 'order.getId()'", "Write #{#order.getId()} in"),
				arguments("sumOfWords", "outside of #{…}", "the whole of the expression"),
				arguments("unknownMethod",
						"calls code with 0 arguments, which io.lockstarter.interceptor.MistakesTest$Order does not have",
						"Use one of: getId(0), getLines(0), getName(0), label(1), unit(0)"),
				arguments("unknownOverload", "calls label with 0 arguments", "label(1)"),
				arguments("methodOfAResult", "calls size with 0 arguments, which java.lang.String does not have",
						"length(0)"),
				arguments("propertyOfAResult", "refers to 'itm'", "Use one of: item"),
				arguments("methodOfAPrimitive", "calls foo with 0 arguments", "longValue(0)"),
				arguments("methodOfAnInterface", "calls nam with 0 arguments", "Use one of: getName(0)"),
				arguments("safeOptionalMethod", "calls code with 0 arguments", "getId(0)"),
				arguments("methodOfTheRoot", "calls getMethodNam with 0 arguments, which #root does not have",
						"getMethodName(0)"),
				arguments("methodOfABean", "calls keys with 1 arguments", "Use one of: key(1)"),
				arguments("staticMethod", "calls mox with 2 arguments", "max(2)"),
				arguments("unknownType", "the type java.lang.Mathh, which does not exist", "its full name"),
				arguments("unknownConstructor", "the type Strin, which does not exist", "its full name"),
				arguments("function", "calls the function #format('a'), which does not exist",
						"a method of an argument"),
				arguments("bareNumber", "ttl = \"30\" has no unit", "Write '30s' for seconds"),
				arguments("bareZero", "waitTime = \"0\" has no unit", "'0s' for"),
				arguments("bareHold", "minHold = \"5\" has no unit", "Write '5s' for seconds"),
				arguments("bareDefault", "ttl = \"${x:30}\" (that is, \"30\") has no unit", "'30s' for"),
				arguments("noDuration", "waitTime = \"soon\" cannot be used", "\"PT30S\""),
				arguments("shortTtl", "ttl = \"1ms\" cannot be used: ttl must be between", "ttl 10 ms"),
				arguments("zeroTtl", "ttl = \"0s\" cannot be used: ttl must be between 10 ms", "ttl 10 ms"),
				arguments("negativeTtl", "ttl = \"-30s\" cannot be used: ttl must be between 10 ms", "ttl 10 ms"),
				arguments("negativeWait", "waitTime = \"-1s\" cannot be used: waitTime must be",
						"the others up to that"),
				arguments("longTtl", "ttl = \"2m\" is longer than 'distributed-lock.quorum.max-ttl', which is 1 min",
						"Shorten it, or lengthen"),
				arguments("longHold", "minHold = \"2m\" is longer than 'distributed-lock.quorum.max-ttl'",
						"Shorten it"),
				arguments("shortMaxHold", "maxHold is 5 s, but the lease lasts for its ttl, which is 10 s, in any case",
						"Shorten ttl, or lengthen maxHold"),
				arguments("shorterThanTheDefault",
						"maxHold is 29 s, but the lease lasts for its ttl, which is 30 s by 'distributed-lock.ttl', in any case",
						"Shorten ttl, or lengthen maxHold"),
				arguments("negativeHold", "minHold = \"PT-1S\" cannot be used: minHold must be",
						"the others up to that"),
				arguments("nameOfAKey", "name = \"stock:#{#id}\" contains an expression",
						"Write a name that is the same for all keys, or leave it out for \"Mistakes.nameOfAKey\""),
				arguments("blankName", "name = \" \" cannot be used: name must not be blank",
						"Write another name, or leave it out for \"Mistakes.blankName\""),
				arguments("placeholderInName", "name = \"${no.such.property}\" cannot be resolved", "Set the property"),
				arguments("longWait", "waitTime = \"366d\"", "\"PT30S\", or \"unlimited\"; ttl 10 ms to 365 days"),
				arguments("overflow", "ttl = \"9223372036854775807d\"", "\"30s\""),
				arguments("placeholder", "key = \"${no.such.property}\" cannot be resolved", "Set the property"),
				arguments("placeholderInTtl", "ttl = \"${no.such.property}\" cannot be resolved", "Set the property"),
				arguments("skipPrimitive", "onBusy = SKIP has nothing to return, as its result is the primitive long",
						"Return Long or an Optional"),
				arguments("skipAndFallback", "onBusy = SKIP and fallback = \"spare\" contradict each other",
						"Keep one of them"),
				arguments("noFallback", "fallback = \"missing\" does not exist",
						"same parameters, optionally followed by a LockNotAcquiredException, that returns java.lang.String"),
				arguments("selfFallback", "fallback = \"selfFallback\" is the annotated method itself",
						"Name another method"),
				arguments("fallbackParameters", "has another signature: java.lang.String fewer()",
						"returns java.lang.String"),
				arguments("fallbackOrder",
						"has another signature: java.lang.String failureFirst(io.lockstarter.LockNotAcquiredException, long)",
						"same parameters"),
				arguments("fallbackFailure",
						"has another signature: java.lang.String otherFailure(long, java.io.IOException)",
						"LockNotAcquiredException"),
				arguments("fallbackObject",
						"has another signature: java.lang.String takesObject(long, java.lang.Object)",
						"LockNotAcquiredException"),
				arguments("fallbackBoxed", "has another signature: java.lang.String boxed(java.lang.Long)",
						"same parameters"),
				arguments("fallbackGeneric",
						"has another signature: java.lang.String names(java.util.List<java.lang.String>)",
						"same parameters"),
				arguments("fallbackResult", "has another signature: long number(long)", "returns java.lang.String"),
				arguments("fallbackGenericResult", "has another signature: java.util.List<java.lang.Integer> numbers()",
						"returns java.util.List<java.lang.String>"),
				arguments("fallbackVoid", "has another signature: void nothing(long)", "returns java.lang.String"),
				arguments("fallbackAmbiguous",
						"fallback = \"vague\" is ambiguous: java.lang.String vague(java.io.Serializable) and java.lang.String vague(java.lang.CharSequence)",
						"Keep one"),
				arguments("fallbackAnnotated", "fallback = \"locked\" is annotated itself",
						"Take the annotation off it"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void mistakeInAnAttributeIsRefusedWithItsRemedy(String name, String problem, String remedy) {
		Method method = Arrays.stream(Mistakes.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		LockSetupException failure = catchThrowableOfType(LockSetupException.class,
				() -> this.specs.find(method, Mistakes.class));
		assertThat(failure.problem()).contains("@DistributedLock on " + Mistakes.class.getName() + "." + name + "(",
				problem);
		assertThat(failure.remedy()).contains(remedy);
		assertThat(failure).hasMessage(failure.problem() + ". " + failure.remedy() + ".");
	}

	@Test
	void everyMistakeHasItsRow() {
		assertThat(Arrays.stream(Mistakes.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(DistributedLock.class) && !method.getName().equals("locked"))
			.map(Method::getName))
			.containsExactlyInAnyOrderElementsOf(mistakes().map((arguments) -> arguments.get()[0].toString()).toList());
	}

	@Test
	void releaseAfterATransactionIsRefusedWithoutTransactions() throws NoSuchMethodException {
		LockSpecSource none = new LockSpecSource(new LockSpecFactory(new PlainLockServices(new RecordingRegistry()) {

			@Override
			public boolean hasTransactions() {
				return false;
			}

		}, Duration.ofMinutes(1), this.beans), LockValidation.FAIL);
		Method method = InTransaction.class.getDeclaredMethod("run");
		assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> none.find(method, InTransaction.class))
			.withMessage("@DistributedLock on " + InTransaction.class.getName()
					+ ".run(): releasePhase = AFTER_TRANSACTION needs transactions, but there is no spring-tx. "
					+ "Add org.springframework:spring-tx and a transaction manager, or leave releasePhase out.");
		assertThat(this.specs.find(method, InTransaction.class)).hasSize(1);
	}

	@Test
	void classThatIsMadeInEachJvmIsNoKey() throws NoSuchMethodException {
		Runnable lambda = () -> {
		};
		Object proxy = ProxyFactory.getProxy(Runnable.class, (MethodInterceptor) (invocation) -> null);
		for (Object target : List.of(lambda, proxy)) {
			AnnotatedMethod subject = new AnnotatedMethod(Runnable.class.getMethod("run"), target.getClass());
			assertThatExceptionOfType(LockSetupException.class)
				.isThrownBy(() -> LockKeys.parse(List.of("#{#root.targetClass.name}"), subject, null, this.beans))
				.withMessageContaining("refers to #root.targetClass, which is generated in each JVM")
				.withMessageContaining("#root.method.declaringClass");
		}
	}

	@Test
	void argumentNamesThatTheCompilerDroppedAreExplained() throws NoSuchMethodException {
		AnnotatedMethod subject = new AnnotatedMethod(String.class.getMethod("repeat", int.class), String.class);
		assertThatExceptionOfType(LockSetupException.class)
			.isThrownBy(() -> LockKeys.parse(List.of("#{#count}"), subject, null, this.beans))
			.withMessageContaining("java.lang.String.repeat(int)")
			.withMessageContaining("#a0, #p0 (its class was compiled without -parameters)");
	}

	interface Named {

		String getName();

	}

	record Line(String item) {
	}

	static class Closed {

		String id() {
			return "";
		}

	}

	static class Order implements Named {

		public final String note = "";

		public String getId() {
			return "";
		}

		public List<Line> getLines() {
			return List.of();
		}

		@Override
		public String getName() {
			return "";
		}

		public String label(String prefix) {
			return prefix;
		}

		public static String unit() {
			return "";
		}

	}

	static class Products {

		public String key(Object id) {
			return "p-" + id;
		}

	}

	static class InTransaction {

		@DistributedLock(key = "k", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		void run() {
		}

	}

	@SuppressWarnings({ "UnusedMethod", "NonApiType" })
	static class Mistakes {

		@DistributedLock("")
		void noKey() {
		}

		@DistributedLock(key = { "", " " })
		void blankKeys() {
		}

		@DistributedLock(key = { "a", "${none:}" })
		void oneBlankKey() {
		}

		@DistributedLock(key = "a", value = "b")
		void twoKeys() {
		}

		@DistributedLock("a#{#id")
		void badSpel(long id) {
		}

		@DistributedLock(key = { "a:#{#id}", "b:#{#ib}" })
		void badSecondKey(long id) {
		}

		@DistributedLock(key = "a", keyGenerator = "keys")
		void keyAndGenerator() {
		}

		@DistributedLock(keyGenerator = "missing")
		void noGenerator() {
		}

		@DistributedLock(keyGenerator = "products")
		void otherGenerator() {
		}

		@DistributedLock("stock:#id:#{#id}")
		void mixedStyle(long id) {
		}

		@DistributedLock("#{#id + 'a'}:#id")
		void mixedStyleAndCalculation(long id) {
		}

		@DistributedLock("stock:#id")
		void textAndVariable(long id) {
		}

		@DistributedLock("user#id")
		void wordAndVariable(long id) {
		}

		@DistributedLock("'stock:' + #{#id}")
		void quoteAndTemplate(long id) {
		}

		@DistributedLock("@products.key(#{#id})")
		void callAndTemplate(long id) {
		}

		@DistributedLock("T(java.lang.Math).abs(#{#id})")
		void typeAndTemplate(long id) {
		}

		@DistributedLock("'tis #1")
		void openQuote() {
		}

		@DistributedLock("#a-#b")
		void minusBetween(long a, long b) {
		}

		@DistributedLock("#a/#b")
		void slashBetween(long a, long b) {
		}

		@DistributedLock("stock-#id")
		void wordMinus(long id) {
		}

		@DistributedLock("stock > #id")
		void unknownWord(long id) {
		}

		@DistributedLock("stock:#{#prodctId}")
		void unknownName(long productId) {
		}

		@DistributedLock("'stock:' + #prodctId")
		void cacheUnknownName(long productId) {
		}

		@DistributedLock("#{#map[#id]}")
		void nestedUnknownName(Map<String, String> map) {
		}

		@DistributedLock("stock:#{productId}")
		void noHash(long productId) {
		}

		@DistributedLock("#{map.name}")
		void noHashNested(Map<String, String> map) {
		}

		@DistributedLock("#{'a' + productId}")
		void noHashInside(long productId) {
		}

		@DistributedLock("#{#map.get(id)}")
		void noHashInCall(Map<String, String> map) {
		}

		@DistributedLock("#{#list[index]}")
		void noHashInList(List<String> list, int index) {
		}

		@DistributedLock("#{methodName}")
		void noRoot(long productId) {
		}

		@DistributedLock("#{toString()}")
		void callOnNothing(long productId) {
		}

		@DistributedLock("#{[0]}")
		void indexOfNothing(long productId) {
		}

		@DistributedLock("#{#this}")
		void elementOfNothing(long productId) {
		}

		@DistributedLock("stock:#{#id}")
		void noArguments() {
		}

		@DistributedLock("#{@product.key(#id)}")
		void unknownBean(long id) {
		}

		@DistributedLock("@daily")
		void bareBean() {
		}

		@DistributedLock("#{#root.methodNam}")
		void rootTypo() {
		}

		@DistributedLock("#{#root.target.regoin}")
		void targetTypo() {
		}

		@DistributedLock("stock:#{#order.idd}")
		void property(Order order) {
		}

		@DistributedLock("#{#line.itm}")
		void recordProperty(Line line) {
		}

		@DistributedLock("#{#closed.id}")
		void propertyOfNothing(Closed closed) {
		}

		@DistributedLock("#{#closed.id()}")
		void methodOfNothing(Closed closed) {
		}

		@DistributedLock("#{#map.name}")
		void mapProperty(Map<String, ?> map) {
		}

		@DistributedLock("#{#order.id}")
		void optionalProperty(Optional<Order> order) {
		}

		@DistributedLock("#{#order?.idd}")
		void safeOptionalProperty(Optional<Order> order) {
		}

		@DistributedLock("#{#name.size}")
		void stringProperty(String name) {
		}

		@DistributedLock("#{#named.nam}")
		void interfaceProperty(Named named) {
		}

		@DistributedLock("#{#one.idd}")
		<T extends Order> void genericProperty(T one) {
		}

		@DistributedLock("stock:{productId}")
		void namedBraces(long productId) {
		}

		@DistributedLock("stock:{order.id}")
		void propertyInBraces(Order order) {
		}

		@DistributedLock("#{#a}:{b}")
		void bracesBesideATemplate(long a, long b) {
		}

		@DistributedLock("stock:{0}")
		void numberedBraces(long productId) {
		}

		@DistributedLock("stock:{}")
		void emptyBraces(long productId) {
		}

		@DistributedLock("stock:%s")
		void format(long productId) {
		}

		@DistributedLock("stock:%1$d:x")
		void formatOfAPosition(long productId) {
		}

		@DistributedLock("stock:$productId")
		void dollar(long productId) {
		}

		@DistributedLock("stock:<productId>")
		void angles(long productId) {
		}

		@DistributedLock("productId")
		void word(long productId) {
		}

		@DistributedLock("order.id")
		void pathOfWords(Order order) {
		}

		@DistributedLock("order.getId()")
		void callOfAWord(Order order) {
		}

		@DistributedLock("a + ':' + b")
		void sumOfWords(long a, long b) {
		}

		@DistributedLock("#{#order.code()}")
		void unknownMethod(Order order) {
		}

		@DistributedLock("#{#order.label()}")
		void unknownOverload(Order order) {
		}

		@DistributedLock("#{#order.getId().size()}")
		void methodOfAResult(Order order) {
		}

		@DistributedLock("#{#order.getLines().get(0).itm}")
		void propertyOfAResult(Order order) {
		}

		@DistributedLock("#{#id.foo()}")
		void methodOfAPrimitive(long id) {
		}

		@DistributedLock("#{#named.nam()}")
		void methodOfAnInterface(Named named) {
		}

		@DistributedLock("#{#order?.code()}")
		void safeOptionalMethod(Optional<Order> order) {
		}

		@DistributedLock("#{#root.getMethodNam()}")
		void methodOfTheRoot() {
		}

		@DistributedLock("#{@products.keys(#id)}")
		void methodOfABean(long id) {
		}

		@DistributedLock("#{T(java.lang.Math).mox(#id, 9L)}")
		void staticMethod(long id) {
		}

		@DistributedLock("#{T(java.lang.Mathh).max(#id, 9L)}")
		void unknownType(long id) {
		}

		@DistributedLock("#{new Strin(#name)}")
		void unknownConstructor(String name) {
		}

		@DistributedLock("#{#format('a')}")
		void function() {
		}

		@DistributedLock(key = "k", ttl = "30")
		void bareNumber() {
		}

		@DistributedLock(key = "k", waitTime = "0")
		void bareZero() {
		}

		@DistributedLock(key = "k", minHold = "5")
		void bareHold() {
		}

		@DistributedLock(key = "k", ttl = "${x:30}")
		void bareDefault() {
		}

		@DistributedLock(key = "k", waitTime = "soon")
		void noDuration() {
		}

		@DistributedLock(key = "k", ttl = "2m")
		void longTtl() {
		}

		@DistributedLock(key = "k", minHold = "2m")
		void longHold() {
		}

		@DistributedLock(key = "k", ttl = "10s", maxHold = "5s")
		void shortMaxHold() {
		}

		@DistributedLock("""
				stock:#{#id}
				""")
		void lineBreak(int id) {
		}

		@DistributedLock("a\u202eb")
		void otherDirection() {
		}

		@DistributedLock(key = "k", maxHold = "29s")
		void shorterThanTheDefault() {
		}

		@DistributedLock(key = "k", ttl = "1ms")
		void shortTtl() {
		}

		@DistributedLock(key = "k", ttl = "0s")
		void zeroTtl() {
		}

		@DistributedLock(key = "k", ttl = "-30s")
		void negativeTtl() {
		}

		@DistributedLock(key = "k", waitTime = "-1s")
		void negativeWait() {
		}

		@DistributedLock("a:{#productId}")
		public void braces(long productId) {
		}

		@DistributedLock(key = "k", minHold = "PT-1S")
		void negativeHold() {
		}

		@DistributedLock(key = "k", name = "stock:#{#id}")
		void nameOfAKey(long id) {
		}

		@DistributedLock(key = "k", name = " ")
		void blankName() {
		}

		@DistributedLock(key = "k", name = "${no.such.property}")
		void placeholderInName() {
		}

		@DistributedLock(key = "k", waitTime = "366d")
		void longWait() {
		}

		@DistributedLock(key = "k", ttl = "9223372036854775807d")
		void overflow() {
		}

		@DistributedLock(key = "k", ttl = "${no.such.property}")
		void placeholderInTtl() {
		}

		@DistributedLock("${no.such.property}")
		void placeholder() {
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		long skipPrimitive() {
			return 0;
		}

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP, fallback = "spare")
		String skipAndFallback() {
			return "";
		}

		@DistributedLock(key = "k", fallback = "missing")
		String noFallback(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "selfFallback")
		String selfFallback(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "fewer")
		String fallbackParameters(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "failureFirst")
		String fallbackOrder(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "otherFailure")
		String fallbackFailure(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "takesObject")
		String fallbackObject(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "boxed")
		String fallbackBoxed(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "names")
		String fallbackGeneric(List<Long> ids) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "number")
		String fallbackResult(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "numbers")
		List<String> fallbackGenericResult() {
			return List.of();
		}

		@DistributedLock(key = "k", fallback = "nothing")
		String fallbackVoid(long id) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "vague")
		String fallbackAmbiguous(String name) {
			return "";
		}

		@DistributedLock(key = "k", fallback = "locked")
		String fallbackAnnotated(long id) {
			return "";
		}

		String spare() {
			return "";
		}

		String fewer() {
			return "";
		}

		String failureFirst(LockNotAcquiredException busy, long id) {
			return "";
		}

		String otherFailure(long id, IOException failure) {
			return "";
		}

		String takesObject(long id, Object any) {
			return "";
		}

		String boxed(Long id) {
			return "";
		}

		String names(List<String> names) {
			return "";
		}

		long number(long id) {
			return 0;
		}

		List<Integer> numbers() {
			return List.of();
		}

		void nothing(long id) {
		}

		String vague(CharSequence name) {
			return "";
		}

		String vague(Serializable name) {
			return "";
		}

		@DistributedLock("k")
		String locked(long id) {
			return "";
		}

		public String getRegion() {
			return "";
		}

	}

}
