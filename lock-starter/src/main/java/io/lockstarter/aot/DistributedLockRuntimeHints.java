// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.aot;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedLocks;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.LockValidation;
import io.lockstarter.interceptor.key.KeyRoot;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Runtime hints for the annotation itself. Those for annotated beans are contributed by
 * {@link DistributedLockBeanAotProcessor}.
 */
final class DistributedLockRuntimeHints implements RuntimeHintsRegistrar {

	/**
	 * Types that are looked up by name. Without a hint, a native image would not find
	 * them, and would release locks before the transaction or the result is complete.
	 */
	static final List<String> OPTIONAL_TYPES = List.of(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			"org.springframework.transaction.reactive.TransactionSynchronizationManager", "reactor.core.publisher.Flux",
			"org.reactivestreams.Publisher", "kotlin.coroutines.Continuation", "kotlinx.coroutines.reactor.MonoKt",
			"kotlin.reflect.full.KClasses", "io.micrometer.context.ContextSnapshotFactory",
			"org.springframework.http.HttpEntity", "redis.clients.jedis.JedisClientConfig",
			"io.lockstarter.quorum.QuorumLockStore", "io.lockstarter.migration.OldLock");

	/**
	 * Types whose getters are called by name, for the SSL bundle of an application with
	 * Jedis.
	 */
	private static final List<String> CONNECTION_DETAILS = List.of(
			"org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
			"org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		for (Class<?> type : List.of(DistributedLock.class, DistributedLocks.class, DistributedPermit.class,
				LeaderOnly.class)) {
			hints.reflection()
				.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.INVOKE_DECLARED_METHODS);
		}
		for (Class<?> type : List.of(OnBusy.class, OnLost.class, OnUnavailable.class, ReleasePhase.class,
				LockValidation.class)) {
			registerReadable(type, hints.reflection());
		}
		// What #root has, and what is often asked of it.
		for (Class<?> type : List.of(KeyRoot.class, Method.class, Class.class)) {
			registerReadable(type, hints.reflection());
		}
		for (String type : OPTIONAL_TYPES) {
			hints.reflection().registerTypeIfPresent(classLoader, type, (hint) -> {
			});
		}
		for (String type : CONNECTION_DETAILS) {
			for (String part : List.of("", "$Sentinel", "$Standalone")) {
				hints.reflection()
					.registerTypeIfPresent(classLoader, type + part, MemberCategory.INVOKE_PUBLIC_METHODS);
			}
		}
	}

	/**
	 * Let public methods be called and public fields be read.
	 */
	static void registerReadable(Class<?> type, ReflectionHints hints) {
		hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
		// One by one, as the category for all has another name in Spring Framework 6.
		for (Field field : type.getFields()) {
			hints.registerField(field);
		}
	}

}
