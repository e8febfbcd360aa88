// SPDX-License-Identifier: Apache-2.0
/**
 * A flash sale: a hundred items, more buyers, several instances of the shop.
 */
@NullMarked
package io.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
