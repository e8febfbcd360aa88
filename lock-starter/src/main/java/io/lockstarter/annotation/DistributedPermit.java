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
 * Annotation for a method that runs with a permit: in so many places at a time as the
 * limit says, across all instances of a service. On a type, it applies to all public
 * methods of the type.
 * <p>
 * A permit belongs to the call, and not to a thread: a nested call needs another one, so
 * that calls which nest can wait for each other. All instances should use the same limit;
 * while they do not, the largest one counts.
 * <p>
 * All that {@link DistributedLock} says of expressions in its key, durations, proxies,
 * asynchronous methods and mistakes is true here, too.
 *
 * @since 0.1
 * @see io.lockstarter.Permits
 * @see io.lockstarter.LockScope
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@DistributedLock
public @interface DistributedPermit {

	/**
	 * The key, as {@link DistributedLock#key()} describes it: one for each call. It has
	 * nothing to do with the lock of the same key.
	 * @return the key
	 */
	@AliasFor(annotation = DistributedLock.class)
	String key();

	/**
	 * How many permits there are: a number from 1 to 64, or a <code>${property}</code>
	 * placeholder for one.
	 * @return the limit
	 */
	String limit();

	/**
	 * What the permits are called in metrics and traces, as
	 * {@link DistributedLock#name()} says.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * How long a permit outlives a holder that dies. Empty for the default,
	 * {@code distributed-lock.ttl}.
	 * @return the ttl
	 */
	@AliasFor(annotation = DistributedLock.class)
	String ttl() default "";

	/**
	 * How long to wait for a permit; {@code 0s} tries once. Empty for the default,
	 * {@code distributed-lock.wait-time}.
	 * @return the wait time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String waitTime() default "";

	/**
	 * How long the permit is renewed while the method runs, as
	 * {@link DistributedLock#maxHold()} says. Empty for the default,
	 * {@code distributed-lock.max-hold}.
	 * @return the maximum hold time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String maxHold() default "";

	/**
	 * What to do when no permit was free for the wait time. {@link OnBusy#SKIP} cannot be
	 * combined with a {@link #fallback()}.
	 * @return throw or skip
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnBusy onBusy() default OnBusy.THROW;

	/**
	 * The name of a method of the same class that is called when no permit was free, as
	 * {@link DistributedLock#fallback()} says.
	 * @return the method name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String fallback() default "";

	/**
	 * What to do when the store rejects a command or does not answer.
	 * @return throw or proceed
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What to do when the permit is lost while the method runs.
	 * @return report, interrupt or fail
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to give the permit back: after the method, as others can use it then, or after
	 * the transaction around it. Calls that follow each other in one transaction need a
	 * permit each, if these are given back after it.
	 * @return the phase
	 */
	@AliasFor(annotation = DistributedLock.class)
	ReleasePhase releasePhase() default ReleasePhase.AFTER_METHOD;

}
