/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
/**
 * What makes a store of single commands a registry of locks: the local queues, the leases
 * and their deadlines, the watchdog. Start with {@code LocalQueue}, at whose head the
 * algorithm is explained, then read {@code LockEngine}, which has the queues of all keys.
 * Knows the API, {@link io.lockstarter.store} and {@link io.lockstarter.platform}, and
 * neither Spring nor a Redis client. Of ours, only the auto-configuration, the metrics
 * and the support for tests use it.
 */
@NullMarked
package io.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
