// SPDX-License-Identifier: Apache-2.0
/**
 * Which of the instances this is, and starting others.
 */
@NullMarked
package io.lockstarter.sample.instance;

import org.jspecify.annotations.NullMarked;
