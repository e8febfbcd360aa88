// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for applications without Spring Boot, which makes them of beans and properties.
 */
@NullMarked
package io.lockstarter.standalone;

import org.jspecify.annotations.NullMarked;
