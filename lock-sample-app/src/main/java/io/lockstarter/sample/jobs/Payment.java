// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.Instant;

/**
 * A payment that a provider has made for us.
 *
 * @param permit the key of the slot that was held meanwhile
 * @param begun when it was asked for
 * @param completed when it was made
 */
record Payment(String permit, Instant begun, Instant completed) {

}
