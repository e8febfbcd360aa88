/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
