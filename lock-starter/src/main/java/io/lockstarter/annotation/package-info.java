// SPDX-License-Identifier: Apache-2.0
/**
 * The annotations that run a method under a distributed lock, with a permit, or where it
 * leads.
 */
@NullMarked
package io.lockstarter.annotation;

import org.jspecify.annotations.NullMarked;
