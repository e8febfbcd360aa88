// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.instance;

/**
 * A process has ended that was started as an instance.
 *
 * @param process its process id
 * @param log where its log is
 */
public record InstanceEnded(long process, String log) {
}
