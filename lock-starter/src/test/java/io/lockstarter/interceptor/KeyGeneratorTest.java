// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.LockKeyGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Several keys of one annotation, and keys that a bean makes.
 */
class KeyGeneratorTest {

	private static final AtomicInteger CREATED = new AtomicInteger();

	private final RecordingRegistry registry = new RecordingRegistry();

	@Test
	void severalKeysAreOneLock() {
		try (LockedContext context = start()) {
			context.bean(Bank.class).transfer("b", "a");
		}
		assertThat(this.registry.events).containsExactly("acquired account:b, account:a, all/1, all/2",
				"released account:b, account:a, all/1, all/2");
	}

	@Test
	void generatorMakesOneKeyOrSeveral() {
		try (LockedContext context = start()) {
			Bank bank = context.bean(Bank.class);
			bank.generated("one");
			bank.generated(Optional.of(2L));
			bank.generated(new TreeSet<>(Set.of("b", "a")));
			bank.generated(new int[] { 3, 4 });
			bank.throughInterface("named");
		}
		assertThat(this.registry.keys).containsExactly("one", "2", "a", "b", "3", "4", "named");
	}

	@Test
	void generatorIsCreatedByTheFirstCall() {
		CREATED.set(0);
		try (LockedContext context = start()) {
			assertThat(CREATED).hasValue(0);
			context.bean(Bank.class).generated("k");
			context.bean(Bank.class).generated("k");
			assertThat(CREATED).hasValue(1);
		}
	}

	@Test
	void generatedKeyThatIsNothingIsRefusedAndTheMethodDoesNotRun() {
		try (LockedContext context = start()) {
			Bank bank = context.bean(Bank.class);
			refused(() -> bank.generated(null), "its result is null");
			refused(() -> bank.generated(" "), "its result is blank");
			refused(() -> bank.generated(List.of()), "its result has no elements");
			refused(() -> bank.generated(List.of("a", " ")), "its result is blank");
			refused(() -> bank.generated(new Object()), "its result is a java.lang.Object, which has no text");
			refused(() -> bank.generated(Arrays.asList("a", null)), "its result has an element that is null");
		}
		assertThat(this.registry.keys).isEmpty();
	}

	@Test
	void generatorKnowsTheCallAndCannotChangeIt() {
		try (LockedContext context = start()) {
			assertThat(context.bean(Bank.class).described("x", 1)).isEqualTo("x1");
		}
		assertThat(this.registry.keys).containsExactly("Bank.described[x, 1]");
	}

	private LockedContext start() {
		return LockedContext.withProperties(this.registry, Map.of("generator", "keys"), Beans.class, Bank.class);
	}

	private static void refused(Runnable call, String problem) {
		assertThatIllegalArgumentException().isThrownBy(call::run)
			.withMessageStartingWith("What keyGenerator \"keys\" made for @DistributedLock on " + Bank.class.getName()
					+ ".generated(Object) cannot be locked: " + problem);
	}

	@Configuration(proxyBeanMethods = false)
	static class Beans {

		@Bean
		@Lazy
		LockKeyGenerator keys() {
			CREATED.incrementAndGet();
			return (target, method, arguments) -> arguments[0];
		}

		@Bean
		Describing describing() {
			return new Describing();
		}

	}

	static class Describing implements LockKeyGenerator {

		@Override
		public Object generate(Object target, Method method, @Nullable Object... arguments) {
			String key = target.getClass().getSimpleName() + "." + method.getName() + Arrays.toString(arguments);
			arguments[0] = "changed";
			return key;
		}

	}

	interface Generated {

		@DistributedLock(keyGenerator = "keys")
		void throughInterface(String key);

	}

	static class Bank implements Generated {

		@DistributedLock({ "account:#{#from}", "account:#{#to}", "all/#{{1, 2}}" })
		public void transfer(String from, String to) {
		}

		@DistributedLock(keyGenerator = "${generator}")
		public void generated(@Nullable Object key) {
		}

		@DistributedLock(keyGenerator = "describing")
		public String described(String text, int number) {
			return text + number;
		}

		@Override
		public void throughInterface(String key) {
		}

	}

}
