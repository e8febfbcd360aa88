// SPDX-License-Identifier: Apache-2.0
/**
 * How messages show what others wrote, and durations. Knows the JDK alone, and all the
 * others may know it. Not part of the API.
 */
@NullMarked
package io.lockstarter.text;

import org.jspecify.annotations.NullMarked;
