// SPDX-License-Identifier: Apache-2.0
/**
 * The shop, and seven ways to protect a purchase. Made to be copied: nothing here knows
 * of the page that shows it.
 */
@NullMarked
package io.lockstarter.sample.shop;

import org.jspecify.annotations.NullMarked;
