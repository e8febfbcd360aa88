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

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.InvalidPropertyException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.ClassUtils;

/**
 * Finds the SSL bundle of {@code spring.data.redis.*}, or of a service connection, in the
 * connection details of Spring Boot. Their type and its properties differ between Spring
 * Boot 3.5 and 4, so they are read by name.
 */
final class RedisSslBundle {

	private static final List<String> TYPES = List.of(
			"org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
			"org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails");

	private static final List<String> PROPERTIES = List.of("sslBundle", "sentinel.sslBundle", "standalone.sslBundle");

	private RedisSslBundle() {
	}

	static @Nullable SslBundle find(BeanFactory beans) {
		ClassLoader classLoader = RedisSslBundle.class.getClassLoader();
		return TYPES.stream()
			.filter((type) -> ClassUtils.isPresent(type, classLoader))
			.map((type) -> beans.getBeanProvider(ClassUtils.resolveClassName(type, classLoader)).getIfUnique())
			.filter(Objects::nonNull)
			.flatMap(RedisSslBundle::bundles)
			.findFirst()
			.orElse(null);
	}

	private static Stream<SslBundle> bundles(Object details) {
		BeanWrapper properties = new BeanWrapperImpl(details);
		return PROPERTIES.stream()
			.map((property) -> value(properties, property))
			.filter(SslBundle.class::isInstance)
			.map(SslBundle.class::cast);
	}

	private static @Nullable Object value(BeanWrapper properties, String property) {
		try {
			return properties.getPropertyValue(property);
		}
		catch (InvalidPropertyException ex) {
			// Not in this version, or nothing of that kind.
			return null;
		}
	}

}
