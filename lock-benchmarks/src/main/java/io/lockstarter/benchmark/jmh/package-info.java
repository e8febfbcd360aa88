// SPDX-License-Identifier: Apache-2.0
/**
 * What happens inside of one JVM, measured with JMH.
 */
@NullMarked
package io.lockstarter.benchmark.jmh;

import org.jspecify.annotations.NullMarked;
