// SPDX-License-Identifier: Apache-2.0

/**
 * Support for tests of applications that use locks. Nothing of lock-starter knows this
 * package, which is a jar of its own: it knows the API, the annotation, the engine, and
 * the store in memory, which it puts in the place of Redis or beside it. Begin with
 * {@link io.lockstarter.test.LockTester}.
 */
@NullMarked
package io.lockstarter.test;

import org.jspecify.annotations.NullMarked;
