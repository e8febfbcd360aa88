// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests of calls of the script that end with an error. The server is none: it answers
 * what it is told to.
 */
class CallErrorTest {

	private final ErrorServer server = new ErrorServer();

	private final RedisClient client = RedisClient.create(RedisServers.clientResources(),
			RedisURI.create("127.0.0.1", this.server.port()));

	private final RedisLockStore store = new RedisLockStore(this.client, RedisStoreSettings.defaults());

	@AfterEach
	void close() {
		this.store.close();
		this.client.shutdown();
		this.server.close();
	}

	@Test
	void commandOfACallThatFailedInItsMidstMayHaveBeenExecuted() {
		this.server.error = "-ERR user_script:368: too many results to unpack";
		assertThat(failure(release(1)).isOutcomeUnknown()).isTrue();
	}

	@Test
	void commandOfACallThatWasNotExecutedHadNoEffect() {
		this.server.error = "-NOPERM this user has no permissions to run the 'evalsha' command";
		assertThat(failure(release(1))).hasMessageContaining("NOPERM")
			.extracting(LockStoreException::isOutcomeUnknown)
			.isEqualTo(false);
	}

	/**
	 * That it finds nothing to release does not mean that there was nothing.
	 */
	@Test
	void commandThatIsSentAgainOnItsOwnMayHaveBeenExecutedBefore() {
		assertThat(release(0)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
		this.server.errorOfSeveral = "-ERR user_script:368: too many results to unpack";
		List<CompletableFuture<Boolean>> released = new ArrayList<>();
		for (int i = 1; i <= 200; i++) {
			released.add(release(i));
		}
		long unknown = released.stream()
			.map((reply) -> reply.handle((held, failure) -> held == null).join())
			.filter((failed) -> failed)
			.count();
		assertThat(unknown).isPositive().isEqualTo(this.server.failed.get());
	}

	private CompletableFuture<Boolean> release(int number) {
		return this.store.release(new Release("stock:42", "a", "a:" + number, false));
	}

	private static LockStoreException failure(CompletableFuture<?> reply) {
		return (LockStoreException) catchThrowableOfType(CompletionException.class,
				reply.orTimeout(10, TimeUnit.SECONDS)::join)
			.getCause();
	}

	/**
	 * Answers as a Redis would as far as a store asks, but calls of the script with an
	 * error.
	 */
	private static final class ErrorServer implements AutoCloseable {

		private static final String INFO = "redis_version:7.0.0\r\nrole:master\r\nrun_id:a1\r\n";

		private final ServerSocket listener;

		private volatile String error = ":0";

		private volatile String errorOfSeveral = "";

		private final AtomicInteger failed = new AtomicInteger();

		ErrorServer() {
			try {
				this.listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			Thread thread = new Thread(this::serve, "error server");
			thread.setDaemon(true);
			thread.start();
		}

		int port() {
			return this.listener.getLocalPort();
		}

		private void serve() {
			try (Socket socket = this.listener.accept();
					BufferedReader in = new BufferedReader(
							new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
				for (String line = in.readLine(); line != null; line = in.readLine()) {
					List<String> command = new ArrayList<>();
					for (int i = Integer.parseInt(line.substring(1)); i > 0; i--) {
						char[] text = new char[Integer.parseInt(in.readLine().substring(1))];
						for (int read = 0; read < text.length;) {
							read += in.read(text, read, text.length - read);
						}
						command.add(new String(text));
						in.readLine();
					}
					socket.getOutputStream().write((reply(command) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
				}
			}
			catch (IOException ex) {
				// Closed.
			}
		}

		private String reply(List<String> command) {
			return switch (command.get(0).toUpperCase(Locale.ROOT)) {
				case "HELLO" -> "-ERR unknown command 'HELLO'";
				case "PING" -> "+PONG";
				case "INFO" -> "$%d\r\n%s".formatted(INFO.length(), INFO);
				case "EVALSHA" -> {
					int keys = Integer.parseInt(command.get(2));
					boolean asks = !command.get(3 + keys).isEmpty();
					yield call(keys - (asks ? 2 : 1));
				}
				default -> "+OK";
			};
		}

		private String call(int commands) {
			if (commands > 1 && !this.errorOfSeveral.isEmpty()) {
				this.failed.addAndGet(commands);
				return this.errorOfSeveral;
			}
			return this.error.startsWith("-") ? this.error : "*%d%s".formatted(commands, "\r\n:0".repeat(commands));
		}

		@Override
		public void close() {
			try {
				this.listener.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
