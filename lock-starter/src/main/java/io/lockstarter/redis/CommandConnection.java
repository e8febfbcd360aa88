/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * One connection for commands to one server, from its beginning to its end. Thread-safe.
 */
final class CommandConnection implements RedisConnectionStateListener {

	/**
	 * How much goes into one call of the script, which keeps the server from everything
	 * else. A command weighs as much as it has keys, and {@link #LIGHTEST} at least.
	 */
	private static final int HEAVIEST = 128;

	private static final int LIGHTEST = 2;

	private final LettuceClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final ServerInfo server;

	private final StoreScripts scripts;

	private final Listener listener;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile boolean silent;

	private volatile boolean demoted;

	private final long openedAt = System.nanoTime();

	private volatile long lastReply = this.openedAt;

	private final Queue<LockCommand<?>> waiting = new ConcurrentLinkedQueue<>();

	// of those that wait; for each HEAVIEST of it there is a batch under way
	private final AtomicInteger weight = new AtomicInteger();

	private CommandConnection(LettuceClient client, StatefulRedisConnection<String, String> connection,
			ServerInfo server, StoreScripts scripts, Listener listener) {
		this.client = client;
		this.connection = connection;
		this.server = server;
		this.scripts = scripts;
		this.listener = listener;
	}

	/**
	 * Open a connection and get ready: the scripts are loaded, and tokens are larger than
	 * those of a server before this one.
	 * @param first whether the application has had no connection yet
	 */
	static CompletableFuture<CommandConnection> open(LettuceClient client, RedisURI uri, boolean first,
			StoreScripts scripts, Listener listener) {
		return client.connect(uri, first).thenCompose((opened) -> {
			CompletableFuture<CommandConnection> ready = client.inTime(prepare(opened, scripts), first)
				.thenApply((server) -> {
					CommandConnection created = new CommandConnection(client, opened, server, scripts, listener);
					opened.addListener(created);
					return created;
				});
			return ready.whenComplete((connection, failure) -> {
				if (failure != null) {
					var unused = LettuceClient.close(opened);
				}
			});
		});
	}

	// Commands that are denied are left out.
	private static CompletableFuture<ServerInfo> prepare(StatefulRedisConnection<String, String> connection,
			StoreScripts scripts) {
		RedisAsyncCommands<String, String> redis = connection.async();
		CompletionStage<ServerInfo> asked = redis.info().exceptionally((denied) -> null).thenApply(ServerInfo::of);
		redis.scriptLoad(scripts.commands()).exceptionally((denied) -> null);
		return asked.thenCompose((server) -> {
			if (server.replica()) {
				throw new RedisConnectionException("the server is a replica, which takes no writes");
			}
			String identity = server.identity();
			if (identity == null) {
				return CompletableFuture.completedFuture(server);
			}
			return scripts.follow(redis, identity).handle((leapt, failure) -> {
				if (failure != null && !isHarmless(failure)) {
					throw new CompletionException(failure);
				}
				return server;
			});
		}).toCompletableFuture();
	}

	/**
	 * A server that denies the script keeps tokens by its clock alone. One without memory
	 * hands out no tokens, but renews and releases. Any other that fails here would do so
	 * with every command, and would hand out tokens that had not leapt once it recovers.
	 */
	private static boolean isHarmless(Throwable failure) {
		return switch (ErrorReply.of(failure)) {
			case NOT_PERMITTED, NO_MEMORY, WRONG_TYPE -> true;
			default -> false;
		};
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		end("it was lost");
	}

	ServerInfo server() {
		return this.server;
	}

	/**
	 * Return whether this is a connection of the client that is in use now, and up as far
	 * as known.
	 */
	boolean isUsable(LettuceClient current) {
		return this.client == current && isOpen();
	}

	boolean isOpen() {
		return !this.ended.get() && this.connection.isOpen();
	}

	void replied() {
		this.lastReply = System.nanoTime();
	}

	/**
	 * A command was given up. If nothing at all was answered since it was sent, the
	 * connection is taken for dead: one that a firewall forgot, or whose host is gone,
	 * looks open for many minutes.
	 */
	void givenUp(long sentAt) {
		if (this.lastReply - sentAt < 0) {
			this.silent = true;
			end("it fell silent");
		}
	}

