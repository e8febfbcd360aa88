// SPDX-License-Identifier: Apache-2.0
/**
 * Hints for native images, derived from annotated beans. Nobody uses it: Spring finds it
 * by {@code META-INF/spring/aot.factories}.
 */
@NullMarked
package io.lockstarter.aot;

import org.jspecify.annotations.NullMarked;
