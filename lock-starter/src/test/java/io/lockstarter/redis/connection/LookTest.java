// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Looks at a server that may be the primary now, while the one before lives on.
 */
class LookTest {

	private static final String FENCE = "{lock}fence";

	private final RedisServer former = RedisServers.start();

	private final RedisServer successor = RedisServers.start();

	private final RedisClient client = RedisClient.create(uri(this.former));

	private final BatchScript script = ScriptTexts.script(RedisStoreSettings.defaults());

	private final CurrentClient source = new CurrentClient(ApplicationRedis.of(this.client), Duration.ofSeconds(10));

	private final AtomicReference<@Nullable String> present = new AtomicReference<>();

	private final AtomicInteger reorderings = new AtomicInteger();

	private final Line line = line();

	@AfterEach
	void close() {
		this.line.close().toCompletableFuture().join();
		this.client.shutdown();
		this.successor.close();
		this.former.close();
	}

	@Test
	void tokensOfAPrimaryThatWasReplacedStayBehindThoseOfItsSuccessor() {
		this.former.commands().set(FENCE, "1000");
		this.successor.commands().set(FENCE, "1000");
		this.line.open().join();
		await().until(() -> fence(this.former) > 1000);
		this.line.check(uri(this.successor), true).join();
		await().until(() -> runId(this.successor).equals(this.present.get()));
		long before = fence(this.former);
		await().until(() -> fence(this.successor) > before);
		// A Sentinel that was cut off names the one before.
		int looks = looks();
		this.line.check(uri(this.former), false).join();
		await().until(() -> looks() > looks);
		assertThat(this.line.runId()).isEqualTo(runId(this.successor));
		assertThat(this.present).hasValue(runId(this.successor));
		assertThat(fence(this.former)).isEqualTo(before);
		this.line.check(uri(this.former), true).join();
		await().until(() -> runId(this.former).equals(this.present.get()));
		await("it is the primary again").until(() -> fence(this.former) > fence(this.successor));
	}

	@Test
	void connectionToAServerThatWasReplacedIsClosed() {
		this.line.open().join();
		assertThat(clients(this.former)).isOne();
		this.line.check(uri(this.successor), true).join();
		await().until(() -> runId(this.successor).equals(this.present.get()));
		await().until(() -> clients(this.former) == 0);
		assertThat(clients(this.successor)).isOne();
		assertThat(this.reorderings).as("what is sent there may overtake what was sent before").hasValue(1);
	}

	// but for that of the test
	private static int clients(RedisServer server) {
		return server.commands().clientList().split("\n").length - 1;
	}

	// Each look ends with a connection that is closed again.
	private int looks() {
		String stats = this.former.commands().info("stats");
		int received = Integer.parseInt(stats.replaceAll("(?s).*total_connections_received:(\\d+).*", "$1"));
		int open = this.former.commands().clientList().split("\n").length;
		return received - open;
	}

	private static long fence(RedisServer server) {
		return Long.parseLong(server.commands().get(FENCE));
	}

	private Line line() {
		return new Line(this.source, this.script, false, new LineObserver() {

			@Override
			public void connected(SharedConnection connection, boolean again) {
				LookTest.this.present.set(connection.server().runId());
			}

			@Override
			public void reordered() {
				LookTest.this.reorderings.incrementAndGet();
			}

			@Override
			public void closed() {
			}

			@Override
			public void linkChanged() {
			}

		}, new Unwatched());
	}

	private static String runId(RedisServer server) {
		return server.commands().info("server").replaceAll("(?s).*run_id:([0-9a-f]+).*", "$1");
	}

	private static RedisURI uri(RedisServer server) {
		return RedisURI.create(server.host(), server.port());
	}

}
