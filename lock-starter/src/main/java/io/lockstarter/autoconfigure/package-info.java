/**
 * Sets up a lock registry and the interceptor of annotated methods in a Spring Boot
 * application, from {@code distributed-lock.*} properties.
 */
@NullMarked
package io.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
