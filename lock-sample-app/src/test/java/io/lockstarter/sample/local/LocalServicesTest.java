// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.sample.SampleApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for {@link LocalServicesInitializer} and what it starts.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocalServicesTest {

	@TempDir
	private Path directory;

	@Test
	void redisAndTheDatabaseEndAfterTheLastBeanWasDestroyed() {
		AtomicBoolean thereAtDestruction = new AtomicBoolean();
		ConfigurableApplicationContext context = run();
		String redis = redisUrl(context.getEnvironment());
		Path database = database(context.getEnvironment());
		context.getBean(Witness.class).atDestruction = () -> thereAtDestruction
			.set(isListening(redis) && Files.exists(database));
		context.close();
		assertThat(thereAtDestruction).isTrue();
		assertThat(database).doesNotExist();
		awaitEnd(redis);
	}

	@Test
	void redisEndsWhenTheApplicationFailsToStart() throws Exception {
		AtomicReference<String> url = new AtomicReference<>();
		ApplicationListener<ApplicationPreparedEvent> prepared = (event) -> url
			.set(redisUrl(event.getApplicationContext().getEnvironment()));
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			SpringApplicationBuilder application = new SpringApplicationBuilder(SampleApplication.class)
				.initializers(new LocalServicesInitializer())
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
			assertThat(context.getBeanFactory().containsSingleton("embeddedRedis")).isFalse();
			assertThat(isHost(context)).isTrue();
		}
	}

	@Test
	void aSettingThatSaysNotWhereRedisIsDoesNotMatter() {
		try (ConfigurableApplicationContext context = run("--spring.data.redis.timeout=1s")) {
			assertThat(redisUrl(context.getEnvironment())).startsWith("redis://127.0.0.1:");
		}
	}

	@Test
	void whoUsesTheServicesOfOthersIsNotTheirHost() {
		try (ConfigurableApplicationContext context = run("--spring.data.redis.url=redis://r:1",
				"--spring.datasource.url=jdbc:h2:mem:other")) {
			assertThat(isHost(context)).isFalse();
		}
	}

	@Test
	void anInstanceThatJoinsFindsTheServicesInTheInvitation() {
		try (ConfigurableApplicationContext first = run();
				ConfigurableApplicationContext second = run("--sale.join=true")) {
			assertThat(redisUrl(second.getEnvironment())).isEqualTo(redisUrl(first.getEnvironment()));
			assertThat(database(second.getEnvironment())).isEqualTo(database(first.getEnvironment()));
			assertThat(isHost(second)).isFalse();
		}
		assertThat(invitation()).doesNotExist();
	}

	@Test
	void anInvitationThatOthersMayHaveWrittenIsNotRead() throws IOException {
		Files.writeString(invitation(), "spring.datasource.url=jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'evil.sql'");
		Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxrwxrwx"));
		assertThatThrownBy(() -> run("--sale.join=true")).isInstanceOf(UncheckedIOException.class)
			.hasMessage("This instance cannot join a sale: Others may write to %s: it is not read", this.directory);
		Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwx------"));
		Files.setPosixFilePermissions(invitation(), PosixFilePermissions.fromString("rw-rw----"));
		assertThatThrownBy(() -> run("--sale.join=true")).hasMessageContaining("Others may write to " + invitation());
	}

	@Test
	void anInvitationOfAnotherUserIsNotRead() throws IOException {
		Files.writeString(invitation(), "spring.datasource.url=jdbc:h2:mem:x");
		assumeTrue(belongsToRoot(this.directory), "Only root can give files away");
		Files.setAttribute(invitation(), "unix:uid", 65534);
		assertThatThrownBy(() -> run("--sale.join=true")).hasMessageContainingAll("cannot join a sale",
				invitation() + " belongs to ");
		Files.setAttribute(invitation(), "unix:uid", 0);
		Files.setAttribute(this.directory, "unix:uid", 65534);
		assertThatThrownBy(() -> run("--sale.join=true")).hasMessageContaining(this.directory + " belongs to ");
	}

	@Test
	void anInvitationThatIsALinkIsNotRead() throws IOException {
		Path target = Files.writeString(this.directory.resolve("target"), "spring.datasource.url=jdbc:h2:mem:x");
		Files.createSymbolicLink(invitation(), target);
		assertThatThrownBy(() -> run("--sale.join=true")).hasMessageContaining(invitation() + " is a link");
	}

	@Test
	void whoJoinsWhereNoSaleIsOpenIsToldSo() {
		assertThatThrownBy(() -> run("--sale.join=true")).hasMessageContaining("No sale is open on this machine");
	}

	@Test
	void anInvitationIsWrittenWhereNobodyElseCanRead(CapturedOutput output) throws IOException {
		Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxrwxrwx"));
		Files.createSymbolicLink(invitation(), this.directory.resolve("elsewhere"));
		try (ConfigurableApplicationContext context = run()) {
			assertThat(context.isRunning()).isTrue();
			assertThat(Files.getPosixFilePermissions(this.directory))
				.isEqualTo(PosixFilePermissions.fromString("rwx------"));
			assertThat(Files.isRegularFile(invitation(), LinkOption.NOFOLLOW_LINKS)).isTrue();
			assertThat(this.directory.resolve("elsewhere")).doesNotExist();
		}
		assertThat(output).contains("The sale is open");
	}

	private static boolean belongsToRoot(Path path) throws IOException {
		return Integer.valueOf(0).equals(Files.getAttribute(path, "unix:uid"));
	}

	@Test
	void whoEndsDoesNotWithdrawTheInvitationOfAnother() {
		ConfigurableApplicationContext first = run();
		try (ConfigurableApplicationContext second = run()) {
			first.close();
			assertThat(invitation()).content().contains(redisUrl(second.getEnvironment()).replace(":", "\\:"));
		}
	}

	private ConfigurableApplicationContext run(String... args) {
		return new SpringApplicationBuilder(Witness.class).web(WebApplicationType.NONE)
			.initializers(new LocalServicesInitializer())
			.run(StringUtils.addStringToArray(args, "--sale.invitation=" + invitation()));
	}

	private Path invitation() {
		return this.directory.resolve("sale.properties");
	}

	private static boolean isHost(ConfigurableApplicationContext context) {
		return context.getEnvironment().getProperty("sale.host", Boolean.class, false);
	}

	private static String redisUrl(Environment environment) {
		return environment.getRequiredProperty("spring.data.redis.url");
	}

	private static Path database(Environment environment) {
		String url = environment.getRequiredProperty("spring.datasource.url");
		return Path.of(url.substring("jdbc:h2:file:".length(), url.indexOf(';'))).getParent();
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
