// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps in a native image what is read from clients of Lettuce and from their connection
 * factories, or put before them.
 */
final class ClientHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.proxies().registerJdkProxy(ClientResources.class);
		registerField(hints, ReflectionUtils.findField(RedisClient.class, LettuceClient.ADDRESS));
		registerField(hints, ReflectionUtils.findField(RedisClusterClient.class, LettuceClient.SEEDS));
		registerField(hints, StaticNodes.configuration());
		Method address = StaticNodes.address();
		if (address != null) {
			hints.reflection().registerMethod(address, ExecutableMode.INVOKE);
		}
	}

	private static void registerField(RuntimeHints hints, @Nullable Field field) {
		if (field != null) {
			hints.reflection().registerField(field);
		}
	}

}
