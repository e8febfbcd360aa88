// SPDX-License-Identifier: Apache-2.0
/**
 * Locks that are released with a transaction and checked before it commits. Start with
 * {@code TransactionRelease}, which takes a {@code Hold} over. Internal: not for use
 * outside of lock-starter.
 */
@NullMarked
package io.lockstarter.interceptor.transaction;

import org.jspecify.annotations.NullMarked;
