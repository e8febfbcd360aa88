// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import io.lockstarter.testkit.TcpProxy;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how the store connects, and of what it does while it cannot.
 */
class ConnectionTest {

	@Test
	void storeConnectsWithItsFirstCommandAndNotAgain() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			assertThat(store.clients()).isEmpty();
			store.take("k", "a:1");
			store.take("l", "a:2");
			assertThat(store.clients()).hasSize(1);
		}
	}

	@Test
	void manyFirstCommandsShareOneConnectionInTheirOrder() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			List<CompletableFuture<?>> replies = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				replies.add(store.acquire("k", "a:" + i, false).thenApply(Acquired.class::isInstance));
				replies.add(store.release("k", "a:" + i, false));
			}
			assertThat(replies).allSatisfy((reply) -> assertThat(value(reply)).isEqualTo(true));
			assertThat(store.clients()).hasSize(1);
		}
	}

	@Test
	void passwordDatabaseAndClientNameOfTheApplicationHold() {
		try (RedisServer server = RedisServers.start("--requirepass", "secret")) {
			LettuceConnectionFactory factory = server.connectionFactory((configuration) -> configuration.setDatabase(5),
					(clientConfiguration) -> clientConfiguration.clientName("shop"));
			try (TestStore store = new TestStore(server, factory, RedisStoreSettings.defaults())) {
				store.take("k", "a:1");
				store.listen("a");
				assertThat(store.redis().exists("{lock}lock:k")).isZero();
				store.redis().select(5);
				assertThat(store.redis().get("{lock}lock:k")).isEqualTo("a:1");
				assertThat(store.clients()).hasSize(1)
					.allSatisfy((client) -> assertThat(client).contains("name=shop").contains("db=5"));
			}
		}
	}

	@Test
	void wrongPasswordFailsEachCommandAtOnce() {
		try (RedisServer server = RedisServers.start("--requirepass", "secret");
				TestStore store = new TestStore(server, server
					.connectionFactory((configuration) -> configuration.setPassword("guess"), (clientConfiguration) -> {
					}), RedisStoreSettings.defaults())) {
			LockStoreException failure = failure(store.acquire("k", "a:1", false));
			assertThat(failure).hasMessageContaining("Cannot acquire k: Redis refused the connection: ")
				.hasMessageContaining("WRONGPASS")
				.hasMessageContaining("'spring.data.redis.username' and '.password'");
			assertThat(failure.isOutcomeUnknown()).isFalse();
		}
	}

	@Test
	void credentialsAreThereBeforeTheConnectionIsMade() {
		Queue<String> threads = new ConcurrentLinkedQueue<>();
		Mono<RedisCredentials> credentials = Mono.fromSupplier(() -> {
			threads.add(Thread.currentThread().getName());
			return RedisCredentials.just("default", "secret");
		});
		try (RedisServer server = RedisServers.start("--requirepass", "secret");
				TestStore store = withCredentials(server, credentials)) {
			store.take("k", "a:1");
			store.listen("a");
			assertThat(threads).containsOnly("lock-starter-connect");
		}
	}

	@Test
	void failureToGetCredentialsIsTold() {
		try (RedisServer server = RedisServers.start();
				TestStore store = withCredentials(server, Mono.error(new IOException("The vault is sealed")))) {
			assertThat(failure(store.acquire("k", "a:1", false))).hasMessageContaining("The vault is sealed");
		}
	}

	@Test
	void missingCredentialsAreTold() {
		try (RedisServer server = RedisServers.start(); TestStore store = withCredentials(server, Mono.empty())) {
			assertThat(failure(store.acquire("k", "a:1", false))).hasMessageContaining("returned no credentials");
		}
	}

	@Test
	void failedAttemptStandsForTheCommandsOfTheNextMoments() {
		try (RedisServer server = RedisServers.start("--requirepass", "secret");
				TestStore store = new TestStore(server, server
					.connectionFactory((configuration) -> configuration.setPassword("guess"), (clientConfiguration) -> {
					}), RedisStoreSettings.defaults())) {
			int before = connectionsReceived(store);
			long begin = System.nanoTime();
			for (int i = 0; i < 200; i++) {
				assertThat(failure(store.acquire("k", "a:1", false)))
					.hasMessageContaining("Cannot acquire k: Redis refused the connection: ");
			}
			long attempts = (long) connectionsReceived(store) - before;
			// Looked at last, so that no attempt comes between.
			long moments = (System.nanoTime() - begin) / Duration.ofMillis(50).toNanos();
			assertThat(attempts).isPositive().isLessThanOrEqualTo(moments + 1);
		}
	}

	@Test
	void unreachableServerFailsAllWaitingCommandsAndIsTriedAnewLater() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			server.stop();
			CompletableFuture<?> first = store.acquire("k", "a:1", false);
			CompletableFuture<?> second = store.release("k", "a:1", false);
			assertThat(List.of(failure(first), failure(second))).allSatisfy((failure) -> {
				assertThat(failure).hasMessageContaining("no connection to Redis");
				assertThat(failure.isOutcomeUnknown()).isFalse();
			});
			server.start();
			soon().until(() -> !store.acquire("k", "a:1", false).handle((reply, failure) -> failure != null).join());
		}
	}

	/**
	 * What made the attempt may hold what their callbacks need.
	 */
	@Test
	void commandsThatWaitedForAConnectionEndOnAThreadThatDoesNotConnect() {
		CompletableFuture<RedisCredentials> credentials = new CompletableFuture<>();
		try (RedisServer server = RedisServers.start();
				TestStore store = withCredentials(server, Mono.fromFuture(credentials))) {
			server.stop();
			CompletableFuture<String> ended = store.acquire("k", "a:1", false)
				.handle((reply, failure) -> Thread.currentThread().getName());
			// Not before, as the attempt may fail at once.
			credentials.complete(RedisCredentials.just("default", "secret"));
			assertThat(value(ended)).contains("eventExecutorLoop");
		}
	}

	@Test
	void killedConnectionIsReplacedWithoutNotice() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			for (int i = 0; i < 20; i++) {
				store.redis().clientKill(KillArgs.Builder.typeNormal().skipme());
				assertThat(store.renew("k", "a:1")).isTrue();
			}
			assertThat(store.release("k", "a:1")).isTrue();
		}
	}

	@Test
	void connectionThatHasBeenDownForASecondFailsCommandsAtOnceAsUnsent() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			server.kill();
			soon().untilAsserted(() -> {
				LockStoreException failure = failure(
						store.acquire("l", "a:2", false).orTimeout(200, TimeUnit.MILLISECONDS));
				assertThat(failure.isOutcomeUnknown()).isFalse();
			});
			long begin = System.nanoTime();
			for (int i = 0; i < 1_000; i++) {
				assertThat(failure(store.acquire("l", "a:2", false)).isOutcomeUnknown()).isFalse();
			}
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
		}
	}

	@Test
	void serverThatAcceptsConnectionsButNeverAnswersFailsCommandsAtOnceAsUnsent() {
		try (RedisServer server = RedisServers.start();
				TcpProxy proxy = new TcpProxy(server);
				TestStore store = TestStore.over(proxy, server)) {
			store.take("k", "a:1");
			server.pause();
			proxy.reset();
			soon().untilAsserted(() -> {
				LockStoreException failure = failure(
						store.acquire("l", "a:2", false).orTimeout(200, TimeUnit.MILLISECONDS));
				assertThat(failure).hasMessageContaining("no connection to Redis");
				assertThat(failure.isOutcomeUnknown()).isFalse();
			});
			server.resume();
			soon().until(() -> store.acquire("l", "a:3", false).handle((reply, failure) -> failure == null).join());
		}
	}

	@Test
	void serverThatComesBackAfterALongTimeIsFoundByTheNextCommand() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			server.kill();
			soon().until(() -> store.acquire("k", "a:2", false)
				.handle((reply, failure) -> failure != null && String.valueOf(failure).contains("no connection"))
				.completeOnTimeout(false, 100, TimeUnit.MILLISECONDS)
				.join());
			server.start();
			soon().pollInterval(Duration.ofMillis(60))
				.until(() -> store.acquire("k", "a:3", false)
					.handle((reply, failure) -> reply instanceof Acquired)
					.join());
		}
	}

	@Test
	void commandCancelledWhileDisconnectedIsNeverExecuted() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			server.kill();
			List<CompletableFuture<?>> cancelled = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				cancelled.add(store.acquire("cancelled" + i, "a:1", false));
			}
			cancelled.forEach((reply) -> reply.cancel(false));
			server.start();
			soon().until(() -> store.acquire("k", "a:2", false)
				.handle((reply, failure) -> reply instanceof Acquired)
				.join());
			assertThat(store.keys("{lock}lock:cancelled*")).isEmpty();
		}
	}

	@Test
	void commandEndedWhileDisconnectedIsLeftOutWhenTheOthersAreSentAgain() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			server.kill();
			List<CompletableFuture<?>> ended = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				ended.add(store.acquire("ended" + i, "a:1", false));
			}
			CompletableFuture<?> kept = store.acquire("kept", "a:1", false);
			// Not cancelled, which would have the connection replaced.
			ended.forEach((reply) -> reply.complete(null));
			server.start();
			assertThat(value(kept)).isInstanceOf(Acquired.class);
			assertThat(store.keys("{lock}lock:ended*")).isEmpty();
		}
	}

	@Test
	void closedStoreHasNoConnectionsAndReopensThemWithTheNextCommand() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			Recorder recorder = store.listen("a");
			store.store().close();
			soon().until(() -> store.clients().isEmpty());
			assertThat(recorder.events()).containsExactly("listening", "deaf");
			assertThat(store.renew("k", "a:1")).isTrue();
			soon().until(() -> recorder.events().size() == 3);
			assertThat(recorder.events()).containsExactly("listening", "deaf", "listening");
			store.findBusy("k", "b:1", true);
			recorder.awaitEvent("contended k");
		}
	}

	@Test
	void closeGivesUpWhatWaitsForAConnection() {
		LettuceConnectionFactory factory = RedisServers.shared().connectionFactory();
		try (TestStore store = new TestStore(RedisServers.shared(), factory, RedisStoreSettings.defaults())) {
			for (int i = 0; i < 20; i++) {
				CompletableFuture<?> waiting = store.acquire("close", "a:1", false);
				store.store().close();
				assertThat(waiting.handle((reply, failure) -> true)).succeedsWithin(Duration.ofSeconds(5));
			}
			store.release("close", "a:1");
		}
	}

	@Test
	void storeFollowsAFactoryThatIsStoppedAndStarted() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			store.take("k", "a:1");
			Recorder recorder = store.listen("a");
			store.factory().stop();
			LockStoreException failure = failure(store.release("k", "a:1", false));
			assertThat(failure).hasMessageContaining("LettuceConnectionFactory has been STOPPED");
			assertThat(failure.isOutcomeUnknown()).isFalse();
			store.factory().start();
			assertThat(store.renew("k", "a:1")).isTrue();
			soon().until(() -> List.copyOf(recorder.events()).equals(List.of("listening", "deaf", "listening")));
			assertThat(store.clients()).hasSize(1);
		}
	}

	@Test
	@Tag("boot4") // Spring Data 3 has none without a server
	void staticConfigurationWithoutServersIsRefused() {
		refuses(new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration()),
				"does not say where Redis is");
	}

	private static int connectionsReceived(TestStore store) {
		return Integer
			.parseInt(store.redis().info("stats").replaceAll("(?s).*total_connections_received:(\\d+).*", "$1"));
	}

	private static void refuses(LettuceConnectionFactory factory, String reason) {
		factory.afterPropertiesSet();
		factory.start();
		try (TestStore store = new TestStore(RedisServers.shared(), factory, RedisStoreSettings.defaults())) {
			LockStoreException failure = failure(store.acquire("k", "a:1", false));
			assertThat(failure).hasMessageContaining("Cannot acquire k").hasMessageContaining(reason);
			assertThat(failure.isOutcomeUnknown()).isFalse();
		}
	}

	private static TestStore withCredentials(RedisServer server, Mono<RedisCredentials> credentials) {
		return new TestStore(server, server.connectionFactory((configuration) -> {
		}, (clientConfiguration) -> clientConfiguration
			.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {

				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
					return () -> credentials;
				}

			})), RedisStoreSettings.defaults());
	}

}
