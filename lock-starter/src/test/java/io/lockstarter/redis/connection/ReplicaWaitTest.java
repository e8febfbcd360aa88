// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code WAIT} answers for: how many replicas, and which commands.
 */
class ReplicaWaitTest {

	private static final RequiredReplicas TWO = new RequiredReplicas(2, 300);

	private final List<List<String>> requests = new ArrayList<>();

	private final List<String> told = new ArrayList<>();

	private final SimulatedConnection server = SimulatedConnection
		.open((connection, request) -> this.requests.add(Resp.words(request)));

	private final ReplicaWait wait = new ReplicaWait(this.server.connection(), () -> {
	});

	private final User user = new User();

	/**
	 * Fewer than were asked for are what a server answers at the end of the time.
	 */
	@ParameterizedTest
	@CsvSource({ "0, 0 do", "1, 1 do", "2, answered", "3, answered" })
	void asManyAsAreRequiredAreEnoughAndFewerAreNot(int acknowledged, String outcome) {
		command("a");
		this.wait.ask();
		assertThat(this.requests).containsExactly(List.of("WAIT", "2", "300"));
		assertThat(this.told).isEmpty();
		this.server.reply(acknowledged);
		assertThat(this.told).containsExactly("a: " + outcome);
	}

	@Test
	void commandsShareTheWaitThatIsWrittenBehindThem() {
		this.wait.askBehind(TWO);
		this.wait.askBehind(TWO);
		assertThat(this.requests).containsExactly(List.of("WAIT", "2", "300"));
		command("a");
		command("b");
		this.wait.ask();
		assertThat(this.requests).hasSize(1);
		this.server.reply(2);
		assertThat(this.told).containsExactly("a: answered", "b: answered");
	}

	@Test
	void commandWhoseReplyComesAfterThatOfTheWaitHasTheNext() {
		command("a");
		this.wait.askBehind(TWO);
		this.server.reply(2);
		command("late");
		assertThat(this.told).containsExactly("a: answered");
		this.wait.ask();
		assertThat(this.requests).hasSize(2);
		this.server.reply(1);
		assertThat(this.told).endsWith("a: answered", "late: 1 do");
	}

	@Test
	void eachOfSeveralCommandsHasItsOwnNumber() {
		command("a");
		this.wait.keep(this.user, new Kept("b"), new RequiredReplicas(3, 300), 7L);
		this.wait.ask();
		this.server.reply(2);
		assertThat(this.told).containsExactly("a: answered", "b: 2 do");
	}

	@Test
	void errorIsNoAcknowledgementAndOthersFollow() {
		command("a");
		this.wait.ask();
		this.server.reply(new Reply.Failure("NOPERM this user has no permissions to run the 'wait' command"));
		assertThat(this.told).hasSize(1).first().asString().startsWith("a: refused NOPERM");
		command("b");
		this.wait.ask();
		this.server.reply(2);
		assertThat(this.told).endsWith("b: answered");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
					"ERR WAIT cannot be used with replica instances." })
	void whatAServerDidThatIsAReplicaNowIsSentAgain(String error) {
		command("a");
		this.wait.ask();
		this.server.reply(new Reply.Failure(error));
		assertThat(this.told).containsExactly("a: sent again, perhaps executed");
	}

	@Test
	void whatAConnectionDidThatIsLostIsSentAgain() {
		command("a");
		this.wait.ask();
		command("b");
		this.server.cut();
		assertThat(this.wait.withdraw(this.user)).isEmpty();
		assertThat(this.told).containsExactly("a: sent again, perhaps executed", "b: sent again, perhaps executed");
	}

	private void command(String name) {
		this.wait.keep(this.user, new Kept(name), TWO, 7L);
	}

	/**
	 * Whose commands are to be sent again.
	 */
	private final class User implements ReplicaWait.User {

		@Override
		public void refused(String error, List<ScriptCommand<?>> commands) {
			commands.forEach((command) -> ((Kept) command).again());
		}

		@Override
		public void failed(List<ScriptCommand<?>> commands, Throwable failure) {
			throw new AssertionError(failure);
		}

		@Override
		public void unanswered(@Nullable Throwable failure) {
			ReplicaWaitTest.this.wait.withdraw(this).forEach((command) -> ((Kept) command).again());
		}

	}

	/**
	 * A command that was executed, and whose sender is told nothing yet.
	 */
	private final class Kept extends ScriptCommand<Object> {

		private final String name;

		Kept(String name) {
			this.name = name;
		}

		private void tell(String outcome) {
			ReplicaWaitTest.this.told.add(this.name + ": " + outcome);
		}

		void again() {
			tell("sent again" + (maybeExecuted() ? ", perhaps executed" : ""));
		}

		@Override
		protected BulkStrings keys() {
			return new BulkStrings(16);
		}

		@Override
		protected BulkStrings arguments() {
			return new BulkStrings(16);
		}

		@Override
		protected boolean needsPrimary() {
			return true;
		}

		@Override
		protected void failUnsent(Throwable cause) {
			tell("failed");
		}

		@Override
		protected void refused(RedisCommandExecutionException error) {
			tell("failed");
		}

		@Override
		protected void answered(Object reply) {
			tell("answered");
		}

		@Override
		protected RequiredReplicas requiredReplicas() {
			return TWO;
		}

		@Override
		protected boolean needsReplicas(Object reply) {
			return true;
		}

		@Override
		protected void notAcknowledged(long acknowledged) {
			tell(acknowledged + " do");
		}

		@Override
		protected void notAcknowledged(String error) {
			tell("refused " + error);
		}

	}

}
