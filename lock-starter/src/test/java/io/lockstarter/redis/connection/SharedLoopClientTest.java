// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.tracing.MicrometerTracing;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class SharedLoopClientTest {

	private final RedisServer server = RedisServers.shared();

	private final ClientResources resources = ClientResources.create();

	@AfterEach
	void close() {
		this.resources.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
	}

	@Test
	void connectionsOfTheStoreShareAThread() {
		RedisURI address = RedisURI.create(this.server.host(), this.server.port());
		RedisClient application = RedisClient.create(this.resources, address);
		LettuceClient client = LettuceClient.of(application, List.of(), Duration.ofSeconds(3));
		List<StatefulRedisConnection<String, String>> connections = List.of(
				client.connectAlone(address, client.deadline(true)).join(),
				client.connectAlone(address, client.deadline(false)).join(),
				client.connectAlone(address, client.deadline(false)).join());
		assertThat(connections.stream().map(SharedLoopClientTest::threadOf).distinct()).hasSize(1);
		connections.forEach(StatefulRedisConnection::close);
		client.close().join();
		application.shutdown(Duration.ZERO, Duration.ZERO);
	}

	/**
	 * Lettuce warns of a connection that is closed twice, and closes all that there are
	 * when its client is shut down.
	 */
	@Test
	void connectionThatIsBeingClosedIsNotClosedOnceMoreWithTheClient(CapturedOutput output) {
		RedisURI address = RedisURI.create(this.server.host(), this.server.port());
		SharedLoopClient client = new SharedLoopClient(this.resources);
		List<StatefulRedisConnection<String, String>> connections = IntStream.range(0, 20)
			.mapToObj((i) -> client.connect(address))
			.toList();
		connections.forEach((connection) -> {
			var unused = client.close(connection);
		});
		client.shutdown(Duration.ZERO, Duration.ZERO);
		assertThat(connections).allSatisfy((connection) -> assertThat(client.close(connection)).isCompleted());
		assertThat(output).doesNotContain("already closed");
	}

	@Test
	void connectionsToOtherAddressesDoNot() {
		SharedLoopClient client = new SharedLoopClient(this.resources);
		try (RedisServer other = RedisServers.start()) {
			StatefulRedisConnection<String, String> one = client
				.connect(RedisURI.create(this.server.host(), this.server.port()));
			StatefulRedisConnection<String, String> two = client.connect(RedisURI.create(other.host(), other.port()));
			assertThat(threadOf(one)).isNotEqualTo(threadOf(two));
			client.shutdown(Duration.ZERO, Duration.ZERO);
		}
	}

	@Test
	void threadThatEndedIsReplacedAlthoughAllOfTheApplicationHaveEnded() {
		List<EventLoop> loops = new CopyOnWriteArrayList<>();
		ClientResources few = watched(loops);
		RedisURI address = RedisURI.create(this.server.host(), this.server.port());
		RedisClient application = RedisClient.create(few, address);
		try (RedisLockStore store = new RedisLockStore(application, RedisStoreSettings.defaults())) {
			for (int ended = 0; ended < 3; ended++) {
				await().ignoreExceptions().untilAsserted(() -> assertThat(release(store)).isFalse());
				EventLoop last = loops.get(loops.size() - 1);
				assertThat(last.isShuttingDown()).isFalse();
				last.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
			}
			await().ignoreExceptions().untilAsserted(() -> assertThat(release(store)).isFalse());
			assertThat(loops).as("all of both, and another one").hasSizeGreaterThan(3);
		}
		application.shutdown(Duration.ZERO, Duration.ZERO);
		few.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
		await().untilAsserted(() -> assertThat(loops).allMatch(EventLoop::isShuttingDown));
	}

	private static ClientResources watched(List<EventLoop> loops) {
		return ClientResources.builder().ioThreadPoolSize(2).nettyCustomizer(new NettyCustomizer() {
			@Override
			public void afterChannelInitialized(Channel channel) {
				loops.add(channel.eventLoop());
			}
		}).build();
	}

	private static boolean release(RedisLockStore store) throws Exception {
		return store.release(new Release("thread", "a", "a:1", false)).get(1, TimeUnit.SECONDS);
	}

	@Test
	void clientOfAThreadThatEndedIsNotUsedAnyMore() {
		List<EventLoop> loops = new CopyOnWriteArrayList<>();
		ClientResources watched = watched(loops);
		RedisURI address = RedisURI.create(this.server.host(), this.server.port());
		RedisClient application = RedisClient.create(watched, address);
		LettuceClient client = LettuceClient.of(application, List.of(), Duration.ofSeconds(3));
		client.connectAlone(address, client.deadline(true)).join();
		assertThat(client.isOf(application)).isTrue();
		loops.get(0).shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
		await().untilAsserted(() -> assertThat(client.isOf(application)).isFalse());
		client.close().join();
		application.shutdown(Duration.ZERO, Duration.ZERO);
		watched.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
	}

	/**
	 * Lettuce takes it for one in a connection that may be subscribed.
	 */
	@Test
	void replyThatLooksLikeAMessageIsNone() {
		SharedLoopClient client = new SharedLoopClient(this.resources);
		StatefulRedisPubSubConnection<String, String> connection = client
			.connectPubSubAsync(StringCodec.UTF8, RedisURI.create(this.server.host(), this.server.port()))
			.toCompletableFuture()
			.join();
		List<String> messages = new CopyOnWriteArrayList<>();
		connection.addListener(new RedisPubSubAdapter<>() {
			@Override
			public void message(String channel, String message) {
				messages.add(message);
			}
		});
		connection.sync().subscribe("channel");
		String script = "redis.call('publish', 'channel', 'a message') return { 'message', 'channel', ARGV[1] }";
		assertThat(connection.sync().<List<Object>>eval(script, ScriptOutputType.MULTI, new String[0], "a reply"))
			.containsExactly("message", "channel", "a reply");
		await().untilAsserted(() -> assertThat(messages).containsExactly("a message"));
		client.shutdown(Duration.ZERO, Duration.ZERO);
	}

	/**
	 * A batch has commands of several callers, and a renewal has none.
	 */
	@Test
	void commandsOfTheStoreAreNotTraced() {
		TestObservationRegistry observations = TestObservationRegistry.create();
		RedisURI address = RedisURI.create(this.server.host(), this.server.port());
		ClientResources traced = ClientResources.builder()
			.tracing(new MicrometerTracing(observations, "redis"))
			.build();
		RedisClient application = RedisClient.create(traced, address);
		try (StatefulRedisConnection<String, String> connection = application.connect()) {
			connection.sync().ping();
			TestObservationRegistryAssert.assertThat(observations)
				.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("db.operation", "PING"));
			observations.clear();
		}
		LettuceClient client = LettuceClient.of(application, List.of(), Duration.ofSeconds(3));
		try (StatefulRedisConnection<String, String> connection = client.connectAlone(address, client.deadline(true))
			.join()) {
			connection.sync().ping();
			TestObservationRegistryAssert.assertThat(observations).doesNotHaveAnyObservation();
		}
		client.close().join();
		application.shutdown(Duration.ZERO, Duration.ZERO);
		traced.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
	}

	/**
	 * Netty would resolve the name on the shared thread, and blocks until that is done.
	 */
	@Test
	void nameThatTheJvmResolvesIsResolvedBeforehand() {
		ClientResources withJvmNames = this.resources.mutate()
			.addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
			.nettyCustomizer(new NettyCustomizer() {
				@Override
				public void afterBootstrapInitialized(Bootstrap bootstrap) {
					assertThat(bootstrap.config().resolver()).isInstanceOf(NoopAddressResolverGroup.class);
				}
			})
			.build();
		SharedLoopClient client = new SharedLoopClient(withJvmNames);
		StatefulRedisConnection<String, String> connection = client
			.connect(RedisURI.create("localhost", this.server.port()));
		assertThat(connection.sync().ping()).isEqualTo("PONG");
		RedisURI unknown = RedisURI.create("no-such-host.invalid", 6379);
		assertThatThrownBy(() -> client.connectAsync(StringCodec.UTF8, unknown).toCompletableFuture().join())
			.hasRootCauseInstanceOf(UnknownHostException.class)
			.satisfies((failure) -> assertThat(FailureText.of(failure))
				.startsWith("Unable to connect to no-such-host.invalid/<unresolved>:6379: no-such-host.invalid"));
		client.shutdown(Duration.ZERO, Duration.ZERO);
	}

	/**
	 * Lettuce begins to connect, then to listen for the end of it. If another thread told
	 * it in between, it would not know what the server said.
	 */
	@Test
	void threadThatTellsOfAConnectionBeginsIt() {
		List<Boolean> began = new CopyOnWriteArrayList<>();
		ClientResources watched = this.resources.mutate().nettyCustomizer(new NettyCustomizer() {
			@Override
			public void afterBootstrapInitialized(Bootstrap bootstrap) {
				began.add(((EventLoop) bootstrap.config().group()).inEventLoop());
			}
		}).build();
		SharedLoopClient client = new SharedLoopClient(watched);
		assertThat(client.connect(RedisURI.create(this.server.host(), this.server.port())).sync().ping())
			.isEqualTo("PONG");
		assertThat(client.connect(RedisURI.create("localhost", this.server.port())).sync().ping()).isEqualTo("PONG");
		assertThat(began).containsExactly(true, true);
		client.shutdown(Duration.ZERO, Duration.ZERO);
	}

	/**
	 * Returns which thread tells of a reply: one that comes late enough to be told of.
	 */
	private static String threadOf(StatefulRedisConnection<String, String> connection) {
		return connection.async()
			.waitForReplication(1, 200)
			.thenApply((replicas) -> Thread.currentThread().getName())
			.toCompletableFuture()
			.join();
	}

}
