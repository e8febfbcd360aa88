// SPDX-License-Identifier: Apache-2.0
/**
 * Sets up a lock registry and the interceptor of annotated methods in a Spring Boot
 * application, from {@code distributed-lock.*} properties. Start with
 * {@code LockAutoConfiguration}. The one room that knows almost all others, and that none
 * of them knows.
 */
@NullMarked
package io.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
