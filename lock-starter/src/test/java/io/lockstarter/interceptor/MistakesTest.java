package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Attributes that cannot be meant are refused with a message that says what to write.
 */
class MistakesTest {

	private final LockSpecSource specs = new LockSpecSource(
			new LockSpecFactory(new StandardEnvironment()::resolveRequiredPlaceholders));

	static Stream<Arguments> mistakes() {
		return Stream.of(arguments("noKey", "it has no key", "key = \"stock:#{#productId}\""),
				arguments("twoKeys", "contradict each other", "either key or value"),
				arguments("badSpel", "key \"a#{#id\" cannot be parsed", "in #{…}"),
				arguments("cacheStyle", "outside of #{…}", "Write \"#{#order.id}\""),
				arguments("cacheConcat", "outside of #{…}", "Write \"#{'stock:' + #id}\""),
				arguments("mixedStyle", "outside of #{…}", "Write \"stock:#{#id}:#{#id}\""),
				arguments("unknownName", "unknown argument #prodctId", "#a0, #p0, #productId"),
				arguments("nestedUnknownName", "unknown argument #id", "#map"),
				arguments("rootObject", "unknown argument #root", "#productId"),
				arguments("noHash", "refers to 'productId', but a key knows only", "#productId"),
				arguments("noHashNested", "refers to 'map'", "#map"),
				arguments("noHashInside", "refers to 'productId'", "#productId"),
				arguments("noHashInCall", "refers to 'id'", "#map"), arguments("noHashInMap", "refers to 'id'", "#map"),
				arguments("callOnNothing", "refers to 'toString()'", "#productId"),
				arguments("indexOfNothing", "refers to '[0]'", "#productId"),
				arguments("elementOfNothing", "unknown argument #this", "#productId"),
				arguments("bean", "refers to '@products'", "#productId"),
				arguments("function", "refers to '#upper(#productId)'", "#productId"),
				arguments("noArguments", "unknown argument #id", "the method has no arguments"),
				arguments("bareNumber", "ttl = \"30\" has no unit", "Write '30s' for seconds"),
				arguments("bareZero", "waitTime = \"0\" has no unit", "'0s' for"),
				arguments("bareDefault", "ttl = \"${x:30}\" (that is, \"30\") has no unit", "'30s' for"),
				arguments("noDuration", "waitTime = \"soon\" cannot be used", "\"PT30S\""),
				arguments("shortTtl", "ttl = \"1ms\" cannot be used: ttl must be between", "ttl PT0.01S"),
				arguments("negativeWait", "waitTime = \"-1s\" cannot be used: waitTime must be",
						"the others up to that"),
				arguments("longWait", "waitTime = \"366d\"", "PT8760H"),
				arguments("overflow", "ttl = \"9223372036854775807d\"", "\"30s\""),
				arguments("placeholder", "key = \"${no.such.property}\" cannot be resolved", "Set the property"));
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
	void argumentNamesThatTheCompilerDroppedAreExplained() throws NoSuchMethodException {
		LockedMethod subject = new LockedMethod(String.class.getMethod("repeat", int.class), String.class);
		ArgumentNames names = ArgumentNames.of(subject.method(), null);
		assertThatExceptionOfType(LockSetupException.class)
			.isThrownBy(() -> KeyExpressionParser.parse("#{#count}", names, subject))
			.withMessageContaining("java.lang.String.repeat(int)")
			.withMessageContaining("#a0, #p0 (its class was compiled without -parameters)");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "#{#a0.![length()]} | [1, 2]", "#{#a0.![#this.length]} | [1, 2]",
					"#{#a0.?[length() > 1][0]} | bb", "#{#a0.![concat(toUpperCase())]} | [aA, bbBB]",
					"#{{x: #a0[1]}[x]} | bb", "#{#a0?.get(0)} | a", "#{new String(#a0[0])} | a",
					"#{T(String).join('+', #a0)} | a+bb" })
	void whatHasATargetIsNoMistake(String text, String key) throws NoSuchMethodException {
		LockedMethod subject = new LockedMethod(List.class.getMethod("remove", Object.class), List.class);
		KeyExpression expression = KeyExpressionParser.parse(text, ArgumentNames.of(subject.method(), null), subject);
		assertThat(expression.evaluate(new Object[] { List.of("a", "bb") })).isEqualTo(key);
	}

	@Test
	void literalHashThatNamesNothingIsNoMistake() throws NoSuchMethodException {
		LockedMethod subject = new LockedMethod(String.class.getMethod("length"), String.class);
		KeyExpression key = KeyExpressionParser.parse("room #42, c# #{'#'}a", ArgumentNames.of(subject.method(), null),
				subject);
		assertThat(key.evaluate(new Object[0])).isEqualTo("room #42, c# #a");
	}

	static class Mistakes {

		@DistributedLock("")
		void noKey() {
		}

		@DistributedLock(key = "a", value = "b")
		void twoKeys() {
		}

		@DistributedLock("a#{#id")
		void badSpel(long id) {
		}

		@DistributedLock("#order.id")
		void cacheStyle(Object order) {
		}

		@DistributedLock("'stock:' + #id")
		void cacheConcat(long id) {
		}

		@DistributedLock("stock:#id:#{#id}")
		void mixedStyle(long id) {
		}

		@DistributedLock("stock:#{#prodctId}")
		void unknownName(long productId) {
		}

		@DistributedLock("#{#map[#id]}")
		void nestedUnknownName(Map<String, String> map) {
		}

		@DistributedLock("#{#root.args[0]}")
		void rootObject(long productId) {
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

		@DistributedLock("#{#map.get({id: id}.id)}")
		void noHashInMap(Map<String, String> map) {
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

		@DistributedLock("#{@products.key(#productId)}")
		void bean(long productId) {
		}

		@DistributedLock("#{#upper(#productId)}")
		void function(long productId) {
		}

		@DistributedLock("stock:#{#id}")
		void noArguments() {
		}

		@DistributedLock(key = "k", ttl = "30")
		void bareNumber() {
		}

		@DistributedLock(key = "k", waitTime = "0")
		void bareZero() {
		}

		@DistributedLock(key = "k", ttl = "${x:30}")
		void bareDefault() {
		}

		@DistributedLock(key = "k", waitTime = "soon")
		void noDuration() {
		}

		@DistributedLock(key = "k", ttl = "1ms")
		void shortTtl() {
		}

		@DistributedLock(key = "k", waitTime = "-1s")
		void negativeWait() {
		}

		@DistributedLock(key = "k", waitTime = "366d")
		void longWait() {
		}

		@DistributedLock(key = "k", ttl = "9223372036854775807d")
		void overflow() {
		}

		@DistributedLock("${no.such.property}")
		void placeholder() {
		}

	}

}
