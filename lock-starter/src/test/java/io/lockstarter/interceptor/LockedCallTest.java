package io.lockstarter.interceptor;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
		assertThat(this.registry.options)
			.isEqualTo(LockOptions.defaults().withTtl(Duration.ofSeconds(5)).withWaitTime(Duration.ofMillis(500)));
	}

	@Test
	void attributesThatAreNotSetAreLeftToTheRegistry() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			context.bean(Calls.class).positions("x", "y");
		}
		assertThat(this.registry.options).isEqualTo(LockOptions.defaults());
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
				arguments(new int[] { 1 }, "is a int[], which has no text"),
				arguments(Set.of(1L, 2L), "use a SortedSet or a List"),
				arguments(new LinkedHashSet<>(), "is a java.util.LinkedHashSet, which may have another order"),
				arguments(new PriorityQueue<>(), "use a SortedSet or a List"),
				arguments(new TreeMap<>().values(), "use a SortedSet or a List"),
				arguments(Map.of("a", 1, "b", 2), "use a SortedMap"),
				arguments(new HashMap<>(), "is a java.util.HashMap, which may have another order"),
				arguments(new Date(0), "is a java.util.Date, whose text depends on the time zone"),
				arguments(new Timestamp(0), "use an Instant or a LocalDate"),
				arguments(new GregorianCalendar(), "use an Instant or a LocalDate"),
				arguments(List.of("a", new Object()), "contains a java.lang.Object, which has no text"),
				arguments(List.of(List.of(Optional.of(Set.of()))), "contains a java.util.ImmutableCollections$"),
				arguments(new TreeMap<>(Map.of("a", new HashSet<>())), "contains a java.util.HashSet"),
				arguments(new TreeSet<>(Set.of(new Date(0))), "contains a java.util.Date"),
				arguments(cycle, "contains a java.util.ArrayList, which is nested too deeply"));
	}

	@ParameterizedTest
	@MethodSource("unstable")
	void valueWhoseTextIsNotTheSameInEveryJvmIsRefused(Object value, String problem) {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			Calls calls = context.bean(Calls.class);
			refused(() -> calls.any(value), "#{#value} ");
			refused(() -> calls.any(value), problem);
		}
		assertThat(this.registry.keys).isEmpty();
	}

	static Stream<Arguments> stable() {
		return Stream.of(arguments(Duration.ZERO, "PT0S"), arguments(List.of(2, Optional.of("x")), "[2, Optional[x]]"),
				arguments(Arrays.asList("a", null), "[a, null]"), arguments(new TreeSet<>(Set.of("b", "a")), "[a, b]"),
				arguments(new TreeMap<>(Map.of("b", List.of(1), "a", Path.of("c"))), "{a=c, b=[1]}"),
				arguments(Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(2, 1))), "[1, 2]"));
	}

	@ParameterizedTest
	@MethodSource("stable")
	void valueWhoseTextIsTheSameInEveryJvmIsTheKey(Object value, String key) {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Calls.class)) {
			context.bean(Calls.class).any(value);
		}
		assertThat(this.registry.keys).containsExactly(key);
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
		this.registry.refusal = new LockNotAcquiredException("fail", Duration.ofSeconds(1), null);
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

		@DistributedLock(key = "${region}:#{#id}:${missing:none}", ttl = "${lock.ttl}", waitTime = " 500ms ")
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
