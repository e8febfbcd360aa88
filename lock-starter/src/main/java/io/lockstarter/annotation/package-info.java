// SPDX-License-Identifier: Apache-2.0
/**
 * The annotation that runs a method under a distributed lock.
 */
@NullMarked
package io.lockstarter.annotation;

import org.jspecify.annotations.NullMarked;
