package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method in one place at a time across every instance of a service. On a type, all
 * its public methods are meant; an annotation on a method replaces that of its type.
 * <p>
 * The lock is reentrant and held by the calling thread: acquired before the method runs
 * and released after it returned or threw, outside a transaction that the same method
 * starts. The method does not run unless the lock was acquired.
 * <p>
 * As with every proxy-based annotation, a call from within the same object is not
 * intercepted; use {@code LockRegistry.call} there.
 *
 * @see io.lockstarter.LockRegistry
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

	/**
	 * Alias for {@link #key()}.
	 * @return the key
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * The key: text with <code>#{…}</code> SpEL templates over the arguments, by name
	 * ({@code stock:#{#productId}}; the class must be compiled with {@code -parameters})
	 * or by position ({@code stock:#{#p0}}), and with <code>${…}</code> placeholders of
	 * the environment. Required. A template that evaluates to null or to nothing fails
	 * the call with {@link IllegalArgumentException}.
	 * @return the key
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * How long the lock outlives a holder that dies: {@code 500ms}, {@code 30s},
	 * {@code PT30S} or a <code>${property}</code> placeholder. While the holder lives the
	 * lease is renewed. Empty for the default, {@code distributed-lock.ttl}.
	 * @return the ttl
	 */
	String ttl() default "";

	/**
	 * How long to wait for a busy key, written like {@link #ttl()}; {@code 0s} tries
	 * once. When it has passed the call fails with
	 * {@link io.lockstarter.LockNotAcquiredException}. Empty for the default,
	 * {@code distributed-lock.wait-time}.
	 * @return the wait time
	 */
	String waitTime() default "";

}
