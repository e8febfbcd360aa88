// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.Instant;

/**
 * A document that somebody else made for us.
 *
 * @param token the fencing token under which it was made
 * @param begun when it was asked for
 * @param completed when it came
 */
record Invoice(long token, Instant begun, Instant completed) {
}
