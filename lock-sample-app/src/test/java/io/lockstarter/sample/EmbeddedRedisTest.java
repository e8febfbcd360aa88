package io.lockstarter.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link EmbeddedRedis} and {@link EmbeddedRedisInitializer}.
 */
class EmbeddedRedisTest {

	@Test
	void redisEndsAfterTheLastBeanWasDestroyed() {
		AtomicBoolean listeningAtDestruction = new AtomicBoolean();
		ConfigurableApplicationContext context = run();
		String url = url(context.getEnvironment());
		context.getBean(Witness.class).atDestruction = () -> listeningAtDestruction.set(isListening(url));
		context.close();
		assertThat(listeningAtDestruction).isTrue();
		awaitEnd(url);
	}

	@Test
	void redisEndsWhenTheApplicationFailsToStart() throws Exception {
		AtomicReference<String> url = new AtomicReference<>();
		ApplicationListener<ApplicationPreparedEvent> prepared = (event) -> url
			.set(url(event.getApplicationContext().getEnvironment()));
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			SpringApplicationBuilder application = new SpringApplicationBuilder(SampleApplication.class)
				.initializers(new EmbeddedRedisInitializer())
				.listeners(prepared);
			assertThatThrownBy(() -> application.run("--server.port=" + taken.getLocalPort()))
				.hasRootCauseInstanceOf(IOException.class)
				.hasCauseInstanceOf(PortInUseException.class);
		}
		assertThat(url.get()).isNotNull();
		awaitEnd(url.get());
	}

	@ParameterizedTest
	@ValueSource(strings = { "url=redis://r:1", "host=r", "port=1", "sentinel.master=m", "cluster.nodes=r:1",
			"cluster.nodes[0]=r:1", "masterreplica.nodes=r:1" })
	void aConfiguredRedisIsUsedInstead(String setting) {
		try (ConfigurableApplicationContext context = run("--spring.data.redis." + setting)) {
			assertThat(context.getEnvironment().getPropertySources().contains("embeddedRedis")).isFalse();
		}
	}

	@Test
	void aSettingThatSaysNotWhereRedisIsDoesNotMatter() {
		try (ConfigurableApplicationContext context = run("--spring.data.redis.timeout=1s")) {
			assertThat(context.getEnvironment().getPropertySources().contains("embeddedRedis")).isTrue();
		}
	}

	private static ConfigurableApplicationContext run(String... args) {
		return new SpringApplicationBuilder(Witness.class).web(WebApplicationType.NONE)
			.initializers(new EmbeddedRedisInitializer())
			.run(args);
	}

	private static String url(Environment environment) {
		return environment.getRequiredProperty("spring.data.redis.url");
	}

	private static boolean isListening(String url) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), URI.create(url).getPort())) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static void awaitEnd(String url) {
		await().atMost(Duration.ofSeconds(5)).until(() -> !isListening(url));
	}

	static class Witness implements DisposableBean {

		private Runnable atDestruction = () -> {
		};

		@Override
		public void destroy() {
			this.atDestruction.run();
		}

	}

}
