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

	private final LockCommand<Boolean> command = new LockCommand<>("release", "stock:42", new BulkStrings(),
			new BulkStrings(), (reply, repeated) -> {
				boolean done = (Long) reply == 1;
				return (done || !repeated) ? done : null;
			});

	@Test
	void replyIsTheResult() {
		this.command.answered(0L, false);
		assertThat(this.command).isCompletedWithValue(false);
	}

	@Test
	void refusedCommandHadNoEffect() {
		this.command.answered("!OOM no memory", false);
		assertThat(failure()).hasMessage("Redis refused to release stock:42: OOM no memory");
		assertThat(failure().isOutcomeUnknown()).isFalse();
	}

	@Test
	void repeatedCommandThatIsRefusedMayHaveHadItsEffectTheFirstTime() {
		this.command.answered("!OOM no memory", true);
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@Test
	void replyToARepetitionThatSaysNothingOfTheFirstTimeIsNoResult() {
		this.command.answered(0L, true);
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	@Test
	void replyThatCannotBeReadIsNoResult() {
		this.command.answered("neither", false);
		assertThat(failure().isOutcomeUnknown()).isTrue();
	}

	private LockStoreException failure() {
		assertThat(this.command).isCompletedExceptionally();
		return (LockStoreException) catchThrowableOfType(CompletionException.class, this.command::join).getCause();
	}

}
