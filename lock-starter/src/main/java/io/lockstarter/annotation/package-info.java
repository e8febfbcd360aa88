/**
 * The annotation that runs a method under a distributed lock.
 */
@NullMarked
package io.lockstarter.annotation;

import org.jspecify.annotations.NullMarked;
