/**
 * What makes a store of single commands a registry of locks: the local queues, the leases
 * and their deadlines, the watchdog. Knows neither Spring nor a Redis client.
 */
@NullMarked
package io.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
