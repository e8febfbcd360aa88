// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Annotation for test classes whose context is to have distributed locks and a
 * {@link LockTester}: slices such as {@code @WebMvcTest}, {@code @SpringBootTest}, and
 * others that use the TestContext framework with Spring Boot's test support.
 * <p>
 * Locks are kept in the memory of the test, whatever the properties say, unless
 * {@link #store} is another one. All other {@code distributed-lock.*} properties apply;
 * {@code distributed-lock.fence.create-table} is {@code true} unless it is set.
 * {@link io.lockstarter.store.LockStore} beans are wrapped, so they can be injected by
 * that type only.
 *
 * @since 0.1
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureDistributedLock {

	/**
	 * Return where the locks of the test are kept. It is set as
	 * {@code distributed-lock.store}, ahead of all other property sources.
	 * @return the store
	 */
	Store store() default Store.MEMORY;

	/**
	 * Where the locks of a test can be kept.
	 */
	enum Store {

		/**
		 * In the memory of the test, empty when its context starts. No Redis is needed.
		 */
		MEMORY,

		/**
		 * In the Redis that {@code spring.data.redis.*} or a service connection names. A
		 * slice gets the auto-configuration of Redis, too.
		 */
		REDIS

	}

}
