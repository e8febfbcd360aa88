/**
 * Tests.
 */
@NullMarked
package io.lockstarter.benchmark.worker;

import org.jspecify.annotations.NullMarked;
