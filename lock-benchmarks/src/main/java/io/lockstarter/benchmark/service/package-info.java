// SPDX-License-Identifier: Apache-2.0
/**
 * A small Spring Boot service, to be started from an executable jar.
 */
@NullMarked
package io.lockstarter.benchmark.service;

import org.jspecify.annotations.NullMarked;
