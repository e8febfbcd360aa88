// SPDX-License-Identifier: Apache-2.0
/**
 * The locks to be measured, each behind the same small interface and with the best
 * settings that its documentation names.
 */
@NullMarked
package io.lockstarter.benchmark.contender;

import org.jspecify.annotations.NullMarked;
