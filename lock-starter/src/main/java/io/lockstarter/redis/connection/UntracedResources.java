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
package io.lockstarter.redis.connection;

import java.lang.reflect.Proxy;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.Tracing;

import org.springframework.util.ReflectionUtils;

/**
 * The application's {@link ClientResources}, without tracing. A batch belongs to no
 * trace: it has commands of several callers, and some that nobody called for.
 * <p>
 * A proxy, as versions of Lettuce differ in the methods of the interface. Mutated
 * resources would complain that nobody shuts them down, and share what belongs to the
 * application.
 */
final class UntracedResources {

	private UntracedResources() {
	}

	static ClientResources of(ClientResources application) {
		return application.tracing().isEnabled() ? untraced(application) : application;
	}

	private static ClientResources untraced(ClientResources application) {
		return (ClientResources) Proxy.newProxyInstance(ClientResources.class.getClassLoader(),
				new Class<?>[] { ClientResources.class },
				(proxy, method, arguments) -> method.getName().equals("tracing") ? Tracing.disabled()
						: ReflectionUtils.invokeMethod(method, application, arguments));
	}

}
