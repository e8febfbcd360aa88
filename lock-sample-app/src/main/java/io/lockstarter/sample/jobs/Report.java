// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.Instant;

/**
 * One nightly report.
 *
 * @param id its number
 * @param writtenAt when it was written
 * @param instance which instance wrote it
 * @param orders how many orders there were
 * @param token the fencing token under which it was written
 */
public record Report(long id, Instant writtenAt, String instance, int orders, long token) {
}
