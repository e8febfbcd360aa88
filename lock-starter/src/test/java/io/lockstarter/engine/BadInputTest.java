// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.text.PrintableText;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for what cannot be locked, and for how long not: refused before any command, with
 * a message that names the culprit.
 */
class BadInputTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private static final Duration MILLI = Duration.ofMillis(1);

	private final ManualEngine engine = new ManualEngine();

	static Stream<Arguments> badKeys() {
		return Stream.of(arguments(null, "null"), arguments("", "blank"), arguments(" \t ", "blank"),
				arguments("x".repeat(1_025), "1025 characters"),
				arguments("x".repeat(10_000_000), "10000000 characters"),
				arguments(text("x", 0x0A, "2026 ERROR admin: FORGED" + "x".repeat(1_100)), "'x\\u000a2026 ERROR"),
				arguments(text("stock", 0x0A, "42"), "stock\\u000a42"),
				arguments(text("stock", 0x00, "42"), "stock\\u000042"),
				arguments(text("", 0x1B, "[31mred"), "\\u001b[31mred"),
				arguments(text("stock", 0x7F, ""), "stock\\u007f"),
				arguments(text("stock", 0x85, "42"), "stock\\u008542"),
				arguments(text("stock", 0x9B, "42"), "stock\\u009b42"),
				arguments(text("stock", 0x202E, "42"), "stock\\u202e42"),
				arguments(text("stock", 0x2028, "42"), "stock\\u202842"),
				arguments(text("stock", 0x2029, "42"), "stock\\u202942"),
				arguments(text("stock", 0xD800, ""), "surrogates"), arguments(text("", 0xDC00, "stock"), "surrogates"),
				arguments(text(text("", 0xDC00, ""), 0xD800, ""), "surrogates"));
	}

	@ParameterizedTest
	@MethodSource("badKeys")
	void aKeyThatCannotBeUsedIsRefusedByEveryMethod(String key, String culprit) {
		DefaultLockRegistry registry = this.engine.registry();
		List<ThrowingUse> uses = List.of(() -> registry.acquire(key, DEFAULTS),
				() -> registry.tryAcquire(key, DEFAULTS), () -> registry.tryCall(key, DEFAULTS, (scope) -> true),
				() -> registry.obtain(key), () -> registry.obtain(key, DEFAULTS),
				() -> registry.call(key, DEFAULTS, (scope) -> true));
		for (ThrowingUse use : uses) {
			assertThatIllegalArgumentException().isThrownBy(use::run)
				.withMessageContaining(culprit)
				.satisfies((failure) -> assertThat(failure.getMessage()).hasSizeLessThan(1_300)
					.matches(PrintableText::isPrintable));
		}
		assertThat(registry.acquireAsync(key, DEFAULTS)).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(IllegalArgumentException.class)
			.withMessageContaining(culprit);
		assertThat(this.engine.store().journal()).isEmpty();
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "stock:42", " a b ", "{stock}42", "재고:42", "🔒", "👩‍💻", "a", "%s%d{}'\"*?[]" })
	void anyOtherTextIsAKey(String key) {
		assertThat(this.engine.lease(key, DEFAULTS).key()).isEqualTo(key);
		assertThat(this.engine.store().acquires().last().command().key()).isEqualTo(key);
	}

	@Test
	void tooManyKeysAreRefusedBeforeAnyCommand() {
		List<String> keys = IntStream.rangeClosed(0, 1_000).mapToObj((i) -> "stock:" + i).toList();
		DefaultLockRegistry registry = this.engine.registry();
		List<ThrowingUse> uses = List.of(() -> registry.obtainAll(keys, DEFAULTS).key(),
				() -> registry.acquireAll(keys, DEFAULTS), () -> registry.callAll(keys, DEFAULTS, (scope) -> true));
		for (ThrowingUse use : uses) {
			assertThatIllegalArgumentException().isThrownBy(use::run)
				.withMessage("1001 keys are too many to be locked at once, at most 1000; "
						+ "lock them in parts, or one key that stands for all of them");
		}
		assertThat(this.engine.store().journal()).isEmpty();
		List<String> repeated = Stream.concat(keys.stream().skip(1), keys.stream().skip(1)).toList();
		assertThat(registry.obtainAll(repeated, DEFAULTS).key()).endsWith("stock:999");
	}

	@Test
	void theLongestKeyIsAKey() {
		String key = "x".repeat(1_024);
		assertThat(this.engine.lease(key, DEFAULTS).key()).isEqualTo(key);
	}

	static Stream<Arguments> badOptions() {
		return Stream.of(
				bad("ttl", (value) -> DEFAULTS.withTtl(value), Duration.ZERO, MILLI.multipliedBy(9),
						MILLI.multipliedBy(10).minusNanos(1), MILLI.negated(), FOREVER, FOREVER.negated(),
						Duration.ofDays(365).plusNanos(1)),
				bad("waitTime", (value) -> DEFAULTS.withWaitTime(value), Duration.ofNanos(-1), FOREVER,
						FOREVER.negated(), Duration.ofDays(366)),
				bad("maxHold", (value) -> DEFAULTS.withMaxHold(value), Duration.ZERO, MILLI.negated(), FOREVER,
						FOREVER.negated(), Duration.ofDays(366)))
			.flatMap((arguments) -> arguments);
	}

	@ParameterizedTest
	@MethodSource("badOptions")
	void aDurationOutOfRangeIsRefusedByItsName(String name, Function<Duration, Object> use, Duration value) {
		assertThatIllegalArgumentException().isThrownBy(() -> use.apply(value))
			.withMessageContaining(name)
			.withMessageContaining(DurationText.of(value));
	}

	@Test
	void aMaximumHoldWithoutRenewalIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withRenew(false).withMaxHold(Duration.ofDays(1)))
			.withMessageContaining("maxHold")
			.withMessageContaining("renew");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> DEFAULTS.withMaxHold(Duration.ofDays(1)).withRenew(false));
	}

	@Test
	void theLimitsThemselvesAreAllowed() {
		LockOptions least = DEFAULTS.withTtl(MILLI.multipliedBy(10))
			.withWaitTime(Duration.ZERO)
			.withMaxHold(MILLI.multipliedBy(10));
		assertThat(this.engine.lease("least", least).isValid()).isTrue();
		LockOptions most = DEFAULTS.withTtl(LockOptions.MAX_DURATION)
			.withWaitTime(LockOptions.MAX_DURATION)
			.withMaxHold(LockOptions.MAX_DURATION);
		assertThat(this.engine.lease("most", most).remaining()).isGreaterThan(Duration.ofDays(361));
	}

	@ParameterizedTest
	@MethodSource("badNames")
	void aNameThatCannotBeUsedIsRefused(String name, String culprit) {
		assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withName(name))
			.withMessageContaining("name must")
			.withMessageContaining(culprit);
	}

	static Stream<Arguments> badNames() {
		return Stream.of(arguments(null, "not be blank"), arguments("", "not be blank"),
				arguments(" \t", "not be blank"), arguments("x".repeat(256), "has 256"),
				arguments(text("stock", 0x0A, ""), "is 'stock\\u000a'"),
				arguments(text("stock", 0x9B, ""), "is 'stock\\u009b'"),
				arguments(text("stock", 0x202E, ""), "is 'stock\\u202e'"));
	}

	@Test
	void theLeaseHasTheNameOfItsOptions() {
		assertThat(this.engine.lease("stock:42", DEFAULTS.withName("stock")).name()).isEqualTo("stock");
		assertThat(this.engine.lease("stock:43", DEFAULTS).name()).isEqualTo(LockOptions.DEFAULT_NAME);
		assertThat(this.engine.lease("x", DEFAULTS.withName("재고 ".repeat(85))).name()).hasSize(255);
	}

	@Test
	void optionsLeaveWhatIsNotNamedAsItIs() {
		LockOptions options = DEFAULTS.withTtl(Duration.ofSeconds(1))
			.withWaitTime(Duration.ofSeconds(2))
			.withMaxHold(Duration.ofSeconds(3))
			.withName("stock");
		assertThat(options.ttl()).isEqualTo(Duration.ofSeconds(1));
		assertThat(options.waitTime()).isEqualTo(Duration.ofSeconds(2));
		assertThat(options.maxHold()).isEqualTo(Duration.ofSeconds(3));
		assertThat(options.name()).isEqualTo("stock");
		LockOptions back = options.withTtl(null).withWaitTime(null).withMaxHold(null).withName("unnamed");
		assertThat(back).isEqualTo(DEFAULTS).hasSameHashCodeAs(DEFAULTS).isNotEqualTo(options);
		assertThat(back).hasToString("LockOptions[ttl=null, waitTime=null, renew=true, maxHold=null, minHold=null, "
				+ "releaseMode=null, mode=EXCLUSIVE, name=unnamed]");
	}

	@ParameterizedTest
	@ValueSource(longs = { Long.MIN_VALUE, -1, 0 })
	void aNegativeWaitOfALockTriesOnce(long time) throws Exception {
		this.engine.store().acquires().answer((command) -> ScriptedStore.busy("other:1", Duration.ofMinutes(1)));
		assertThat(this.engine.registry().obtain("key").tryLock(time, TimeUnit.DAYS)).isFalse();
		assertThat(this.engine.store().journal()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a:b", "a!b", "a&b", "a b", "a\tb", "a\u001b[31mb", "a\u009bb" })
	void anInstanceIdThatWouldMixUpOwnerIdsIsRefused(String instance) {
		assertThatIllegalArgumentException().isThrownBy(
				() -> new DefaultLockRegistry(instance, this.engine.store(), RegistrySettings.defaults(), List.of()))
			.withMessageContaining("instance id");
	}

	static Stream<Arguments> badSettings() {
		return Stream.of(
				bad("ttl", (value) -> settings(value, MILLI, MILLI, MILLI, MILLI, MILLI), Duration.ZERO,
						MILLI.negated(), FOREVER),
				bad("waitTime", (value) -> settings(Duration.ofSeconds(1), value, MILLI, MILLI, MILLI, MILLI),
						MILLI.negated(), FOREVER),
				bad("commandTimeout", (value) -> settings(Duration.ofSeconds(1), MILLI, value, MILLI, MILLI, MILLI),
						Duration.ZERO, MILLI.negated(), FOREVER),
				bad("pollInterval", (value) -> settings(Duration.ofSeconds(1), MILLI, MILLI, value, MILLI, MILLI),
						Duration.ZERO, MILLI.negated(), FOREVER),
				bad("slice", (value) -> settings(Duration.ofSeconds(1), MILLI, MILLI, MILLI, value, MILLI),
						MILLI.negated(), FOREVER),
				bad("shutdownGrace", (value) -> settings(Duration.ofSeconds(1), MILLI, MILLI, MILLI, MILLI, value),
						MILLI.negated(), FOREVER))
			.flatMap((arguments) -> arguments);
	}

	@ParameterizedTest
	@MethodSource("badSettings")
	void aSettingOutOfRangeIsRefusedByItsName(String name, Function<Duration, Object> use, Duration value) {
		assertThatIllegalArgumentException().isThrownBy(() -> use.apply(value))
			.withMessageContaining(name)
			.withMessageContaining(DurationText.of(value));
	}

	@ParameterizedTest
	@ValueSource(doubles = { -0.01, 0.51, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY })
	void aDriftOutOfRangeIsRefusedByItsName(double drift) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RegistrySettings.defaults()
				.withTtl(Duration.ofSeconds(1))
				.withWaitTime(MILLI)
				.withDrift(drift)
				.withCommandTimeout(MILLI)
				.withPollInterval(MILLI)
				.withSlice(MILLI)
				.withShutdownGrace(MILLI))
			.withMessageContaining("drift")
			.withMessageContaining(String.valueOf(drift));
	}

	private static String text(String before, int character, String after) {
		return before + (char) character + after;
	}

	private static RegistrySettings settings(Duration ttl, Duration waitTime, Duration commandTimeout,
			Duration pollInterval, Duration slice, Duration shutdownGrace) {
		return RegistrySettings.defaults()
			.withTtl(ttl)
			.withWaitTime(waitTime)
			.withCommandTimeout(commandTimeout)
			.withPollInterval(pollInterval)
			.withSlice(slice)
			.withShutdownGrace(shutdownGrace);
	}

	private static Stream<Arguments> bad(String name, Function<Duration, Object> use, Duration... values) {
		return Stream.of(values).map((value) -> arguments(name, use, value));
	}

	/**
	 * One way to name a key.
	 */
	interface ThrowingUse {

		Object run() throws Exception;

	}

}
