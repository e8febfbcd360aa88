/**
 * Runs annotated methods under their lock: the annotation becomes an immutable
 * specification once, and each call goes through the lock registry.
 */
@NullMarked
package io.lockstarter.interceptor;

import org.jspecify.annotations.NullMarked;
