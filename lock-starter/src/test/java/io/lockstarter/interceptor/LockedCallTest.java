// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;
import kotlin.LazyKt;
import kotlin.Pair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * What happens in one call: the key, the options and the exceptions.
 */
class LockedCallTest {

	private final RecordingRegistry registry = new RecordingRegistry();

	@Test
	void keyIsEvaluatedOnceFromArgumentsByNameByPositionAndByNestedProperty() {
		Counted counted = new Counted(new AtomicInteger());
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			Calls calls = context.bean(Calls.class);
			calls.positions("x", "y");
			calls.nested(new Holder(new Counted(new AtomicInteger(6))));
			calls.counted(counted);
			calls.optional(Optional.of("o"));
		}
		assertThat(this.registry.keys).containsExactly("x/y", "nested:7", "1", "o");
		assertThat(counted.reads()).hasValue(1);
	}

	@Test
	void placeholdersAreResolvedInKeyAndDurations() {
		Map<String, Object> properties = Map.of("region", "eu", "lock.ttl", "PT5S");
		try (LockedContext context = LockedContext.withProperties(this.registry, properties, Configured.class)) {
			context.bean(Configured.class).run(3);
		}
		assertThat(this.registry.keys).containsExactly("eu:3:none");
		assertThat(this.registry.options).isEqualTo(LockOptions.defaults()
			.withName("Configured.run")
			.withTtl(Duration.ofSeconds(5))
			.withWaitTime(Duration.ofMillis(500))
			.withMaxHold(LockOptions.UNLIMITED));
	}

	@Test
	void attributesThatAreNotSetAreLeftToTheRegistry() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			context.bean(Calls.class).positions("x", "y");
		}
		assertThat(this.registry.options).isEqualTo(LockOptions.defaults().withName("Calls.positions"));
	}

	@Test
	void mockThatReturnsNoLockIsNamed() {
		LockRegistry mock = mock();
		try (LockedContext context = LockedContext.withClassProxies(mock, Calls.class)) {
			assertThatIllegalStateException().isThrownBy(() -> context.bean(Calls.class).positions("x", "y"))
				.withMessageContaining("LockRegistry.obtain returned null, as a mock does");
		}
	}

	@Test
	void templateWithoutAValueIsRefusedAndTheMethodDoesNotRun() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			Calls calls = context.bean(Calls.class);
			refused(() -> calls.positions(null, "y"), "#{#p0} is null");
			refused(() -> calls.positions("x", ""), "#{#a1} is empty");
			refused(() -> calls.optional(Optional.empty()), "#{#value} is null");
			refused(() -> calls.nested(null), "cannot be evaluated");
			refused(() -> calls.counted(null), "cannot be evaluated");
			refused(() -> calls.any(" "), "is blank");
		}
		assertThat(this.registry.keys).isEmpty();
	}

	@SuppressWarnings("JavaUtilDate")
	static Stream<Arguments> unstable() {
		List<Object> cycle = new ArrayList<>();
		cycle.add(Optional.of(cycle));
		return Stream.of(arguments(new Object(), "is a java.lang.Object, which has no text"),
				arguments(new byte[] { 1 }, "is a byte[], which has no text of its own: write it as text"),
				arguments(new char[] { 'a' }, "is a char[], which has no text"),
				arguments(new int[0], "has no elements"), arguments(new LinkedHashSet<>(), "has no elements"),
				arguments(Optional.of(List.of()), "has no elements"),
				arguments(Arrays.asList("a", null), "has an element that is null"),
				arguments(List.of("a", ""), "has an element that is empty"), arguments(Set.of(" "), "it is blank"),
				arguments(Map.of("a", 1, "b", 2), "is a java.util.ImmutableCollections$MapN, which may"),
				arguments(new HashMap<>(), "is a java.util.HashMap, which may have another order"),
				arguments(new Date(0), "is a java.util.Date, whose text depends on the time zone"),
				arguments(new Timestamp(0), "use an Instant or a LocalDate"),
				arguments(new GregorianCalendar(), "use an Instant or a LocalDate"),
				arguments(List.of("a", new Object()), "has an element that is a java.lang.Object, which has no text"),
				arguments(new int[][] { { 1 } }, "has an element that is a int[], which has no text"),
				arguments(List.of(Set.of(1L, 2L)), "use a SortedSet or a List"),
				arguments(List.of(new PriorityQueue<>()), "use a SortedSet or a List"),
				arguments(List.of(new TreeMap<>().values()), "use a SortedSet or a List"),
				arguments(List.of(List.of(Optional.of(Set.of()))), "that contains a java.util.ImmutableCollections$"),
				arguments(new TreeMap<>(Map.of("a", new HashSet<>())),
						"is a java.util.TreeMap that contains a java.util.HashSet"),
				arguments(new TreeMap<>(Map.of("a", Map.of(1, 2))), "use a SortedMap"),
				arguments(new TreeSet<>(Set.of(new Date(0))), "has an element that is a java.util.Date"),
				arguments(cycle, "contains a java.util.ArrayList, which is nested too deeply"),
				// What is in a value, and in its text.
				arguments(new Box(new byte[] { 1 }), "Box that contains a byte[], which has no text of its own"),
				arguments(new Box(new Box(new int[] { 1 })), "Box that contains a int[], which has no text"),
				arguments(new Box(new Date(0)), "Box that contains a java.util.Date, whose text depends"),
				arguments(new Box(new HashMap<>(Map.of("a", 1))), "use a SortedMap"),
				arguments(new Box(List.of(new Object())), "that contains a java.lang.Object, which has no text"),
				arguments(List.of(new Box(new Object())), "has an element that is a"),
				arguments(new Box(proxy(new Nameless())), "Nameless"),
				arguments(Map.entry("a", new Nameless()), "that contains a"),
				arguments(new AtomicReference<>(new Nameless()), "is a " + Nameless.class.getTypeName()),
				arguments(new AtomicReference<>(), "is null"), arguments(OptionalInt.empty(), "is null"),
				arguments(OptionalLong.empty(), "is null"), arguments(OptionalDouble.empty(), "is null"),
				arguments(new Pair<>("a", new HashSet<>()), "is a kotlin.Pair that contains a java.util.HashSet"),
				// What stands for another object, or for a result to come.
				arguments(proxy(new Nameless()), "which has no text of its own"),
				arguments(ProxyFactory.getProxy(Runnable.class, new SingletonTargetSource(new Nameless())),
						"which has no text of its own"),
				arguments(new Nameless$$Enhanced(), "which has no text of its own"),
				arguments(CompletableFuture.completedFuture(1), "which is no value yet"),
				arguments(Mono.just("a"), "is a reactor.core.publisher.MonoJust, which is no value yet"),
				arguments(LazyKt.lazyOf("a"), "is a kotlin.InitializedLazyImpl, which is no value yet"),
				arguments((Supplier<String>) () -> "a", "which has no text of its own"),
				arguments(ByteBuffer.allocate(1), "is a java.nio.HeapByteBuffer, which has no text of its own"),
				// What one JVM knows, or calls, otherwise than another.
				arguments(InetAddress.getLoopbackAddress(), "use its hostAddress"),
				arguments(InetSocketAddress.createUnresolved("a", 1), "use its hostAddress"),
				arguments(TimeZone.getTimeZone("UTC"), "use its ID"), arguments(((Runnable) () -> {
				}).getClass(), "is a java.lang.Class, whose text shows an identity"), arguments(((Runnable) () -> {
				}).getClass().getName(), "is a java.lang.String, whose text shows an identity"),
				arguments(proxy(new Nameless()).getClass(), "is a java.lang.Class, whose text shows an identity"),
				arguments(ProxyFactory.getProxy(Runnable.class, new SingletonTargetSource(new Nameless())).getClass(),
						"is a java.lang.Class, whose text shows an identity"),
				arguments("of [I@6d06d69c", "is a java.lang.String, whose text shows an identity"),
				arguments("of com.acme.Order@6d06d69c", "is a java.lang.String, whose text shows an identity"),
				arguments(new Spoken("of com.acme.Order@6d06d69c"),
						"Spoken that contains a java.lang.String, whose text shows an identity"));
	}

	@ParameterizedTest
	@MethodSource("unstable")
	void valueWhoseTextIsNotTheSameInEveryJvmIsRefused(Object value, String problem) {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			Calls calls = context.bean(Calls.class);
			refused(() -> calls.any(value), problem);
		}
		assertThat(this.registry.keys).isEmpty();
	}

	static Stream<Arguments> stable() {
		return Stream.of(arguments(Duration.ZERO, List.of("PT0S")),
				arguments(new TreeMap<>(Map.of("b", List.of(1), "a", Path.of("c"))), List.of("{a=c, b=[1]}")),
				arguments(List.of(2, Optional.of("x")), List.of("2", "x")),
				arguments(List.of(List.of("a", 1), List.of("b", 2)), List.of("[a, 1]", "[b, 2]")),
				arguments(new LinkedHashSet<>(List.of("b", "a")), List.of("b", "a")),
				arguments(new ArrayDeque<>(List.of("only")), List.of("only")),
				arguments(Optional.of(new long[] { 7, 8 }), List.of("7", "8")),
				arguments(new Object[] { "x", Optional.of(1) }, List.of("x", "1")),
				arguments(new Box(List.of(1, new TreeMap<>(Map.of("a", UUID.fromString("0-0-0-0-1"))))),
						List.of("Box[content=[1, {a=00000000-0000-0000-0000-000000000001}]]")),
				// Not by what it has, but by what it says of it.
				arguments(new Hash(new byte[] { 1, -1 }), List.of("01ff")),
				arguments(new Spoken("spoken"), List.of("spoken")), arguments(Spoken.loop(), List.of("loop")),
				arguments(new StringBuilder("ba").reverse(), List.of("ab")),
				arguments(CharBuffer.wrap("ab"), List.of("ab")),
				arguments(new AtomicReference<>(Optional.of(5)), List.of("5")),
				arguments(OptionalInt.of(5), List.of("5")), arguments(OptionalLong.of(5), List.of("5")),
				arguments(OptionalDouble.of(5), List.of("5.0")), arguments(new AtomicInteger(5), List.of("5")),
				arguments(Map.entry("a", 1), List.of("a=1")), arguments(new Pair<>(1, "b"), List.of("(1, b)")),
				arguments(URI.create("a:b@c0ffee"), List.of("a:b@c0ffee")), arguments(TimeUnit.DAYS, List.of("DAYS")),
				arguments(Locale.GERMANY, List.of("de_DE")), arguments(-0.0, List.of("-0.0")),
				arguments(new BigDecimal("1.00"), List.of("1.00")), arguments(int[].class, List.of("class [I")),
				arguments(ZoneId.of("UTC"), List.of("UTC")), arguments(new Slot(5), List.of("slot@5")),
				// Texts of users.
				arguments("bob@cafe", List.of("bob@cafe")), arguments("Bob@decade", List.of("Bob@decade")),
				arguments("bob.Smith@facade.org", List.of("bob.Smith@facade.org")),
				arguments("com.acme.Report@20261128", List.of("com.acme.Report@20261128")),
				arguments("$$x.y@1$Proxy1[I", List.of("$$x.y@1$Proxy1[I")));
	}

	@ParameterizedTest
	@MethodSource("stable")
	void valueWhoseTextIsTheSameInEveryJvmIsTheKeyAndElementsAreKeysEach(Object value, List<String> keys) {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			context.bean(Calls.class).any(value);
		}
		assertThat(this.registry.keys).containsExactlyElementsOf(keys);
	}

	private static Object proxy(Object target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		return factory.getProxy();
	}

	private static void refused(Runnable call, String problem) {
		assertThatIllegalArgumentException().isThrownBy(call::run)
			.withMessageContaining(problem)
			.withMessageContaining(Calls.class.getName())
			.withMessageContaining("Key \"#{");
	}

	@Test
	void exceptionOfTheMethodPassesUnchangedAndTheLockIsReleased() {
		IOException failure = new IOException("disk");
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Failing.class)) {
			assertThatIOException().isThrownBy(() -> context.bean(Failing.class).fail(failure)).isSameAs(failure);
		}
		assertThat(this.registry.events).containsExactly("acquired fail", "released fail");
	}

	@Test
	void interruptBecomesInterruptedExceptionWhereTheMethodDeclaresIt() {
		InterruptedException interrupt = new InterruptedException();
		this.registry.refusal = new LockInterruptedException("k", interrupt);
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Failing.class)) {
			Failing bean = context.bean(Failing.class);
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(bean::interruptible).isSameAs(interrupt);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(bean::throwsAnything).isSameAs(interrupt);
		}
	}

	@Test
	void interruptStaysLockInterruptedExceptionWhereTheMethodDoesNotDeclareIt() {
		InterruptedException interrupt = new InterruptedException();
		this.registry.refusal = new LockInterruptedException("k", interrupt);
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Failing.class)) {
			Failing bean = context.bean(Failing.class);
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> bean.fail(new IOException()))
				.withCause(interrupt);
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void lockInterruptedExceptionOfTheMethodItselfPassesUnchanged() {
		LockInterruptedException inner = new LockInterruptedException("inner", new InterruptedException());
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Failing.class)) {
			Failing bean = context.bean(Failing.class);
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> bean.rethrow(inner))
				.isSameAs(inner);
		}
	}

	@Test
	void busyLockFailsTheCallAndTheMethodDoesNotRun() {
		this.registry.refusal = new LockNotAcquiredException("fail", Duration.ofSeconds(1), List.of());
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Failing.class)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.bean(Failing.class).fail(new IOException()))
				.isSameAs(this.registry.refusal);
		}
	}

	record Counted(AtomicInteger reads) {

		public int next() {
			return this.reads.incrementAndGet();
		}

	}

	record Holder(Counted counted) {
	}

	record Slot(int number) {

		@Override
		public String toString() {
			return "slot@" + this.number;
		}

	}

	record Box(Object content) {
	}

	@SuppressWarnings("ArrayRecordComponent") // that is what is looked at
	record Hash(byte[] bytes) {

		@Override
		public String toString() {
			return HexFormat.of().formatHex(this.bytes);
		}

	}

	record Spoken(Object word) {

		static Spoken loop() {
			AtomicReference<Object> self = new AtomicReference<>();
			Spoken loop = new Spoken(self);
			self.set(loop);
			return loop;
		}

		@Override
		public String toString() {
			return (this.word instanceof String text) ? text : "loop";
		}

	}

	static class Nameless implements Runnable {

		@Override
		public void run() {
		}

	}

	/**
	 * As libraries make a proxy of a class. There are no letters in its identity, so that
	 * its text does not show that it is one.
	 */
	static class Nameless$$Enhanced extends Nameless {

		@Override
		public int hashCode() {
			return 0x12345678;
		}

		@Override
		public String toString() {
			return super.toString();
		}

	}

	static class Calls {

		@DistributedLock("#{#p0}/#{#a1}")
		public void positions(@Nullable String first, String second) {
		}

		@DistributedLock("#{'nested:' + #holder.counted.next()}")
		public void nested(@Nullable Holder holder) {
		}

		@DistributedLock("#{#counted.next()}")
		public void counted(@Nullable Counted counted) {
		}

		@DistributedLock("#{#value}")
		public void optional(Optional<String> value) {
		}

		@DistributedLock("#{#value}")
		public void any(Object value) {
		}

	}

	static class Configured {

		@DistributedLock(key = "${region}:#{#id}:${missing:none}", ttl = "${lock.ttl}", waitTime = " 500ms ",
				maxHold = "Unlimited")
		public void run(int id) {
		}

	}

	static class Failing {

		@DistributedLock("fail")
		public void fail(IOException failure) throws IOException {
			throw failure;
		}

		@DistributedLock("k")
		public void interruptible() throws InterruptedException {
		}

		@DistributedLock("k")
		public void throwsAnything() throws Exception {
		}

		@DistributedLock("k")
		public void rethrow(LockInterruptedException failure) throws InterruptedException {
			throw failure;
		}

	}

}
