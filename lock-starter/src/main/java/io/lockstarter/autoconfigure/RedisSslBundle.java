// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the SSL bundle of {@code spring.data.redis.*}, or of a service connection, in the
 * connection details of Spring Boot. Their type and its properties differ between Spring
 * Boot 3.5 and 4, so they are read by name.
 */
final class RedisSslBundle {

	private static final List<String> TYPES = List.of(
			"org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
			"org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails");

	private static final List<List<String>> GETTERS = List.of(List.of("getSslBundle"),
			List.of("getSentinel", "getSslBundle"), List.of("getStandalone", "getSslBundle"));

	private RedisSslBundle() {
	}

	static @Nullable SslBundle find(BeanFactory beans) {
		ClassLoader classLoader = RedisSslBundle.class.getClassLoader();
		return TYPES.stream()
			.filter((type) -> ClassUtils.isPresent(type, classLoader))
			.flatMap((type) -> bundles(ClassUtils.resolveClassName(type, classLoader), beans))
			.findFirst()
			.orElse(null);
	}

	private static Stream<SslBundle> bundles(Class<?> type, BeanFactory beans) {
		Object details = beans.getBeanProvider(type).getIfUnique();
		return GETTERS.stream()
			.map((getters) -> value(type, details, getters))
			.filter(SslBundle.class::isInstance)
			.map(SslBundle.class::cast);
	}

	/**
	 * Call getters of public interfaces, which are what a native image knows, one after
	 * the other.
	 * @return the last value, or {@code null} if there is none in this version or setup
	 */
	private static @Nullable Object value(Class<?> type, @Nullable Object details, List<String> getters) {
		Class<?> owner = type;
		Object value = details;
		for (String getter : getters) {
			Method method = ReflectionUtils.findMethod(owner, getter);
			if (method == null || value == null) {
				return null;
			}
			value = ReflectionUtils.invokeMethod(method, value);
			owner = method.getReturnType();
		}
		return value;
	}

}
