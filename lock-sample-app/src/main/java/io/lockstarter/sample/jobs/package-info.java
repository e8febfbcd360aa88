// SPDX-License-Identifier: Apache-2.0
/**
 * More uses of a lock: a job that runs in one instance only, a recursion, a result that
 * comes later.
 */
@NullMarked
package io.lockstarter.sample.jobs;

import org.jspecify.annotations.NullMarked;
