/**
 * Tests of keys: which texts are understood, and what they become.
 */
@NullMarked
package io.lockstarter.interceptor.key;

import org.jspecify.annotations.NullMarked;
