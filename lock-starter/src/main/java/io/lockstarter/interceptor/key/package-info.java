// SPDX-License-Identifier: Apache-2.0
/**
 * From the text of an annotation to the keys of a call. Start with {@code LockKeys};
 * {@code KeyExpression} needs no expression language for most of them. Knows a method and
 * its arguments, and nothing of locks. Internal: not for use outside of lock-starter.
 */
@NullMarked
package io.lockstarter.interceptor.key;

import org.jspecify.annotations.NullMarked;
