// SPDX-License-Identifier: Apache-2.0
/**
 * Interception of annotated methods. An annotation becomes an immutable specification
 * once; each call runs under a lock of the registry. Start with
 * {@code DistributedLockInterceptor}. Knows the API, the annotations, leaders and
 * {@link io.lockstarter.log}; its subpackages do not know it. Internal, except for the
 * classes that the auto-configuration uses.
 */
@NullMarked
package io.lockstarter.interceptor;

import org.jspecify.annotations.NullMarked;
