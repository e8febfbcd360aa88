/**
 * Tests.
 */
@NullMarked
package io.lockstarter.benchmark.report;

import org.jspecify.annotations.NullMarked;
