// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.LockStoreException;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.Replies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for what {@link LockCommand} makes of its reply.
 */
class LockCommandTest {

	private final LockCommand<Boolean> command = new LockCommand<>("release", "stock:42",
			new LockRequest.Full(new BulkStrings(16), new BulkStrings(16)), (reply, repeated) -> {
				boolean done = (Long) reply == 1;
				return (done || !repeated) ? done : null;
			});

	@Test
	void replyIsTheResult() {
		Replies.answer(this.command, 0L);
		assertThat((CompletableFuture<Boolean>) this.command).isCompletedWithValue(false);
	}

	@Test
	void refusedCommandHadNoEffect() {
		Replies.answer(this.command, "!OOM no memory");
		assertThat(failure()).hasMessage("Redis refused to release stock:42: OOM no memory");
		assertThat(failure().isOutcomeUnknown()).isFalse();
	}

	@Test
	void repeatedCommandThatIsRefusedMayHaveHadItsEffectTheFirstTime() {
		Replies.lose(this.command);
		Replies.answer(this.command, "!OOM no memory");
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@Test
	void replyToARepetitionThatSaysNothingOfTheFirstTimeIsNoResult() {
		Replies.lose(this.command);
		Replies.answer(this.command, 0L);
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@Test
	void replyThatCannotBeReadIsNoResult() {
		Replies.answer(this.command, "neither");
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "!ERR x\n2026 ERROR admin: FORGED", "x\n2026 ERROR admin: FORGED" })
	void whatAnErrorOrAnUnreadableReplyQuotesCannotForgeALine(String reply) {
		var command = new LockCommand<>("acquire", "stock:42",
				new LockRequest.Full(new BulkStrings(16), new BulkStrings(16)),
				(number, repeated) -> Long.valueOf((String) number));
		Replies.answer(command, reply);
		assertThat(stackTrace(TestStore.failure(command))).contains("x\\u000a2026").doesNotContain("\n2026");
	}

	@Test
	void whatAServerSaysThatRefusesToConnectOrToWaitCannotForgeALine() {
		RuntimeException refusal = new IllegalStateException("connect", new RedisException("ERR x\n2026 FORGED"));
		assertThat(stackTrace(StoreFailures.unsent("acquire", "k", false, refusal))).contains("x\\u000a2026")
			.doesNotContain("\n2026");
		assertThat(stackTrace(StoreFailures.notAcknowledged("No replicas", false, null, refusal)))
			.contains("x\\u000a2026")
			.doesNotContain("\n2026");
	}

	private static String stackTrace(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

	private LockStoreException failure() {
		assertThat((CompletableFuture<Boolean>) this.command).isCompletedExceptionally();
		return (LockStoreException) catchThrowableOfType(CompletionException.class, this.command::join).getCause();
	}

}
