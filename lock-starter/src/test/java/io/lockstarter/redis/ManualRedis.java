// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lettuce.core.RedisURI;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.platform.Timer;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.redis.connection.SimulatedTransport;
import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;
import io.lockstarter.store.LockStore.ConnectionListener;

/**
 * A server that accepts connections and gets them ready by itself, and answers the calls
 * of the script when the test says so.
 */
public final class ManualRedis implements SimulatedTransport.Dialler, SimulatedConnection.Peer {

	private final List<SimulatedConnection> connections = new ArrayList<>();

	private final Queue<Call> calls = new ArrayDeque<>();

	private Consumer<Runnable> pace = Runnable::run;

	private int threads;

	private int waits;

	private int dialled;

	private String runId = "a1";

	private final List<String> firstQuestions = new ArrayList<>();

	private Object firstAnswer = List.of();

	/**
	 * Create a store that keeps its locks here.
	 */
	public RedisLockStore store(SimulatedPlatform platform) {
		return store(this, platform, platform);
	}

	/**
	 * Create a store that keeps its locks here, or wherever it is connected to.
	 */
	static RedisLockStore store(SimulatedTransport.Dialler dialler, Timer timer, Platform platform) {
		return store(dialler, timer, platform, RedisStoreSettings.defaults());
	}

	static RedisLockStore store(SimulatedTransport.Dialler dialler, Timer timer, Platform platform,
			RedisStoreSettings settings) {
		return store(RedisURI.create("redis://redis"), dialler, timer, platform, settings);
	}

	static RedisLockStore store(RedisURI address, SimulatedTransport.Dialler dialler, Timer timer, Platform platform,
			RedisStoreSettings settings) {
		return new RedisLockStore(
				SimulatedTransport.application(dialler, () -> timer, List.of(address), false, platform), settings);
	}

	/**
	 * Let each step of a new connection take a while.
	 */
	public void slowDown(SimulatedPlatform platform, Duration step) {
		this.pace = (answer) -> platform.schedule(answer, step.toNanos());
	}

	/**
	 * Return the connections that are open.
	 */
	public List<SimulatedConnection> connections() {
		return this.connections;
	}

	/**
	 * Take the next call of the script that is unanswered.
	 */
	public Call nextCall() {
		return this.calls.remove();
	}

	/**
	 * Return how many calls of the script are unanswered.
	 */
	public int callCount() {
		return this.calls.size();
	}

	/**
	 * Return how many connections were made.
	 */
	int dialled() {
		return this.dialled;
	}

	/**
	 * Be another process for connections from now on.
	 */
	public void restart(String identity) {
		this.runId = identity;
	}

	/**
	 * Refuse calls without commands from now on.
	 */
	void refuseFirst(String error) {
		answerFirst(new Reply.Failure(error));
	}

	/**
	 * Answer calls without commands so from now on.
	 */
	void answerFirst(Object reply) {
		this.firstAnswer = reply;
	}

	/**
	 * Return what was asked by calls without commands.
	 */
	List<String> firstQuestions() {
		return this.firstQuestions;
	}

	/**
	 * Return how often replicas were asked for, which the test answers on the connection.
	 */
	public int waits() {
		return this.waits;
	}

	/**
	 * Let the threads of all connections die, which closes none.
	 */
	public void killThreads() {
		this.threads++;
	}

	@Override
	public int threads() {
		return this.threads;
	}

	@Override
	public CompletableFuture<SimulatedConnection> dial(RedisURI address) {
		SimulatedConnection accepted = SimulatedConnection.open(this);
		this.connections.add(accepted);
		this.dialled++;
		CompletableFuture<SimulatedConnection> result = new CompletableFuture<>();
		this.pace.accept(() -> result.complete(accepted));
		return result;
	}

	@Override
	public void received(SimulatedConnection connection, List<byte[]> request) {
		List<String> words = Resp.words(request);
		switch (words.get(0)) {
			case "INFO" -> this.pace
				.accept(() -> connection.reply("role:master\r\nredis_version:7.4.0\r\nrun_id:" + this.runId + "\r\n"));
			case "EVAL", "EVALSHA" -> {
				// The first call over a connection asks the server.
				String last = words.get(words.size() - 1);
				if (List.of("ask", "moved").contains(last)) {
					this.firstQuestions.add(last);
					this.pace.accept(() -> connection.reply(this.firstAnswer));
				}
				else {
					this.calls.add(new Call(connection, words));
				}
			}
			case "SUBSCRIBE" -> {
				for (int i = 1; i < words.size(); i++) {
					connection.push(List.of("subscribe", words.get(i), i));
				}
			}
			case "UNSUBSCRIBE" -> connection.push(List.of("unsubscribe", words.get(1), 0));
			case "WAIT" -> this.waits++;
			default -> throw new AssertionError("no such command: " + words);
		}
	}

	@Override
	public void closed(SimulatedConnection connection) {
		this.connections.remove(connection);
		this.calls.removeIf((call) -> call.connection == connection);
	}

	/**
	 * A call of the script.
	 *
	 * @param words all that was sent
	 */
	public record Call(SimulatedConnection connection, List<String> words) {

		/**
		 * Return the keys that are locked, in their order.
		 */
		public List<String> locked() {
			return this.words.stream()
				.skip(2)
				.filter((word) -> word.contains("}lock:"))
				.map((word) -> word.substring(word.indexOf("}lock:") + 6))
				.toList();
		}

		/**
		 * Return what each command that acquires or releases does, in their order.
		 */
		public List<String> commands() {
			return this.words.stream()
				.skip(2)
				.filter((word) -> word.matches("(acquire|release)(-.*)?"))
				.map((word) -> word.substring(0, 7))
				.toList();
		}

		/**
		 * Return whether the call asks the server to follow the one before.
		 */
		boolean asks() {
			return this.words.contains("ask") || this.words.contains("moved");
		}

		/**
		 * Return whether the call has the script with it.
		 */
		public boolean isInFull() {
			return this.words.get(0).equals("EVAL");
		}

		/**
		 * Answer each command of the call as if its key were free, or held by it.
		 */
		public void succeed() {
			answer(commands().stream().map((name) -> name.equals("acquire") ? 7 : 1).toArray());
		}

		/**
		 * Answer each command of the call.
		 */
		public void answer(Object... replies) {
			this.connection.reply(List.of(replies));
		}

		/**
		 * Refuse the call as a whole.
		 */
		public void refuse(String error) {
			this.connection.reply(new Reply.Failure(error));
		}

	}

	/**
	 * Listens to nothing.
	 */
	static final class Deaf implements ConnectionListener {

		@Override
		public void reconnected() {
		}

		@Override
		public void reordered(int partition, Duration ago) {
		}

		@Override
		public void forced(String key, String ownerId) {
		}

	}

}
