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
package io.lockstarter.quorum;

import java.time.Duration;

import io.lockstarter.store.VotingStore;

/**
 * One of the stores that keep locks together.
 *
 * @param store the store, of a server that no other node has
 * @param timeout how long it may take to answer before it is left out; a fifth of the ttl
 * if that is shorter, but 100 ms
 * @since 0.1
 */
public record QuorumNode(VotingStore store, Duration timeout) {
}
