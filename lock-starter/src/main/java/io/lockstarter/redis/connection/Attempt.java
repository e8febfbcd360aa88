// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to connect a line, which lasts until the line has a link to the server that
 * has the keys, or is told why not. Whether it still wants the link, and what comes after
 * a failure, is up to the line. Thread-safe.
 */
final class Attempt implements LineState {

	/**
	 * After which time it is taken for dead: longer than all of its steps take.
	 */
	private static final Duration LONGEST = Duration.ofSeconds(30);

	private static final Duration SHORTEST = Duration.ofMillis(100);

	private final Line line;

	private final LettuceClient client;

	private final LineState before;

	private final boolean first;

	private final @Nullable Deadline firstEnd;

	// of what may never end, if a thread died
	private final Deadline end;

	private final CompletableFuture<@Nullable Object> done = new CompletableFuture<>();

	/**
	 * Create an attempt.
	 * @param before where the line was before, which is left first
	 * @param first whether it is the first one of the line
	 * @param firstEnd up to when commands wait for the first connection; {@code null} if
	 * there was one
	 */
	Attempt(Line line, LettuceClient client, LineState before, boolean first, @Nullable Deadline firstEnd) {
		this.line = line;
		this.client = client;
		this.before = before;
		this.first = first;
		this.firstEnd = firstEnd;
		this.end = Deadline.after(client.platform(), LONGEST);
	}

	@Override
	public boolean isGood(LettuceClient current) {
		return this.client == current && !this.end.isOver();
	}

	LettuceClient client() {
		return this.client;
	}

	/**
	 * Completes, always normally, when the attempt is over.
	 */
	CompletableFuture<?> done() {
		return this.done;
	}

	/**
	 * Give it up: who waits for it waits no more.
	 */
	@Override
	public CompletionStage<?> close() {
		this.done.complete(null);
		return this.done;
	}

	/**
	 * Leave what was before, and connect. Does not block.
	 */
	void begin() {
		try {
			var unused = this.before.close();
			if (this.before instanceof Link) {
				this.line.tellElsewhere(this.client);
			}
		}
		finally {
			find(this.first);
		}
	}

	private void find(boolean isFirst) {
		var unused = LettuceClient.begin(() -> {
			Deadline limit = limit();
			return this.client.find(this.line.script().slot(), limit)
				.thenCompose(
						(uri) -> open(this.line, this.client, uri, this.client.deadline(isFirst).orEarlier(limit)));
		}).whenComplete(this::finish);
	}

	/**
	 * Return up to when commands wait for the first connection; {@code null} if there was
	 * one, or if too little of that time is left for an attempt.
	 */
	private @Nullable Deadline limit() {
		return (this.firstEnd != null && this.firstEnd.left().compareTo(SHORTEST) > 0) ? this.firstEnd : null;
	}

	/**
	 * Make a link to a server, which nobody uses yet.
	 */
	static CompletableFuture<Link> open(Line line, LettuceClient client, RedisURI uri, Deadline deadline) {
		return client.connect(uri, deadline, line.isApart()).thenApply((opened) -> linkOver(opened, line, client));
	}

	private static Link linkOver(SharedConnection opened, Line line, LettuceClient client) {
		try {
			if (opened.server().replica()) {
				throw new RedisConnectionException("the server is a replica, which takes no writes");
			}
			line.script().check(opened.server());
			Link created = new Link(line, client, opened);
			opened.connection().addListener(created);
			return created;
		}
		catch (RuntimeException | Error ex) {
			var unused = opened.leave();
			throw ex;
		}
	}

	private void finish(@Nullable Link opened, @Nullable Throwable trouble) {
		boolean again = false;
		try {
			again = trouble != null && isRepeated(trouble);
			if (again) {
				find(false);
			}
			else if (opened == null) {
				this.line.failed(this, Objects.requireNonNull(trouble));
			}
			else if (!this.line.adopt(this, opened)) {
				this.line.failed(this, SharedConnection.lost());
				opened.close();
			}
		}
		catch (RuntimeException | Error ex) {
			again = false;
			this.line.failed(this, ex);
			if (opened != null && !this.line.isIn(opened)) {
				opened.close();
			}
			throw ex;
		}
		finally {
			if (!again) {
				this.done.complete(null);
			}
		}
	}

	/**
	 * A first attempt that got no answer is repeated at once, at what may be another
	 * address by now, as long as commands are to wait for the first connection.
	 */
	private boolean isRepeated(Throwable cause) {
		boolean silence = cause instanceof TimeoutException || cause.getCause() instanceof TimeoutException;
		return silence && this.line.isIn(this) && limit() != null;
	}

}
