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
package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.log.LimitedLog;
import io.lockstarter.redis.connection.RequiredReplicas;

/**
 * What a command asks for that counts as done only when replicas know of it.
 *
 * @param replicas how many of them, and how long they have
 * @param giveBack undoes the command, for which there are too few
 * @param log told of that: whoever waits without a limit hears nothing of it otherwise
 */
record ReplicaAcknowledgement(RequiredReplicas replicas, Supplier<CompletableFuture<?>> giveBack, LimitedLog log) {
}
