// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of leadership.
 */
package io.lockstarter.leader;
