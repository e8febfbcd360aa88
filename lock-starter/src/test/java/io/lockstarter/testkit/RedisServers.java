// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;
import redis.embedded.RedisExecProvider;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Where tests get a Redis from. By default it is a child process that runs the binary
 * which {@code embedded-redis} brings along: nothing to install, and a process that a
 * test may stop, kill and restart. The system property or environment variable
 * {@code LOCK_STARTER_REDIS} says otherwise: {@code docker} takes the shared server from
 * Docker, if Docker is up; {@code docker:} and an image, such as
 * {@code docker:valkey/valkey:8}, takes it from that image; {@code oldest} takes the
 * oldest version that is supported, and skips the tests where its binary does not run; a
 * path names another binary, such as that of a Valkey.
 * <p>
 * Everything that was started ends with this JVM. Thread-safe.
 */
public final class RedisServers {

	private static final String MODE = "LOCK_STARTER_REDIS";

	private static final String DOCKER = "docker:";

	private static final int ATTEMPTS = 5;

	private RedisServers() {
	}

	/**
	 * Return the server that all ordinary tests of this JVM share. Its data may be
	 * anyone's: a test uses keys of its own, and neither flushes, stops nor closes it.
	 * @return the shared server
	 */
	public static RedisServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Start a server for the caller alone, who closes it. Without arguments it persists
	 * nothing.
	 * @param config further arguments of {@code redis-server}, such as
	 * {@code "--appendonly", "yes"}
	 * @return a server that answers
	 */
	public static RedisServer start(String... config) {
		Path binary = binary();
		return start((port) -> RedisServer.ofProcess(binary, port, List.of(config), Map.of()));
	}

	/**
	 * Start a server that lets the caller {@code DEBUG} it, who closes it.
	 * @param config further arguments of {@code redis-server}
	 * @return a server that answers
	 */
	public static RedisServer startForDebugging(String... config) {
		List<String> debugging = new ArrayList<>(List.of(config));
		// Before 7.0 everybody may, and the option is an error.
		if (!version(binary()).matches(".*\\bv=[0-6]\\..*")) {
			debugging.addAll(List.of("--enable-debug-command", "yes"));
		}
		return start(debugging.toArray(String[]::new));
	}

	/**
	 * Start a server of the oldest version that is supported, for the caller alone, who
	 * closes it. The test is skipped where its binary does not run.
	 * @param environment variables of its process
	 * @return a server that answers
	 */
	public static RedisServer startOldest(Map<String, String> environment) {
		Path binary = oldest();
		return start((port) -> RedisServer.ofProcess(binary, port, List.of(), environment));
	}

	/**
	 * Start a Sentinel for the caller alone, who closes it.
	 * @param config lines of its configuration file, such as {@code "sentinel monitor …"}
	 * @return a Sentinel that answers
	 */
	public static RedisServer startSentinel(String... config) {
		Path binary = binary();
		return start((port) -> RedisServer.ofSentinel(binary, port, List.of(config)));
	}

	private static RedisServer start(IntFunction<RedisServer> atPort) {
		IllegalStateException failure = new IllegalStateException("No free port");
		for (int i = 0; i < ATTEMPTS; i++) {
			RedisServer server = atPort.apply(freePort());
			try {
				server.start();
				return server;
			}
			catch (IllegalStateException ex) {
				// Somebody may have taken the port in between.
				server.close();
				failure = ex;
			}
		}
		throw failure;
	}

	/**
	 * Return a port of 127.0.0.1 that was free a moment ago.
	 * @return the port
	 */
	public static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The event loops of all clients that the tests of this JVM make.
	 * @return the resources, which nobody shuts down
	 */
	public static ClientResources clientResources() {
		return Clients.RESOURCES;
	}

	static Path binary() {
		return "oldest".equals(mode()) ? oldest() : Binary.PATH;
	}

	static Path oldest() {
		Path binary = OldBinary.PATH;
		assumeTrue(binary != null, "No Redis 6.2 for this machine");
		return binary;
	}

	private static String mode() {
		return System.getProperty(MODE, System.getenv().getOrDefault(MODE, ""));
	}

	// Whoever names an image wants no other server.
	private static @Nullable String image() {
		if (mode().startsWith(DOCKER)) {
			return mode().substring(DOCKER.length());
		}
		return ("docker".equals(mode()) && DockerClientFactory.instance().isDockerAvailable()) ? "redis:7.4" : null;
	}

	/**
	 * Return what a binary says of its version.
	 * @param binary a Redis, or what may be one
	 * @return its one line; empty if it does not run
	 */
	private static String version(Path binary) {
		try {
			Process process = new ProcessBuilder(binary.toString(), "--version").redirectErrorStream(true).start();
			String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			return (process.waitFor() == 0) ? line : "";
		}
		catch (IOException ex) {
			return "";
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "";
		}
	}

	private static final class Binary {

		private static final Path PATH = (mode().contains("/") && !mode().startsWith(DOCKER))
				? Path.of(mode()).toAbsolutePath() : extract();

		private static Path extract() {
			try {
				return RedisExecProvider.defaultProvider().get().toPath().toAbsolutePath();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	/**
	 * Unpacked by the build. Unlike the other one it is linked dynamically, and runs only
	 * where its libraries are.
	 */
	private static final class OldBinary {

		private static final @Nullable Path PATH = find();

		private static @Nullable Path find() {
			File[] found = new File("target/old-redis").listFiles();
			if (found == null || found.length == 0 || !found[0].setExecutable(true)) {
				return null;
			}
			Path binary = found[0].toPath().toAbsolutePath();
			return version(binary).isEmpty() ? null : binary;
		}

	}

	private static final class Clients {

		private static final ClientResources RESOURCES = ClientResources.builder()
			.ioThreadPoolSize(4)
			.computationThreadPoolSize(4)
			.build();

	}

	private static final class Shared {

		private static final RedisServer SERVER = start(image());

		private static RedisServer start(@Nullable String image) {
			return (image != null) ? docker(image) : RedisServers.start();
		}

		// Testcontainers' own reaper ends the container after this JVM.
		@SuppressWarnings("resource")
		private static RedisServer docker(String image) {
			GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image)).withExposedPorts(6379);
			container.start();
			return RedisServer.ofRemote(container.getHost(), container.getMappedPort(6379));
		}

	}

}
