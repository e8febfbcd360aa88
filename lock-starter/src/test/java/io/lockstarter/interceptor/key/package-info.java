// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of keys: which texts are understood, and what they become.
 */
@NullMarked
package io.lockstarter.interceptor.key;

import org.jspecify.annotations.NullMarked;
