// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps locks in several stores that know nothing of each other, of which a majority
 * decides. Start with {@code QuorumLockStore}. The protocol is that of
 * {@code docs/internals/model/Quorum.tla}, whose actions are named here. Knows
 * {@link io.lockstarter.store} and nothing of Redis, which is in
 * {@code io.lockstarter.quorum.redis}.
 */
@NullMarked
package io.lockstarter.quorum;

import org.jspecify.annotations.NullMarked;
