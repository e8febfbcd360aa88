package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script. Who ends its {@link #result()} early, such as by cancelling it,
 * withdraws the command unless it was sent. Thread-safe.
 *
 * @param <T> the type of result
 */
final class ScriptCall<T> {

	private final LuaScript script;

	private final String subject;

	private final String[] keys;

	private final String[] args;

	private final ReplyReader<T> reader;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	/**
	 * Create a call.
	 * @param script what to run
	 * @param subject what it is about, for messages
	 * @param keys the keys of the script
	 * @param args the other arguments
	 * @param reader makes the result of the reply
	 */
	ScriptCall(LuaScript script, String subject, String[] keys, String[] args, ReplyReader<T> reader) {
		this.script = script;
		this.subject = subject;
		this.keys = keys;
		this.args = args;
		this.reader = reader;
	}

	CompletableFuture<T> result() {
		return this.result;
	}

	/**
	 * Send the command: the digest of the script, and the script itself if the server
	 * does not know it.
	 * @param connection over which to send it
	 */
	void sendOver(CommandConnection connection) {
		if (this.result.isDone()) {
			return;
		}
		int drops = connection.drops();
		try {
			follow(connection,
					connection.commands().evalsha(this.script.sha1(), ScriptOutputType.MULTI, this.keys, this.args),
					(reply, failure) -> {
						if (failure instanceof RedisNoScriptException && !this.result.isDone()) {
							sendInFull(connection, drops);
						}
						else {
							complete(reply, failure, connection.drops() != drops);
						}
					});
		}
		catch (RuntimeException ex) {
			complete(null, ex, true);
		}
	}

	/**
	 * End the call, which was not sent.
	 * @param cause why it could not be
	 */
	void failUnsent(Throwable cause) {
		this.result.completeExceptionally(StoreFailures.unsent(this.script, this.subject, cause));
	}

	private void sendInFull(CommandConnection connection, int drops) {
		follow(connection,
				connection.commands().eval(this.script.source(), ScriptOutputType.MULTI, this.keys, this.args),
				(reply, failure) -> complete(reply, failure, connection.drops() != drops));
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private void follow(CommandConnection connection, RedisFuture<List<@Nullable Object>> sent,
			BiConsumer<@Nullable List<@Nullable Object>, @Nullable Throwable> completion) {
		long sentAt = System.nanoTime();
		this.result.whenComplete((value, failure) -> {
			if (failure instanceof CancellationException) {
				connection.unanswered(sentAt);
			}
			sent.cancel(true);
		});
		sent.whenComplete((reply, failure) -> {
			if (reply != null || failure instanceof RedisCommandExecutionException) {
				connection.replied();
			}
			completion.accept(reply, failure);
		});
	}

	private void complete(@Nullable List<@Nullable Object> reply, @Nullable Throwable failure, boolean repeated) {
		if (this.result.isDone()) {
			return;
		}
		if (reply == null) {
			this.result.completeExceptionally(StoreFailures.of(this.script, this.subject, failure, repeated));
			return;
		}
		try {
			T value = this.reader.read(reply, repeated);
			if (value != null) {
				this.result.complete(value);
			}
			else {
				this.result.completeExceptionally(StoreFailures.inconclusive(this.script, this.subject));
			}
		}
		catch (RuntimeException ex) {
			this.result.completeExceptionally(StoreFailures.of(this.script, this.subject, ex, true));
		}
	}

	/**
	 * Makes the result of a reply.
	 *
	 * @param <T> the type of result
	 */
	@FunctionalInterface
	interface ReplyReader<T> {

		/**
		 * Read a reply.
		 * @param reply the reply
		 * @param repeated whether the command may have been executed before with another
		 * reply, which was lost
		 * @return the result, or {@code null} if it cannot be known after a repetition
		 */
		@Nullable T read(List<@Nullable Object> reply, boolean repeated);

	}

}
