// SPDX-License-Identifier: Apache-2.0
/**
 * Interception of annotated methods. When a bean is made, {@code LockedBeans} refuses it
 * if its methods would run without their lock, and {@code LockSpecFactory} makes an
 * immutable {@code LockSpec} of each annotation, or refuses it.
 * <p>
 * A call comes to {@code DistributedLockInterceptor}. Several annotations of a method
 * nest. {@code LockExecutions} knows whether the work is done when the method returns
 * ({@code BlockingLockExecution}), or when a future ({@code FutureLockExecution}) or a
 * publisher or coroutine ({@code ReactiveLockExecution}) ends. Each acquires what the
 * {@code LeaseSource} says: keys, a permit, or the leadership of this instance; runs the
 * method as a {@code LockedSection}, and ends that early if the lease is lost and the
 * annotation says so, a blocking one by {@code LossWatch}; and releases, or leaves that
 * to the transaction, if there may be one. {@code LockFailures} knows what a call gets
 * that has no lock, or lost it: the exception, nothing ({@code SkippedCall}), what a
 * fallback method or the handler of the application returns, or, if the annotation
 * prefers that to a store that is unavailable, its own result, without the lock. Knows
 * the API, the annotations, leaders and {@link io.lockstarter.log}; its subpackages do
 * not know it. Internal, except for the classes that the auto-configuration uses.
 */
@NullMarked
package io.lockstarter.interceptor;

import org.jspecify.annotations.NullMarked;
