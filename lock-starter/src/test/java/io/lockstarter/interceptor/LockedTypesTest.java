package io.lockstarter.interceptor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AliasFor;

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
	void composedAnnotationLocksAndBeatsThePlainOneFurtherUp() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Composed.class)) {
			context.bean(Composed.class).sell("a", 1);
		}
		assertThat(this.registry.keys).containsExactly("composed:a");
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

}
