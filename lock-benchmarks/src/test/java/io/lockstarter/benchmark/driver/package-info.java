/**
 * Tests.
 */
@NullMarked
package io.lockstarter.benchmark.driver;

import org.jspecify.annotations.NullMarked;
