// SPDX-License-Identifier: Apache-2.0
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
