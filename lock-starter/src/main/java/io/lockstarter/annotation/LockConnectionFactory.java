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
