// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.store.LockStore.Acquire;

/**
 * A command to acquire.
 *
 * @param prolongs whether its owner id may have the key already
 * @param again whether the answer to the one before came too late
 * @param ownerSince when the first command of its owner id was sent
 */
record AcquireAttempt(Acquire command, boolean prolongs, boolean again, long sentAt, long ownerSince) {

}
