// SPDX-License-Identifier: Apache-2.0
/**
 * Plants bugs in the sources and looks whether the tests notice.
 */
@NullMarked
package io.lockstarter.mutation;

import org.jspecify.annotations.NullMarked;
