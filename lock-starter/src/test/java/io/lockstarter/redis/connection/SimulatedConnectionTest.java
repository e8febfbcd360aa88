// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.io.ByteArrayOutputStream;
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
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
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
	public void received(SimulatedConnection connection, List<byte[]> request) {
		this.seen.add(String.join(" ", Resp.words(request)));
	}

	@Override
	public void closed(SimulatedConnection connection) {
		this.seen.add("closed");
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		this.seen.add("disconnected");
	}

	@Test
	void repliesComeWhenTheServerSaysSo() {
		SimulatedConnection simulated = SimulatedConnection.open(this);
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
		SimulatedConnection simulated = SimulatedConnection.open(this);
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
		SimulatedConnection simulated = SimulatedConnection.open(this);
		assertThat(simulated.connection().closeAsync()).isCompleted();
		assertThat(this.seen).containsExactly("closed");
		assertThat(simulated.connection().isOpen()).isFalse();
	}

	@Test
	void commandsThatAreHeldAreWrittenLater() {
		SimulatedConnection simulated = SimulatedConnection.open(this);
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
		SimulatedConnection simulated = SimulatedConnection.open(this);
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
		simulated.push(List.of("message", "z", "early"));
		simulated.push(List.of("subscribe", "a", 1));
		RedisFuture<String> amid = simulated.connection().async().get("k");
		simulated.push(List.of("ssubscribe", "b", 1));
		simulated.reply(new Reply.Failure("MOVED 1 other:6379"));
		simulated.push(List.of("message", "a", "text"));
		simulated.reply("value");
		simulated.push(List.of("smessage", "b", "shard"));
		simulated.push(List.of("sunsubscribe", "b", 0));
		assertThat(info.toCompletableFuture()).isCompletedWithValue("run_id:1");
		assertThat(plain.toCompletableFuture()).isCompleted();
		assertThat(amid.toCompletableFuture()).isCompletedWithValue("value");
		assertThat(sharded.toCompletableFuture()).isCompleted();
		assertThat(refused.toCompletableFuture()).isCompletedExceptionally();
		assertThat(this.seen).containsExactly("INFO", "SUBSCRIBE a", "SSUBSCRIBE b", "SSUBSCRIBE c", "message z early",
				"subscribed a 1", "GET k", "ssubscribed b 1", "message a text", "smessage b shard",
				"sunsubscribed b 0");
	}

	@Test
	void messagesComeAmidRepliesHoweverTheBytesAreCut() {
		byte[] bytes = bytes(new Reply.Push(List.of(Reply.of("message"), Reply.of("a"), Reply.of("1"))),
				Reply.ofAll(Reply.of(7), Reply.of("busy"), Reply.of(1)),
				new Reply.Push(List.of(Reply.of("subscribe"), Reply.of("a"), Reply.of(1))),
				new Reply.Push(List.of(Reply.of("message"), Reply.of("a"), Reply.of("2"))), Reply.of(3),
				new Reply.Push(List.of(Reply.of("smessage"), Reply.of("a"), Reply.of("3"))),
				new Reply.Failure("ERR no"), Reply.ofAll(Reply.of("message"), Reply.of("x")),
				new Reply.Push(List.of(Reply.of("message"), Reply.of("a"), Reply.of("4"))));
		for (int size = 1; size <= bytes.length; size++) {
			List<String> messages = new ArrayList<>();
			SimulatedConnection simulated = SimulatedConnection.open((connection, request) -> {
			});
			simulated.connection().addListener(new RedisPubSubAdapter<String, String>() {

				@Override
				public void message(String channel, String message) {
					messages.add(message);
				}

				@Override
				public void smessage(String channel, String message) {
					messages.add(message);
				}

			});
			RedisPubSubAsyncCommands<String, String> redis = simulated.connection().async();
			RedisFuture<List<Object>> list = redis.eval("a", ScriptOutputType.MULTI);
			RedisFuture<Void> subscribed = redis.subscribe("a");
			RedisFuture<Long> number = redis.waitForReplication(1, 100);
			RedisFuture<String> failed = redis.get("k");
			RedisFuture<List<Object>> last = redis.eval("b", ScriptOutputType.MULTI);
			for (int i = 0; i < bytes.length; i += size) {
				simulated.receive(Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + size)));
			}
			assertThat(messages).as("%d bytes each", size).containsExactly("1", "2", "3", "4");
			assertThat(list.toCompletableFuture()).isCompletedWithValue(List.of(7L, "busy", 1L));
			assertThat(subscribed.toCompletableFuture()).isCompleted();
			assertThat(number.toCompletableFuture()).isCompletedWithValue(3L);
			assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
			assertThat(last.toCompletableFuture()).isCompletedWithValue(List.of("message", "x"));
		}
	}

	private static byte[] bytes(Reply... replies) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (Reply reply : replies) {
			bytes.writeBytes(Resp.encode(reply));
		}
		return bytes.toByteArray();
	}

	@Test
	void theServerMayAnswerOrCutWithinTheRequest() {
		SimulatedConnection simulated = SimulatedConnection.open((connection, request) -> {
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
		SimulatedConnection simulated = SimulatedConnection.open(this);
		RedisFuture<String> value = simulated.connection().async().get("a");
		simulated.reply("x");
		assertThat(value.toCompletableFuture()).isCompleted();
		simulated.cut();
		assertThat(Thread.getAllStackTraces().keySet().stream().filter((thread) -> !before.contains(thread))).isEmpty();
	}

}
