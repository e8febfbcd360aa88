// SPDX-License-Identifier: Apache-2.0
/**
 * Proof, on a real Redis and real JVMs, that the locks do what they say.
 */
@NullMarked
package io.lockstarter.proof;

import org.jspecify.annotations.NullMarked;
