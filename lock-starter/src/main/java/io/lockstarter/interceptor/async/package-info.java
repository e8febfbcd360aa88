// SPDX-License-Identifier: Apache-2.0
/**
 * Asynchronous methods: which there are, and how their futures, publishers and coroutines
 * are run and followed to their end. Start with {@code AsyncMethods}, which distinguishes
 * them. Internal: not for use outside of lock-starter.
 */
@NullMarked
package io.lockstarter.interceptor.async;

import org.jspecify.annotations.NullMarked;
