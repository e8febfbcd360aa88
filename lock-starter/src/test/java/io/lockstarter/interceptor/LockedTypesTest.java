// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;

import io.lockstarter.LockOptions;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.cglib.proxy.Enhancer;
import org.springframework.cglib.proxy.NoOp;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotations on types, and annotations made of ours.
 */
class LockedTypesTest {

	private final RecordingRegistry registry = new RecordingRegistry();

	@Test
	void annotationOnTypeLocksPublicMethodsAndIsReplacedByThatOfAMethod() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Report.class)) {
			Report report = context.bean(Report.class);
			report.run();
			report.special();
			report.inherited();
			report.packagePrivate();
			assertThat(report.toString()).isEqualTo("report");
		}
		assertThat(this.registry.keys).containsExactly("report", "special", "report");
	}

	@Test
	void annotationOnInterfaceTypeLocksItsImplementations() {
		try (LockedContext context = LockedContext.withInterfaceProxies(this.registry, NightlyJob.class)) {
			context.bean(Job.class).work();
		}
		assertThat(this.registry.keys).containsExactly("job");
	}

	@Test
	void whatIsMadeOfAClassOfSpringIsLookedAtBeyondIt() {
		Enhancer enhancer = new Enhancer();
		enhancer.setSuperclass(SimpleAsyncTaskScheduler.class);
		enhancer.setInterfaces(new Class<?>[] { PublicJob.class });
		enhancer.setCallbackType(NoOp.class);
		Class<?> job = enhancer.createClass();
		assertThat(job.getName()).startsWith("org.springframework.");
		assertThat(LockAnnotations.isAnywhereIn(job)).isTrue();
		assertThat(LockAnnotations.isAnywhereIn(Cleanup.class)).isTrue();
	}

	@Test
	void composedAnnotationLocksAndBeatsThePlainOneFurtherUp() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Composed.class)) {
			context.bean(Composed.class).sell("a", 1);
		}
		assertThat(this.registry.keys).containsExactly("composed:a");
	}

	@Test
	void annotationOfATeamSetsAttributesAndFixesOthers() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Orders.class)) {
			Orders orders = context.bean(Orders.class);
			orders.ship("o1");
			assertThat(this.registry.options).isEqualTo(LockOptions.defaults()
				.withName("Orders.ship")
				.withTtl(Duration.ofSeconds(5))
				.withWaitTime(Duration.ofSeconds(1)));
			orders.merge("o1", "o2");
			assertThat(this.registry.options).isEqualTo(LockOptions.defaults()
				.withName("Orders.merge")
				.withTtl(Duration.ofSeconds(9))
				.withWaitTime(Duration.ofSeconds(1)));
			orders.close();
			assertThat(this.registry.options)
				.isEqualTo(LockOptions.defaults().withName("Orders.close").withTtl(Duration.ofSeconds(7)));
		}
		assertThat(this.registry.keys).containsExactly("order:o1", "order:o1", "order:o2", "books");
	}

	@Test
	void annotationOfAnAnnotationOfATeamLocksToo() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Deep.class)) {
			context.bean(Deep.class).run();
		}
		assertThat(this.registry.keys).containsExactly("books");
		assertThat(this.registry.options.ttl()).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void repeatedAnnotationsNestInTheOrderWritten() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Repeated.class)) {
			Repeated repeated = context.bean(Repeated.class);
			repeated.ours();
			repeated.theirs();
			repeated.mixed();
			repeated.container();
		}
		assertThat(this.registry.events).containsExactly("acquired a", "acquired b", "acquired c", "released c",
				"released b", "released a", "acquired z", "acquired y", "released y", "released z", "acquired t",
				"acquired d", "released d", "released t", "acquired p", "acquired q", "released q", "released p");
	}

	@Test
	void repeatedAnnotationsOfATypeAreReplacedByThoseOfAMethod() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, RepeatedOnType.class)) {
			RepeatedOnType bean = context.bean(RepeatedOnType.class);
			bean.run();
			bean.special();
		}
		assertThat(this.registry.events).containsExactly("acquired one", "acquired two", "released two", "released one",
				"acquired special", "released special");
	}

	@Test
	void repeatedAndComposedAnnotationsOfAnInterfaceAreInherited() {
		try (LockedContext context = LockedContext.withInterfaceProxies(this.registry, Implementation.class)) {
			context.bean(Contract.class).run("x");
			context.bean(Contract.class).other("y");
		}
		assertThat(this.registry.keys).containsExactly("first:x", "second:x", "composed:y");
	}

	@Test
	void annotationsOfTheNearestMethodReplaceThoseItOverrides() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Overriding.class)) {
			context.bean(Overriding.class).run("x");
		}
		assertThat(this.registry.keys).containsExactly("mine:x");
	}

	static class BaseReport {

		public void inherited() {
		}

		public final void helper() {
		}

	}

	@DistributedLock("report")
	static class Report extends BaseReport {

		public void run() {
		}

		@DistributedLock("special")
		public void special() {
		}

		void packagePrivate() {
		}

		public static void utility() {
		}

		@Override
		public String toString() {
			return "report";
		}

	}

	@SuppressWarnings("serial")
	static class Cleanup extends SimpleAsyncTaskScheduler {

		@DistributedLock("cleanup")
		void run() {
		}

	}

	@DistributedLock("job")
	public interface PublicJob {

		void work();

	}

	@DistributedLock("job")
	interface Job {

		void work();

	}

	static class NightlyJob implements Job {

		@Override
		public void work() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface ItemLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	static class Composed implements LockedMethodsTest.Sale {

		@Override
		@ItemLock("composed:#{#item}")
		public void sell(String item, int count) {
		}

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(waitTime = "1s")
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class)
		String[] key();

		@AliasFor(annotation = DistributedLock.class)
		String ttl() default "5s";

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("books")
	@interface BooksLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "ttl")
		String atMost();

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@BooksLock(atMost = "3s")
	@interface QuickBooksLock {

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Repeatable(TeamLocks.class)
	@DistributedLock
	@interface TeamLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] value();

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@interface TeamLocks {

		TeamLock[] value();

	}

	static class Orders {

		@OrderLock(key = "order:#{#id}")
		public void ship(String id) {
		}

		@OrderLock(key = { "order:#{#into}", "order:#{#from}" }, ttl = "9s")
		public void merge(String into, String from) {
		}

		@BooksLock(atMost = "7s")
		public void close() {
		}

	}

	static class Deep {

		@QuickBooksLock
		public void run() {
		}

	}

	static class Repeated {

		@DistributedLock("a")
		@DistributedLock("b")
		@DistributedLock("c")
		public void ours() {
		}

		@TeamLock("z")
		@TeamLock("y")
		public void theirs() {
		}

		@TeamLock("t")
		@DistributedLock("d")
		public void mixed() {
		}

		@DistributedLocks({ @DistributedLock("p"), @DistributedLock("q") })
		public void container() {
		}

	}

	@DistributedLock("one")
	@DistributedLock("two")
	static class RepeatedOnType {

		public void run() {
		}

		@DistributedLock("special")
		public void special() {
		}

	}

	interface Contract {

		@DistributedLock("first:#{#id}")
		@DistributedLock("second:#{#id}")
		void run(String id);

		@ItemLock("composed:#{#item}")
		void other(String item);

	}

	static class Implementation implements Contract {

		@Override
		public void run(String id) {
		}

		@Override
		public void other(String item) {
		}

	}

	static class Overriding extends Implementation {

		@Override
		@TeamLock("mine:#{#id}")
		public void run(String id) {
		}

	}

}
