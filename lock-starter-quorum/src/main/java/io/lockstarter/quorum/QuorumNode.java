// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;

/**
 * One of the stores that keep locks together.
 *
 * @param store the store, of a server that no other node has
 * @param timeout how long it may take to answer before it is left out; a fifth of the ttl
 * if that is shorter, but 100 ms
 * @since 0.1
 */
public record QuorumNode(VotingStore store, Duration timeout) {
}
