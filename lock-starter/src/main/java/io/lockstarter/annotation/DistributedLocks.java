package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Holds several {@link DistributedLock} annotations of one method or type. They are taken
 * in the order in which they are written, the first one outermost.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLocks {

	/**
	 * The locks.
	 * @return the annotations, outermost first
	 */
	DistributedLock[] value();

}
