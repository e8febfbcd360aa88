package io.lockstarter.redis;

import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockStoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for what {@link LockCommand} makes of its reply.
 */
class LockCommandTest {

	private final LockCommand<Boolean> command = new LockCommand<>("release", "stock:42", new BulkStrings(16),
			new BulkStrings(16), (reply, repeated) -> {
				boolean done = (Long) reply == 1;
				return (done || !repeated) ? done : null;
			});

	@Test
	void replyIsTheResult() {
		this.command.answered(0L);
		assertThat(this.command).isCompletedWithValue(false);
	}

	@Test
	void refusedCommandHadNoEffect() {
		this.command.answered("!OOM no memory");
		assertThat(failure()).hasMessage("Redis refused to release stock:42: OOM no memory");
		assertThat(failure().isOutcomeUnknown()).isFalse();
	}

	@Test
	void repeatedCommandThatIsRefusedMayHaveHadItsEffectTheFirstTime() {
		this.command.unanswered(true);
		this.command.answered("!OOM no memory");
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@Test
	void replyToARepetitionThatSaysNothingOfTheFirstTimeIsNoResult() {
		this.command.unanswered(true);
		this.command.answered(0L);
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@Test
	void replyThatCannotBeReadIsNoResult() {
		this.command.answered("neither");
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	private LockStoreException failure() {
		assertThat(this.command).isCompletedExceptionally();
		return (LockStoreException) catchThrowableOfType(CompletionException.class, this.command::join).getCause();
	}

}
