// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lockstarter.platform.Platform;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.redis.connection.ServerInfo;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * Tests of what the log says of the server that keeps the locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class ServerLogTest {

	@Test
	void firstConnectionIsLoggedOnceWithItsServer(CapturedOutput output) {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			soon().until(() -> lines(output).size() == 1);
			store.redis().clientKill(KillArgs.Builder.typeNormal().skipme());
			store.take("k", "a:1");
			assertThat(lines(output)).singleElement()
				.asInstanceOf(STRING)
				.contains("INFO")
				.containsPattern("Distributed locks are kept in (Redis|Valkey) \\d+\\.\\d+\\.\\d+ at 127.0.0.1:"
						+ server.port() + " \\(database 0\\)")
				.endsWith("begin with '{lock}'");
		}
	}

	@Test
	void storeThatIsClosedAndUsedAgainIsLoggedAgain(CapturedOutput output) {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			soon().until(() -> lines(output).size() == 1);
			store.store().close();
			store.take("k", "a:1");
			soon().until(() -> lines(output).size() == 2);
		}
	}

	@Test
	void outageIsALineAndItsEndAnother(CapturedOutput output) {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			server.stop();
			soon().until(() -> output.toString().contains("Redis cannot be reached"));
			server.start();
			soon().until(() -> output.toString().contains("Redis can be reached again, after "));
			assertThat(output.toString().lines().filter((line) -> line.contains("Redis cannot be reached")))
				.singleElement()
				.asInstanceOf(STRING)
				.contains("WARN")
				.contains("Look at Redis, at the network and at 'spring.data.redis.*' or 'distributed-lock.url'");
		}
	}

	@Test
	void subscriptionThatIsDeniedIsALineAndItsReturnAnother(CapturedOutput output) {
		try (RedisServer server = RedisServers.start();
				TestStore denied = TestStore.withAcl(server, "deaf", "-subscribe")) {
			Recorder signals = new Recorder();
			denied.store().listen("a", signals);
			signals.awaitEvent("deaf");
			assertThat(output).contains("Cannot subscribe to {lock}signal:a")
				.contains("Look at Redis, and at the permissions");
			TestStore.acl(server, "deaf", "+subscribe");
			soon().until(() -> output.toString().contains("Signals are received again on {lock}signal:a"));
		}
	}

	@Test
	void primaryOfSentinelsIsNamed(CapturedOutput output) {
		connected(RedisURI.Builder.sentinel("10.0.0.1", 26379, "orders").withPassword("secret".toCharArray()).build());
		assertThat(output).contains("are kept in Redis at the primary 'orders' that Sentinel names (database 0)")
			.doesNotContain("secret");
	}

	@Test
	void credentialsAreNotLogged(CapturedOutput output) {
		connected(RedisURI.create("redis://shop:secret@10.0.0.1:6380/5"));
		assertThat(output).contains("are kept in Redis at 10.0.0.1:6380 (database 5)")
			.doesNotContain("shop")
			.doesNotContain("secret");
	}

	@Test
	void socketIsNamedByItsPath(CapturedOutput output) {
		connected(RedisURI.Builder.socket("/run/redis.sock").withPassword("secret".toCharArray()).build());
		assertThat(output).contains("are kept in Redis at /run/redis.sock (database 0)");
	}

	private static List<String> lines(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("Distributed locks are kept in")).toList();
	}

	private static void connected(RedisURI uri) {
		new ServerLog("lock", false, ScriptPart.NONE, Platform.system().logTimer()).connected(uri,
				new ServerInfo(null, false, null, "Redis", null, true), false);
	}

}
