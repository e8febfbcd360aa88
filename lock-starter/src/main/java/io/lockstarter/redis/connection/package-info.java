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
 * A client of Redis over Lettuce, for one script that carries out many commands a call.
 * It finds the server that has the keys (one, the primary that Sentinels name, one of
 * several, a node of a cluster), keeps connections to it, replaces those that are lost,
 * sends again what was left unanswered, and subscribes to channels. It knows commands
 * that are sent, answered, refused or given up, and nothing of locks.
 * <p>
 * Only {@link io.lockstarter.redis} comes in, by {@code RedisConnections}. Read that
 * first; then, for commands, {@code CommandSender}, which goes on from one
 * {@code CommandConnection} to the next, and {@code CommandBatch}, which is one call; for
 * messages {@code ChannelSubscription}; and {@code LettuceClient}, by which connections
 * are made. All that has to do with sockets is behind {@code Transport}.
 */
@NullMarked
package io.lockstarter.redis.connection;

import org.jspecify.annotations.NullMarked;
