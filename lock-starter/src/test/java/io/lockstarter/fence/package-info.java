// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of what only its own package can see; and of the fence on each database.
 */
package io.lockstarter.fence;
