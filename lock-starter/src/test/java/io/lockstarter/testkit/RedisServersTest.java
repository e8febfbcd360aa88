// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the kit itself.
 */
class RedisServersTest {

	@Test
	void sharedServerAnswersAndIsTheSameEachTime() {
		assertThat(RedisServers.shared().commands().ping()).isEqualTo("PONG");
		assertThat(RedisServers.shared()).isSameAs(RedisServers.shared());
	}

	@Test
	void killedServerLosesItsDataAndKeepsItsAddress() {
		try (RedisServer server = RedisServers.start()) {
			server.commands().set("k", "v");
			int port = server.port();
			server.restart();
			assertThat(server.port()).isEqualTo(port);
			assertThat(server.commands().get("k")).isNull();
		}
	}

	@Test
	void killedServerWithAofKeepsItsData() {
		try (RedisServer server = RedisServers.start("--appendonly", "yes", "--appendfsync", "always")) {
			server.commands().set("k", "v");
			server.restart();
			assertThat(server.commands().get("k")).isEqualTo("v");
		}
	}

	@Test
	void serverThatIsRestartedEmptyHasNothingInSpiteOfItsAof() {
		try (RedisServer server = RedisServers.start("--appendonly", "yes", "--appendfsync", "always")) {
			server.commands().set("k", "v");
			server.restartEmpty();
			assertThat(server.commands().get("k")).isNull();
		}
	}

	@Test
	void pausedServerGoesOnWhenResumed() {
		try (RedisServer server = RedisServers.start()) {
			server.commands().ping();
			server.pause();
			CompletableFuture<String> reply = server.connection().async().ping().toCompletableFuture();
			assertThat(reply).isNotCompleted();
			server.resume();
			assertThat(reply).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("PONG");
		}
	}

	@Test
	void factoryLogsInWithTheServersPassword() {
		try (RedisServer server = RedisServers.start("--requirepass", "secret")) {
			var factory = server.connectionFactory();
			try (RedisConnection connection = factory.getConnection()) {
				assertThat(connection.ping()).isEqualTo("PONG");
			}
			finally {
				factory.destroy();
			}
			assertThat(server.commands().ping()).isEqualTo("PONG");
		}
	}

	@Test
	void proxyPassesSwallowsAndResets() throws IOException {
		RedisServer server = RedisServers.shared();
		try (TcpProxy proxy = new TcpProxy(server); Socket client = connect(proxy)) {
			client.setSoTimeout(5_000);
			client.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(client.getInputStream().readNBytes(7))
				.isEqualTo("+PONG\r\n".getBytes(StandardCharsets.US_ASCII));
			proxy.swallowReplies(true);
			client.getOutputStream().write("SET proxy 1\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII));
			await().until(() -> server.commands().del("proxy") == 1);
			proxy.reset();
			assertThatThrownBy(() -> client.getInputStream().readNBytes(1)).isInstanceOf(SocketException.class);
		}
	}

	private static Socket connect(TcpProxy proxy) throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), proxy.port());
	}

	@Test
	void closedServerIsGone() {
		RedisServer server = RedisServers.start();
		ProcessHandle handle = ProcessHandle.of(server.pid()).orElseThrow();
		server.close();
		assertThat(handle.isAlive()).isFalse();
		assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), server.port()).close())
			.isInstanceOf(IOException.class);
	}

}
