// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.lockstarter.LockInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.factory.FactoryBean;

/**
 * {@link FactoryBean} that creates the {@link LockHealthIndicator} of Spring Boot 3.5,
 * where the types of health have other names: it is a proxy of the
 * {@code HealthIndicator} there.
 *
 * @since 0.1
 */
public final class LegacyLockHealthIndicator implements FactoryBean<Object> {

	private static final String PACKAGE = "org.springframework.boot.actuate.health.";

	/**
	 * The interface that is implemented.
	 */
	public static final String HEALTH_INDICATOR = PACKAGE + "HealthIndicator";

	private static final String STATUS = PACKAGE + "Status";

	private static final String BUILDER = PACKAGE + "Health$Builder";

	private final Supplier<@Nullable LockInspector> inspector;

	private final Class<?> type;

	private final Constructor<?> status;

	private final Constructor<?> builder;

	private final Method build;

	/**
	 * Create the factory.
	 * @param inspector gives what knows how the store is; {@code null} if a test has put
	 * a mock in its place
	 * @throws ReflectiveOperationException if this is not Spring Boot 3.5
	 */
	public LegacyLockHealthIndicator(Supplier<@Nullable LockInspector> inspector) throws ReflectiveOperationException {
		this.inspector = inspector;
		this.type = Class.forName(HEALTH_INDICATOR);
		Class<?> statusType = Class.forName(STATUS);
		this.status = statusType.getConstructor(String.class);
		Class<?> builderType = Class.forName(BUILDER);
		this.builder = builderType.getConstructor(statusType, Map.class);
		this.build = builderType.getMethod("build");
	}

	@Override
	public Class<?> getObjectType() {
		return this.type;
	}

	@Override
	public Object getObject() {
		return Proxy.newProxyInstance(this.type.getClassLoader(), new Class<?>[] { this.type },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "health" -> health(true);
					case "getHealth" -> health((boolean) arguments[0]);
					case "equals" -> proxy == arguments[0];
					case "hashCode" -> System.identityHashCode(proxy);
					default -> "Health of distributed locks";
				});
	}

	private Object health(boolean withDetails) throws ReflectiveOperationException {
		LockHealth health = check();
		Object builder = this.builder.newInstance(this.status.newInstance(health.status()),
				withDetails ? health.details() : Map.of());
		return this.build.invoke(builder);
	}

	private LockHealth check() {
		try {
			return LockHealth.check(this.inspector.get());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return down(ex);
		}
		catch (ExecutionException | RuntimeException ex) {
			return down(ex);
		}
	}

	private static LockHealth down(Exception failure) {
		return new LockHealth("DOWN", Map.of("error", String.valueOf(failure)));
	}

	/**
	 * Runtime hints for what is called here by reflection.
	 */
	public static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies().registerJdkProxy(TypeReference.of(HEALTH_INDICATOR));
			for (String type : new String[] { STATUS, BUILDER }) {
				hints.reflection()
					.registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS,
							MemberCategory.INVOKE_PUBLIC_METHODS);
			}
		}

	}

}
