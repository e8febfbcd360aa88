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
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of leaders.
 *
 * @param roles Roles for which this instance is a candidate, in addition to those
 * of @LeaderOnly methods.
 * @param ttl How long nobody leads after a leader died; the ttl of locks if it is not
 * set.
 */
@ConfigurationProperties("distributed-lock.leader")
record LeaderProperties(@DefaultValue Set<String> roles, @Nullable Duration ttl) {
}