	boolean isSilent() {
		return this.silent;
	}

	/**
	 * Return whether the connection worked, so that another one is worth having at once.
	 * A connection that never worked is replaced after a pause.
	 */
	boolean hasWorked() {
		return (!this.demoted && this.lastReply != this.openedAt)
				|| System.nanoTime() - this.openedAt >= CommandLink.LONGEST_PAUSE.toNanos();
	}

	/**
	 * The server refused a command because it takes no writes any more: another one does.
	 */
	void demoted(LockCommand<?> command) {
		this.demoted = true;
		end("its server became a replica");
		this.listener.unanswered(this, List.of(command));
	}

	/**
	 * Batches that were under way end without an answer.
	 */
	void unanswered(List<LockCommand<?>> commands, @Nullable Throwable failure) {
		end((failure != null) ? "it was lost (" + StoreFailures.describe(failure) + ")" : "it was closed");
		this.listener.unanswered(this, commands);
	}

	/**
	 * Send a command, together with others that come before the connection is ready to
	 * write it.
	 */
	void send(LockCommand<?> command) {
		int more = weightOf(command);
		this.waiting.add(command);
		int before = this.weight.getAndAdd(more);
		if (batches(before + more) > batches(before)) {
			dispatch(new CommandBatch(this));
		}
		if (this.ended.get()) {
			// Lettuce may have taken the batch and lost it.
			handBack();
		}
	}

	/**
	 * Take out what a batch is to send: until it is heavy enough, so that the batches
	 * under way suffice for what is left.
	 */
	synchronized List<LockCommand<?>> takeWaiting() {
		// Claimed in one step: who sends from now on sees that it is to be taken.
		int claimed = Math.min(HEAVIEST, this.weight.getAndUpdate((all) -> Math.min(all, Math.max(0, all - HEAVIEST))));
		int taken = 0;
		List<LockCommand<?>> commands = new ArrayList<>();
		while (taken < claimed) {
			LockCommand<?> next = this.waiting.poll();
			if (next == null) {
				// Handed back.
				break;
			}
			taken += weightOf(next);
			commands.add(next);
		}
		if (taken > claimed) {
			this.weight.addAndGet(Math.max(0, claimed) - taken);
		}
		return commands;
	}

	void dispatch(CommandBatch batch) {
		try {
			this.connection.dispatch(batch);
		}
		catch (RuntimeException ex) {
			batch.completeExceptionally(ex);
		}
	}

	CommandBatch.ScriptCall call(boolean inFull) {
		return this.scripts.call(inFull);
	}

	/**
	 * Close the connection. What is unanswered goes to the listener.
	 * @return completes when it is closed
	 */
	CompletionStage<?> close() {
		this.ended.set(true);
		handBack();
		return LettuceClient.close(this.connection);
	}

	private void end(String why) {
		if (this.ended.compareAndSet(false, true)) {
			this.listener.ended(this, why);
			handBack();
			var unused = LettuceClient.close(this.connection);
		}
	}

	private void handBack() {
		List<LockCommand<?>> left = new ArrayList<>();
		synchronized (this) {
			for (LockCommand<?> next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
				left.add(next);
			}
		}
		if (!left.isEmpty()) {
			this.listener.unanswered(this, left);
		}
	}

	// Never more than one batch for a command.
	private static int weightOf(LockCommand<?> command) {
		return Math.max(LIGHTEST, Math.min(HEAVIEST, command.keys().count()));
	}

	private static int batches(int weight) {
		return Math.floorDiv(weight + HEAVIEST - 1, HEAVIEST);
	}

	/**
	 * Told of the end of a connection. Must not block.
	 */
	interface Listener {

		/**
		 * The connection is of no use any more.
		 */
		void ended(CommandConnection connection, String why);

		/**
		 * Commands are left without an answer, in the order in which they were sent.
		 */
		void unanswered(CommandConnection connection, List<LockCommand<?>> commands);

	}

}
