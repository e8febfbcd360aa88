// SPDX-License-Identifier: Apache-2.0
/**
 * What makes the shop visible: crowds of buyers, mishaps at will, live events for the
 * page.
 */
@NullMarked
package io.lockstarter.sample.stage;

import org.jspecify.annotations.NullMarked;
