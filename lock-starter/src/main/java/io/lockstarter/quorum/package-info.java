// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps locks in several stores that know nothing of each other, of which a majority
 * decides. Start with {@code QuorumLockStore}. The protocol is that of
 * {@code docs/internals/model/Quorum.tla}, whose actions are named here. Knows
 * {@link io.lockstarter.store} and nothing of Redis. Of ours, only the auto-configuration
 * uses it.
 */
@NullMarked
package io.lockstarter.quorum;

import org.jspecify.annotations.NullMarked;
