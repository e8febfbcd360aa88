// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockstarter.LockMode;
import org.springframework.core.annotation.AliasFor;

/**
 * Annotation for a method that runs under a distributed lock: in one place at a time
 * across all instances of a service. On a type, it applies to all public methods of the
 * type; an annotation on a method replaces that of its type.
 * <p>
 * The method does not run unless the lock was acquired. The lock of a blocking method is
 * reentrant and held by the calling thread. The lock of an asynchronous method, one that
 * returns a {@code CompletionStage} or a reactive publisher or is a Kotlin
 * {@code suspend} function, is held by the call and not by a thread: it is acquired
 * without blocking a thread, released when the result completes, fails or is cancelled,
 * and it is not reentrant.
 * <p>
 * As with every proxy-based annotation, a call from within the same object
 * (self-invocation) is not intercepted; use {@code LockRegistry.call} there. An
 * annotation that cannot be used fails the creation of its bean, unless
 * {@code distributed-lock.validation} says otherwise. Durations are written as
 * {@code 500ms}, {@code 30s} or {@code PT30S}, or as a <code>${property}</code>
 * placeholder.
 *
 * @since 0.1
 * @see io.lockstarter.LockRegistry
 * @see io.lockstarter.LockScope
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias for {@link #key()}.
	 * @return the keys
	 */
	@AliasFor("key")
	String[] value() default {};

	/**
	 * The key: text with <code>#{…}</code> SpEL templates over the call
	 * ({@code stock:#{#productId}}) and <code>${…}</code> placeholders. Arguments are
	 * available by name (the class must be compiled with {@code -parameters}) and by
	 * position ({@code #p0}), the call by {@code #root.method}, {@code #root.target},
	 * {@code #root.targetClass} and {@code #root.args}, beans by {@code @name}. One
	 * expression without a template, as in Spring's cache annotations ({@code #order.id},
	 * {@code 'stock:' + #id}), is supported as well.
	 * <p>
	 * Several keys are acquired all or none, in one order for all callers. An expression
	 * that returns a collection or an array creates a key for each element, with the text
	 * around it; a key may have one such expression. An expression that returns null,
	 * nothing, or a value whose text may differ in another JVM fails the call with
	 * {@link IllegalArgumentException}, before any I/O. So do more than 1,000 keys.
	 * @return the keys; required unless there is a {@link #keyGenerator()}
	 */
	@AliasFor("value")
	String[] key() default {};

	/**
	 * The name of a {@link LockKeyGenerator} bean that creates the keys, in place of
	 * {@link #key()}.
	 * @return the bean name
	 */
	String keyGenerator() default "";

	/**
	 * Whether other calls may hold the keys at the same time: {@link LockMode#SHARED} for
	 * methods that read what methods with an exclusive lock of the same key change. A
	 * method that waits exclusively is passed by one round of readers at most. A call
	 * that shares a key and, on its thread, calls a method that locks it exclusively
	 * fails with {@link IllegalStateException} at once. Not with a migration of old
	 * locks, nor with {@link #minHold()}.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * What the lock is called in metrics and traces. The same for all keys, so it takes
	 * no expressions; <code>${…}</code> placeholders are resolved. Empty for the simple
	 * name of the class and the name of the method, such as {@code StockService.buy}.
	 * @return the name
	 */
	String name() default "";

	/**
	 * How long the lock outlives a holder that dies. While the holder lives, the lease is
	 * renewed. Empty for the default, {@code distributed-lock.ttl}.
	 * @return the ttl
	 */
	String ttl() default "";

	/**
	 * How long to wait for a busy key; {@code 0s} tries once, and {@code unlimited} waits
	 * as long as it takes, also while the store cannot be reached. Empty for the default,
	 * {@code distributed-lock.wait-time}.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * How long the lease is renewed while the method runs, after which it expires and is
	 * lost: the remedy for a method that hangs, as its lock is otherwise held for as long
	 * as its JVM lives. Combine it with {@link #onLost()}. No shorter than the ttl, for
	 * which a lease lasts in any case. {@code unlimited} for no limit. Empty for the
	 * default, {@code distributed-lock.max-hold}.
	 * @return the maximum hold time
	 */
	String maxHold() default "";

	/**
	 * The minimum time for which the lock is held, counted from its acquisition, even if
	 * the method ends earlier: for scheduled jobs on machines whose clocks differ. The
	 * caller does not wait for it, and the instance may shut down meanwhile; if the
	 * instance dies while the method runs, the lock expires with its ttl. Empty for no
	 * minimum.
	 * @return the minimum hold time
	 */
	String minHold() default "";

	/**
	 * What to do when the key stayed busy for the wait time. {@link OnBusy#SKIP} cannot
	 * be combined with a {@link #fallback()}.
	 * @return throw or skip
	 */
	OnBusy onBusy() default OnBusy.THROW;

	/**
	 * The name of a method of the same class that is called when the key stayed busy, and
	 * whose result is returned: with the same arguments, and optionally with the
	 * {@link io.lockstarter.LockNotAcquiredException} as the last one. It may be private
	 * or static. It runs without the lock, and must not be annotated itself.
	 * @return the method name
	 */
	String fallback() default "";

	/**
	 * What to do when the store rejects a command or does not answer.
	 * @return throw or proceed
	 */
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What to do when the lease is lost while the method runs.
	 * @return report, interrupt or fail
	 */
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to release the lock: after the method, or after the transaction around it.
	 * @return the phase
	 */
	ReleasePhase releasePhase() default ReleasePhase.AUTO;

	/**
	 * What refuses the late writes of a holder that was stopped for longer than the ttl.
	 * {@link Fence#TRANSACTION} is for an {@linkplain LockMode#EXCLUSIVE exclusive} lock
	 * of a method that returns its result directly, and cannot be combined with
	 * {@link OnUnavailable#PROCEED}.
	 * @return nothing, or the database
	 */
	Fence fence() default Fence.NONE;

}
