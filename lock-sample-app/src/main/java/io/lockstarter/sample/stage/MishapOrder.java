// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

/**
 * A mishap for an instance.
 *
 * @param instance the name of the instance
 * @param mishap what is to befall the next holder of the lock there
 */
record MishapOrder(String instance, Mishap mishap) {
}
