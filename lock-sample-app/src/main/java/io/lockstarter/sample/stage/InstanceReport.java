// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.List;

/**
 * What an instance says of itself, several times a second.
 *
 * @param name the name of the instance
 * @param port where it listens
 * @param process its process id
 * @param host whether the others depend on it
 * @param at when this was said, in microseconds of the day's clock
 * @param ending whether these are its last words
 * @param present who is in the shop
 * @param finished who left it since the last report
 */
record InstanceReport(String name, int port, long process, boolean host, long at, boolean ending,
		List<Visit.Snapshot> present, List<Visit.Snapshot> finished) {
}
