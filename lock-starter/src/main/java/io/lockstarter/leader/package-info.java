// SPDX-License-Identifier: Apache-2.0
/**
 * Leadership: of all instances that are candidates for a role, one leads at a time. Start
 * with {@link io.lockstarter.leader.LeaderElection}. Built on the API and
 * {@link io.lockstarter.log}, so that it works with each store.
 */
@NullMarked
package io.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
