// SPDX-License-Identifier: Apache-2.0

/**
 * Tests of the support for tests.
 */
package io.lockstarter.test;
