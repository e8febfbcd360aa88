// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/**
 * Starts an {@link EmbeddedRedis} and creates a {@link LocalDatabase}, each unless the
 * application was told which one to use, or is to join the sale of another instance, and
 * tells other instances how to join.
 */
public final class LocalServicesInitializer implements ApplicationContextInitializer<GenericApplicationContext> {

	static final String PROPERTY_SOURCE = "localServices";

	static final String REDIS_URL = "spring.data.redis.url";

	static final String DATABASE_URL = "spring.datasource.url";

	private static final Set<String> REDIS_SETTINGS = Set.of("url", "host", "port", "sentinel", "cluster",
			"masterreplica");

	@Override
	public void initialize(GenericApplicationContext context) {
		// H2 reads it once, when its first class is loaded. Unset, it would listen on all
		// addresses of this machine.
		System.setProperty("h2.bindAddress", "127.0.0.1");
		join(context.getEnvironment());
		Map<String, Object> services = new LinkedHashMap<>();
		try {
			if (!isRedisConfigured(context.getEnvironment())) {
				EmbeddedRedis redis = EmbeddedRedis.start();
				// The first to be registered is the last to be destroyed, also if the
				// start fails.
				context.getDefaultListableBeanFactory().registerDisposableBean("embeddedRedis", redis::stop);
				services.put(REDIS_URL, redis.url());
			}
			if (!context.getEnvironment().containsProperty(DATABASE_URL)) {
				LocalDatabase database = LocalDatabase.create();
				context.getDefaultListableBeanFactory().registerDisposableBean("localDatabase", database::delete);
				services.put(DATABASE_URL, database.url());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No Redis or database of our own here: name others with --%s and --%s"
				.formatted(REDIS_URL, DATABASE_URL), ex);
		}
		if (!services.isEmpty()) {
			services.put("sale.host", true);
			context.getEnvironment().getPropertySources().addFirst(new MapPropertySource(PROPERTY_SOURCE, services));
			context.addApplicationListener(
					(ApplicationListener<ApplicationReadyEvent>) (event) -> Invitation.publish(context));
		}
	}

	/**
	 * Use the services of the sale that was opened last, if this instance was told so and
	 * not which services to use.
	 */
	private static void join(ConfigurableEnvironment environment) {
		if (environment.getProperty("sale.join", Boolean.class, false)
				&& !(isRedisConfigured(environment) && environment.containsProperty(DATABASE_URL))) {
			try {
				environment.getPropertySources()
					.addLast(new MapPropertySource("invitation", Invitation.accept(environment)));
			}
			catch (IOException ex) {
				throw new UncheckedIOException("This instance cannot join a sale: " + ex.getMessage(), ex);
			}
		}
	}

	private static boolean isRedisConfigured(Environment environment) {
		Set<String> configured = Binder.get(environment)
			.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of())
			.keySet();
		return !Collections.disjoint(configured, REDIS_SETTINGS);
	}

}
