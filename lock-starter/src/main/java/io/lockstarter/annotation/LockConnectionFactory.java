// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifier of the {@code RedisConnectionFactory} whose Redis keeps the locks, in an
 * application that has several. It goes before a primary one. <pre class="code">
 * &#064;Bean(defaultCandidate = false)
 * &#064;LockConnectionFactory
 * LettuceConnectionFactory lockConnectionFactory() {
 *     return new LettuceConnectionFactory("locks.example.com", 6379);
 * }</pre>
 * <p>
 * With {@code defaultCandidate = false} Spring Boot still defines the connection factory
 * of {@code spring.data.redis.*}, and it is the one that everybody else gets.
 * <p>
 * More than one such bean fails the start, unless one of them is primary.
 *
 * @since 0.1
 */
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface LockConnectionFactory {

}
