// SPDX-License-Identifier: Apache-2.0
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
 * What the lock of an annotated method is called.
 */
class LockNameTest {

	private final RecordingRegistry registry = new RecordingRegistry();

	@Test
	void theNameIsThatOfTheMethodUnlessTheAnnotationHasOne() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Stock.class)) {
			Stock stock = context.bean(Stock.class);
			stock.buy(42);
			assertThat(this.registry.options.name()).isEqualTo("Stock.buy");
			stock.sell(42);
			assertThat(this.registry.options.name()).isEqualTo("stock");
			stock.move(42);
			assertThat(this.registry.options.name()).isEqualTo("moves");
			stock.count(42);
			assertThat(this.registry.options.name()).isEqualTo("counts-here");
		}
	}

	@Test
	void theNameIsThatOfTheClassAlsoThroughAnInterface() {
		try (LockedContext context = LockedContext.withInterfaceProxies(this.registry, NightlyJob.class)) {
			context.bean(Job.class).work();
			assertThat(this.registry.options.name()).isEqualTo("NightlyJob.work");
		}
	}

	static class Stock {

		@DistributedLock("stock:#{#id}")
		public void buy(long id) {
		}

		@DistributedLock(key = "stock:#{#id}", name = "stock")
		public void sell(long id) {
		}

		@NamedLock("moves")
		public void move(long id) {
		}

		@DistributedLock(key = "stock:#{#id}", name = "counts-${no.such.place:here}")
		public void count(long id) {
		}

	}

	interface Job {

		@DistributedLock("job")
		void work();

	}

	static class NightlyJob implements Job {

		@Override
		public void work() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("stock:#{#p0}")
	@interface NamedLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "name")
		String value();

	}

}
