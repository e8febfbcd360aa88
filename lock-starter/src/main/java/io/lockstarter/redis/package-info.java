/**
 * Keeps locks in Redis, over Lettuce, in the Redis of the application's connection
 * factory.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
