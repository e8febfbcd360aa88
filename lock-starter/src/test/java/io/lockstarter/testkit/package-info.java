/**
 * Redis servers of our own for tests.
 */
@NullMarked
package io.lockstarter.testkit;

import org.jspecify.annotations.NullMarked;
