// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A user with no more rights than {@code docs/access-control.md} asks for can lock.
 */
public class LeastPrivilegeTest {

	private static final String USER = "user service ";

	@Test
	void userWithTheRightsThatAreNamedCanLock() throws IOException {
		try (RedisServer server = RedisServers.start(); TestStore store = TestStore.withAcl(server, "least", rules())) {
			Recorder holder = store.listen("a");
			Recorder next = store.listen("b");
			store.take("stock:42", "a:1");
			store.findBusy("stock:42", "b:1", true);
			holder.awaitEvent("contended stock:42");
			assertThat(store.renew("stock:42", "a:1")).isTrue();
			assertThat(value(store.release("stock:42", "a:1", true))).isTrue();
			next.awaitEvent("reserved stock:42");
			store.take("stock:42", "b:2");
			value(store.store().leave("stock:42", "a"));
			assertThat(store.release("stock:42", "b:2")).isTrue();
			assertThat(store.redis().get("{lock}server")).as("tokens would leap").isNotNull();
		}
	}

	@Test
	void userWithTheRightsForTheEndpointCanInspectAndForce() throws IOException {
		try (RedisServer server = RedisServers.start(); TestStore store = TestStore.withAcl(server, "least", rules())) {
			Recorder holder = store.listen("a");
			store.take("stock:42", "a:1");
			assertThat(TestStore.failure(store.store().inspect("stock:42")).isTransient()).isFalse();
			assertThat(TestStore.failure(store.store().scan(null, 10)).isTransient()).isFalse();
			assertThat(value(store.store().forceRelease("stock:42", "a:1"))).isTrue();
			holder.awaitEvent("forced stock:42 a:1");
			TestStore.acl(server, "least", "+zrange", "+scan");
			store.take("stock:42", "a:2");
			assertThat(value(store.store().inspect("stock:42")).lock().ownerIds()).containsExactly("a:2");
			assertThat(value(store.store().scan(null, 10)).locks()).hasSize(1);
		}
	}

	@Test
	void userWithTheRightsForSharedLocksCanShare() throws IOException {
		try (RedisServer server = RedisServers.start(); TestStore store = TestStore.withAcl(server, "least", rules())) {
			store.listen("a");
			Recorder next = store.listen("b");
			Acquire first = shared("a");
			for (String endpoint : List.of("-zrange", "+zrange")) {
				TestStore.acl(server, "least", endpoint);
				assertThat(TestStore.failure(store.store().acquire(first)).isTransient()).isFalse();
				assertThat(store.redis().exists("{lock}lock:stock:42", "{lock}readers:stock:42")).as("had no effect")
					.isZero();
			}
			store.take("stock:42", "d:1");
			Renew share = new Renew("stock:42", "d:1", Duration.ofSeconds(30));
			assertThat(TestStore.failure(store.store().share(share)).isTransient()).isFalse();
			assertThat(store.renew("stock:42", "d:1")).as("still held").isTrue();
			assertThat(store.release("stock:42", "d:1")).isTrue();
			TestStore.acl(server, "least", "+zrange", "+zremrangebyscore", "+pexpireat");
			assertThat(value(store.store().acquire(first))).isInstanceOf(Acquired.class);
			assertThat(value(store.store().acquire(shared("c")))).isInstanceOf(Acquired.class);
			store.findBusy("stock:42", "b:1", true);
			assertThat(store.renew("stock:42", "a:1")).isTrue();
			assertThat(store.release("stock:42", "a:1")).isTrue();
			assertThat(store.release("stock:42", "c:1")).isTrue();
			next.awaitEvent("reserved stock:42");
			store.take("stock:42", "b:2");
			assertThat(value(store.store().share(new Renew("stock:42", "b:2", Duration.ofSeconds(30))))).isTrue();
		}
	}

	private static Acquire shared(String instance) {
		return new Acquire("stock:42", instance, instance + ":1", Duration.ofSeconds(30), true, 1, true,
				LockMode.SHARED);
	}

	/**
	 * Return the rules for a user that docs/access-control.md shows.
	 */
	public static String[] rules() throws IOException {
		String user = Files.readAllLines(Path.of("../docs/access-control.md"))
			.stream()
			.filter((line) -> line.startsWith(USER))
			.findFirst()
			.orElseThrow();
		return ("reset " + user.substring(USER.length())).split(" ", -1);
	}

}
