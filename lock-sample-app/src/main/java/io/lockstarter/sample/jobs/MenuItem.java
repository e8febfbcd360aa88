// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.util.List;

/**
 * A menu item with what is below it.
 *
 * @param title what it says
 * @param holds how often the lock was held while this level was built
 * @param token the fencing token, the same on every level
 * @param items the items below
 */
record MenuItem(String title, int holds, long token, List<MenuItem> items) {
}
