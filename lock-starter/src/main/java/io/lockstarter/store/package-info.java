// SPDX-License-Identifier: Apache-2.0
/**
 * The interface between the engine and whatever keeps the locks. Start with
 * {@link io.lockstarter.store.LockStore}: its commands and replies are all that the
 * engine knows of a store, and all that a store knows of the engine. Knows the API alone;
 * everybody else may use it, and applications may implement it.
 */
@NullMarked
package io.lockstarter.store;

import org.jspecify.annotations.NullMarked;
