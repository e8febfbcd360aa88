package io.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/**
 * Starts an {@link EmbeddedRedis} unless the application was told which Redis to use.
 */
class EmbeddedRedisInitializer implements ApplicationContextInitializer<GenericApplicationContext> {

	private static final Log logger = LogFactory.getLog(EmbeddedRedisInitializer.class);

	private static final String PREFIX = "spring.data.redis";

	private static final Set<String> CONNECTION_SETTINGS = Set.of("url", "host", "port", "sentinel", "cluster",
			"masterreplica");

	@Override
	public void initialize(GenericApplicationContext context) {
		if (isConnectionConfigured(context.getEnvironment())) {
			return;
		}
		EmbeddedRedis redis = start();
		// The first to be registered is the last to be destroyed, also if the start
		// fails.
		context.getDefaultListableBeanFactory().registerDisposableBean("embeddedRedis", redis::stop);
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("embeddedRedis", Map.of(PREFIX + ".url", redis.url())));
		context.addApplicationListener((ApplicationListener<ApplicationReadyEvent>) (event) -> logger.info("""
				Redis runs at %1$s. A second instance of this sale, from the root of the project:
				mvn -q spring-boot:run -Dspring-boot.run.arguments="--server.port=8081 --spring.data.redis.url=%1$s"
				""".formatted(redis.url())));
	}

	private static EmbeddedRedis start() {
		try {
			return EmbeddedRedis.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No embedded Redis here: name another with --spring.data.redis.url", ex);
		}
	}

	private static boolean isConnectionConfigured(Environment environment) {
		Set<String> configured = Binder.get(environment)
			.bind(PREFIX, Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of())
			.keySet();
		return !Collections.disjoint(configured, CONNECTION_SETTINGS);
	}

}
