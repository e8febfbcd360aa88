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
import java.util.List;

import io.lockstarter.ReleaseMode;
import io.lockstarter.interceptor.LockValidation;
import io.lockstarter.redis.OldLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;

/**
 * Configuration properties of distributed locks.
 *
 * @param enabled Whether to enable locks. Without them, annotated methods run without a
 * lock.
 * @param store Where locks are kept.
 * @param ttl How long a lock outlives a holder that dies.
 * @param waitTime How long to wait for a busy lock.
 * @param keyPrefix Prefix of the names of all keys in Redis.
 * @param drift Safety margin: the fraction of the ttl that is subtracted from the local
 * deadline to allow for clock drift.
 * @param commandTimeout How long to wait for the answer to one command.
 * @param connectTimeout How long commands wait for the first connection to Redis before
 * they fail.
 * @param pollInterval How often a waiting instance asks again by itself, should a signal
 * be lost.
 * @param slice How long one instance may pass a lock among its own threads before another
 * instance gets it.
 * @param shutdownGrace How long holders may continue after the shutdown began.
 * @param release Whether whoever releases a lock waits until the store has confirmed it.
 * @param warnAfter After how long a wait for a lock, or a hold, is logged with the stack
 * of the holder's thread. Zero for never.
 * @param fenceRetention How long the last fencing token is remembered after its last use.
 * @param replicasAcknowledged How many replicas of Redis have to acknowledge an
 * acquisition. Zero to not ask them.
 * @param executor Name of the Executor bean on which asynchronous methods run when they
 * have acquired their lock.
 * @param publishAllEvents Whether acquired, busy and released locks are published as
 * application events, too.
 * @param problemDetails Whether web requests are answered with 409 if a lock stayed busy,
 * and with 503 if Redis was unavailable.
 * @param order Order of the lock among the advisors of a bean; a smaller one is further
 * outside.
 * @param validation What becomes of mistakes in annotations.
 * @param migration Locks of another library in the same Redis that are held together with
 * ours while old instances still run. The first that fits a key counts.
 * @since 0.1
 */
@ConfigurationProperties("distributed-lock")
public record LockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Store store,
		@DefaultValue("30s") Duration ttl, @DefaultValue("10s") Duration waitTime,
		@DefaultValue("lock") String keyPrefix, @DefaultValue("0.01") double drift,
		@DefaultValue("2s") Duration commandTimeout, @DefaultValue("10s") Duration connectTimeout,
		@DefaultValue("5s") Duration pollInterval, @DefaultValue("20ms") Duration slice,
		@DefaultValue("10s") Duration shutdownGrace, @DefaultValue("confirmed") ReleaseMode release,
		@DefaultValue("0s") Duration warnAfter, @DefaultValue("1h") Duration fenceRetention,
		@DefaultValue("0") int replicasAcknowledged, @DefaultValue("applicationTaskExecutor") String executor,
		@DefaultValue("false") boolean publishAllEvents, @DefaultValue("false") boolean problemDetails,
		@DefaultValue("" + LockProperties.DEFAULT_ORDER) int order, @DefaultValue("fail") LockValidation validation,
		@DefaultValue List<Migration> migration) {

	// Outside of @Transactional, so that a lock is released after the commit.
	static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

	/**
	 * Where locks can be kept.
	 */
	public enum Store {

		/**
		 * In Redis, shared by all instances.
		 */
		REDIS,

		/**
		 * In the memory of this JVM, for tests and development.
		 */
		MEMORY

	}

	/**
	 * Locks of another library that are held together with ours.
	 *
	 * @param keys Which keys of ours have an old lock: one key, or a pattern with one
	 * '*'.
	 * @param from What kind of locks they are.
	 * @param oldKey What they are called in Redis. A '*' stands for what the one in
	 * 'keys' stands for.
	 */
	public record Migration(@DefaultValue("*") String keys, OldLock.@Nullable Format from, @Nullable String oldKey) {
	}

}
