// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.junit.jupiter.api.Test;

import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SimulatedConnection}.
 */
class SimulatedConnectionTest implements SimulatedConnection.Peer, RedisConnectionStateListener {

	private final List<String> seen = new ArrayList<>();

	@Override
	public void received(SimulatedConnection<?> connection, List<byte[]> request) {
		this.seen.add(String.join(" ", Resp.words(request)));
	}

	@Override
	public void closed(SimulatedConnection<?> connection) {
		this.seen.add("closed");
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		this.seen.add("disconnected");
	}

	@Test
	void repliesComeWhenTheServerSaysSo() {
		SimulatedConnection<StatefulRedisConnection<String, String>> simulated = SimulatedConnection.open(this);
		RedisFuture<String> first = simulated.connection().async().get("a");
		RedisFuture<List<Object>> second = simulated.connection()
			.async()
			.eval("return 1", ScriptOutputType.MULTI, new String[] { "k" }, "v");
		RedisFuture<String> third = simulated.connection().async().get("c");
		assertThat(this.seen).containsExactly("GET a", "EVAL return 1 1 k v", "GET c");
		simulated.reply("x");
		assertThat(first.toCompletableFuture()).isCompletedWithValue("x");
		byte[] reply = Resp.encode(Reply.ofAll(Reply.of(1), Reply.of("two")));
		simulated.receive(new byte[] { reply[0] });
		assertThat(second.toCompletableFuture()).isNotDone();
		simulated.receive(Arrays.copyOfRange(reply, 1, reply.length));
		assertThat(second.toCompletableFuture()).isCompletedWithValue(List.of(1L, "two"));
		simulated.reply(new Reply.Failure("OOM no more"));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> third.toCompletableFuture().join())
			.withCauseInstanceOf(RedisCommandExecutionException.class);
	}

	@Test
	void whatIsUnansweredFailsBeforeListenersAreToldOfACut() {
		SimulatedConnection<StatefulRedisConnection<String, String>> simulated = SimulatedConnection.open(this);
		simulated.connection().addListener(this);
		var unused = simulated.connection().async().get("a").whenComplete((value, failure) -> {
			assertThat(simulated.connection().isOpen()).isFalse();
			this.seen.add(String.valueOf(failure.getMessage()));
		});
		simulated.cut();
		assertThat(this.seen).containsExactly("GET a", "Connection disconnected", "disconnected", "closed");
		assertThat(simulated.isOpen()).isFalse();
		simulated.reply("late");
		simulated.cut();
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> simulated.connection().async().get("b").toCompletableFuture().join())
			.withCauseInstanceOf(RedisException.class)
			.withMessageContaining("Currently not connected");
	}

	@Test
	void aConnectionThatIsClosedIsOverForTheServer() {
		SimulatedConnection<StatefulRedisConnection<String, String>> simulated = SimulatedConnection.open(this);
		assertThat(simulated.connection().closeAsync()).isCompleted();
		assertThat(this.seen).containsExactly("closed");
		assertThat(simulated.connection().isOpen()).isFalse();
	}

	@Test
	void commandsThatAreHeldAreWrittenLater() {
		SimulatedConnection<StatefulRedisConnection<String, String>> simulated = SimulatedConnection.open(this);
		simulated.holdWrites();
		RedisFuture<String> first = simulated.connection().async().get("a");
		assertThat(simulated.hasHeldWrites()).isTrue();
		assertThat(this.seen).isEmpty();
		simulated.write();
		assertThat(this.seen).containsExactly("GET a");
		RedisFuture<String> second = simulated.connection().async().get("b");
		simulated.cut();
		assertThat(this.seen).containsExactly("GET a", "closed");
		assertThat(first.toCompletableFuture()).isCompletedExceptionally();
		assertThat(second.toCompletableFuture()).isCompletedExceptionally();
	}

	@Test
	void messagesComeToListeners() {
		SimulatedConnection<StatefulRedisPubSubConnection<String, String>> simulated = SimulatedConnection
			.openPubSub(this);
		simulated.connection().addListener(new RedisPubSubAdapter<String, String>() {

			@Override
			public void subscribed(String channel, long count) {
				SimulatedConnectionTest.this.seen.add("subscribed " + channel + " " + count);
			}

			@Override
			public void ssubscribed(String channel, long count) {
				SimulatedConnectionTest.this.seen.add("ssubscribed " + channel + " " + count);
			}

			@Override
			public void sunsubscribed(String channel, long count) {
				SimulatedConnectionTest.this.seen.add("sunsubscribed " + channel + " " + count);
			}

			@Override
			public void message(String channel, String message) {
				SimulatedConnectionTest.this.seen.add("message " + channel + " " + message);
			}

			@Override
			public void smessage(String channel, String message) {
				SimulatedConnectionTest.this.seen.add("smessage " + channel + " " + message);
			}

		});
		RedisFuture<String> info = simulated.connection().async().info();
		RedisFuture<Void> plain = simulated.connection().async().subscribe("a");
		RedisFuture<Void> sharded = simulated.connection().async().ssubscribe("b");
		RedisFuture<Void> refused = simulated.connection().async().ssubscribe("c");
		simulated.reply("run_id:1");
		simulated.reply(List.of("message", "z", "early"));
		simulated.reply(List.of("subscribe", "a", 1));
		simulated.reply(List.of("ssubscribe", "b", 1));
		simulated.reply(new Reply.Failure("MOVED 1 other:6379"));
		simulated.reply(List.of("message", "a", "text"));
		simulated.reply(List.of("smessage", "b", "shard"));
		simulated.reply(List.of("sunsubscribe", "b", 0));
		assertThat(info.toCompletableFuture()).isCompletedWithValue("run_id:1");
		assertThat(plain.toCompletableFuture()).isCompleted();
		assertThat(sharded.toCompletableFuture()).isCompleted();
		assertThat(refused.toCompletableFuture()).isCompletedExceptionally();
		assertThat(this.seen).containsExactly("INFO", "SUBSCRIBE a", "SSUBSCRIBE b", "SSUBSCRIBE c", "message z early",
				"subscribed a 1", "ssubscribed b 1", "message a text", "smessage b shard", "sunsubscribed b 0");
	}

	@Test
	void theServerMayAnswerOrCutWithinTheRequest() {
		SimulatedConnection<StatefulRedisConnection<String, String>> simulated = SimulatedConnection
			.open((connection, request) -> {
				if (Resp.words(request).contains("a")) {
					connection.reply("x");
				}
				else {
					connection.cut();
				}
			});
		simulated.connection().addListener(this);
		assertThat(simulated.connection().async().get("a").toCompletableFuture()).isCompletedWithValue("x");
		assertThat(simulated.connection().async().get("b").toCompletableFuture()).isCompletedExceptionally();
		assertThat(this.seen).containsExactly("disconnected");
	}

	@Test
	void noThreadIsStarted() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		SimulatedConnection<StatefulRedisConnection<String, String>> simulated = SimulatedConnection.open(this);
		RedisFuture<String> value = simulated.connection().async().get("a");
		simulated.reply("x");
		assertThat(value.toCompletableFuture()).isCompleted();
		simulated.cut();
		assertThat(Thread.getAllStackTraces().keySet().stream().filter((thread) -> !before.contains(thread))).isEmpty();
	}

}
