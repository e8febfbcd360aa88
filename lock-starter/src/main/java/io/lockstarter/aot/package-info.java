/**
 * Hints for native images, derived from annotated beans.
 */
@NullMarked
package io.lockstarter.aot;

import org.jspecify.annotations.NullMarked;
