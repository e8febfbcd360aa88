package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method in one place at a time across every instance of a service. On a type, all
 * its public methods are meant; an annotation on a method replaces that of its type.
 * <p>
 * The method does not run unless the lock was acquired. The lock of a method that returns
 * its result is reentrant and held by the calling thread. The lock of a method that
 * returns a {@code CompletionStage} or a reactive publisher, or that is a Kotlin
 * {@code suspend} function, is held by the call, not by a thread: it is taken without
 * blocking one, released when the result completes, fails or is cancelled, and it is not
 * reentrant.
 * <p>
 * As with every proxy-based annotation, a call from within the same object is not
 * intercepted; use {@code LockRegistry.call} there. An annotation that cannot work fails
 * the creation of its bean, unless {@code distributed-lock.validation} says otherwise.
 * Every duration is written like {@code 500ms}, {@code 30s} or {@code PT30S}, or as a
 * <code>${property}</code> placeholder.
 *
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
	 * known by name (the class must be compiled with {@code -parameters}) and by position
	 * ({@code #p0}), the call by {@code #root.method}, {@code #root.target},
	 * {@code #root.targetClass} and {@code #root.args}, beans by {@code @name}. A key in
	 * the habit of Spring's cache annotations, one expression without a template
	 * ({@code #order.id}, {@code 'stock:' + #id}), is understood as such.
	 * <p>
	 * Several keys are taken all or none, in one order for all callers. An expression
	 * that yields a collection or an array makes a key of each element, with the text
	 * around it; there may be one such expression in a key. An expression that yields
	 * null, nothing, or a value whose text may differ in another JVM fails the call with
	 * {@link IllegalArgumentException}, before any I/O.
	 * @return the keys; required unless there is a {@link #keyGenerator()}
	 */
	@AliasFor("value")
	String[] key() default {};

	/**
	 * The name of a {@link LockKeyGenerator} bean that makes the keys, in place of
	 * {@link #key()}.
	 * @return the bean name
	 */
	String keyGenerator() default "";

	/**
	 * How long the lock outlives a holder that dies. While the holder lives the lease is
	 * renewed. Empty for the default, {@code distributed-lock.ttl}.
	 * @return the ttl
	 */
	String ttl() default "";

	/**
	 * How long to wait for a busy key; {@code 0s} tries once. Empty for the default,
	 * {@code distributed-lock.wait-time}.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * How long the lock stays at least, counted from its acquisition, even if the method
	 * ends earlier: for scheduled jobs on machines whose clocks differ. The caller does
	 * not wait for it, and the instance may end meanwhile; if it dies while the method
	 * runs, the lock expires with its ttl. Empty for not at all.
	 * @return the shortest hold
	 */
	String minHold() default "";

	/**
	 * What to do when the key stayed busy. {@link OnBusy#SKIP} and a {@link #fallback()}
	 * contradict each other.
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
	 * What to do when the store refuses or does not answer.
	 * @return throw or proceed
	 */
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What to do when the lease is lost while the method runs.
	 * @return report, interrupt or fail
	 */
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to release the lock.
	 * @return with the method, with the surrounding transaction, or the right one of both
	 */
	ReleasePhase release() default ReleasePhase.AUTO;

}
