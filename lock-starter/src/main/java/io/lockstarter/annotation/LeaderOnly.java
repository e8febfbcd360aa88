// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Annotation for a method that runs only in the instance that leads a role, such as a
 * {@code @Scheduled} one. On a type, it applies to all public methods of the type.
 * <p>
 * It makes each instance a candidate for the role. In the leader the method runs under
 * the lease by which it leads, which is the method's {@code LockScope}; calls do not
 * exclude each other. Nobody waits: elsewhere the call is skipped. The role is not given
 * to another instance while the method runs, unless the lease is lost.
 * <p>
 * All that {@link DistributedLock} says of proxies, of asynchronous methods, of
 * transactions and of mistakes is true here, too.
 *
 * @since 0.1
 * @see io.lockstarter.LockScope
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@DistributedLock
public @interface LeaderOnly {

	/**
	 * The role: text that is the same for all calls, such as {@code reports}, in which
	 * <code>${…}</code> placeholders are resolved. The leader has the lock of the key
	 * {@code leader:} and the role.
	 * @return the role
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "key")
	String value();

	/**
	 * What to do in an instance that does not lead. A {@link #fallback()} goes before it.
	 * @return throw or skip
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnBusy onBusy() default OnBusy.SKIP;

	/**
	 * The name of a method of the same class that is called in an instance that does not
	 * lead, as {@link DistributedLock#fallback()} says.
	 * @return the method name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String fallback() default "";

	/**
	 * What to do when the leadership is lost while the method runs.
	 * @return report, interrupt or fail
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnLost onLost() default OnLost.REPORT;

}
