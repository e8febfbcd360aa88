package io.lockstarter.redis;

import java.lang.reflect.Field;

import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps the scripts in a native image.
 */
final class ScriptHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("META-INF/lock-starter/*.lua");
		// See StoreClients.
		Field uri = ReflectionUtils.findField(RedisClient.class, "redisURI");
		if (uri != null) {
			hints.reflection().registerField(uri);
		}
	}

}
