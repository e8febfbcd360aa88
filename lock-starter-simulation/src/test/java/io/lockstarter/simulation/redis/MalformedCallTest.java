// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lockstarter.migration.OldLock;
import io.lockstarter.migration.OldLock.Format;
import io.lockstarter.migration.OldLocks;
import io.lockstarter.quorum.redis.VoterScripts;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a call that no client makes ends with an error, by a real Redis, and by a
 * small one: each script comes from the client that calls it, so what such a call has
 * executed by then is not undone.
 */
class MalformedCallTest {

	private static final RedisStoreSettings SETTINGS = RedisStoreSettings.defaults();

	private static final String PLAIN = ScriptTexts.commands(SETTINGS, false);

	private static final String VOTING = ScriptTexts
		.commands(SETTINGS.withScriptPart(VoterScripts.of(Duration.ofMinutes(5))), false);

	private static final String MIGRATING = ScriptTexts
		.commands(SETTINGS.withScriptPart(new OldLocks(List.of(new OldLock("*", Format.SET_NX, "old:*")))), false);

	private static RedisServer server;

	private static RealConnection real;

	private final SmallClient small = new SmallRedis("small", 1, () -> 1_700_000_000_000_000L, new Random(1))
		.connect((push) -> {
		});

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		real = new RealConnection(server.port());
	}

	@AfterAll
	static void stop() {
		real.close();
		server.close();
	}

	// After an acquisition, which alone is well.
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			there is no command 'raise' for 1 locks       | + raise b:1 5
			there is no command 'acquire-or-leave'        | acquire-or-leave b:1 60000 8
			there is no command 'Release'                 | Release b:1
			there is no command 'b:1'                     | + keep b:1 60000 b:1
			there is no command 'nil'                     | +
			there is no command 'renew' for 0 locks       | renew 0
			there is no command 'renew' for -1 locks      | + renew -1 b:1 60000
			there is no command 'acquire-all' for 0 locks | acquire-all 0
			arithmetic                                    | renew x b:1 60000
			arithmetic                                    | renew
			nil                                           | + renew inf b:1 60000
			nil                                           | + acquire-all inf b:1 60000 8
			there is no command 'renew' for 0 locks       | + renew 0.5 b:1 60000
			""")
	void callWithACommandThatMakesNoSenseEndsThere(String problem, String command) {
		assertFails(PLAIN, problem, command);
		assertFails(MIGRATING, problem, command);
	}

	@Test
	void callOfANodeWithACommandThatMakesNoSenseEndsThere() {
		assertFails(VOTING, "there is no command 'rise'", "rise b:1 5");
		assertFails(VOTING, "there is no command '0'", "+ abandon b:1 alone 0");
	}

	@Test
	void callForLocksThatAreNoNumberEnds() {
		both((execute) -> assertThat(
				execute.apply(List.of("EVAL", PLAIN, "2", "{lock}fence", "{lock}lock:k", "", "renew", "nan")))
			.isInstanceOf(Reply.Array.class));
	}

	@Test
	void commandWithoutItsLockIsRefused() {
		both((execute) -> assertThat(
				execute.apply(List.of("EVAL", PLAIN, "1", "{lock}fence", "", "acquire", "a:1", "60000", "8"))
					.toString())
			.contains("!"));
	}

	@Test
	void callWithoutCommandsHasNoReplies() {
		both((execute) -> assertThat(execute.apply(List.of("EVAL", PLAIN, "1", "{lock}fence", "")))
			.isEqualTo(new Reply.Array(List.of())));
	}

	private void assertFails(String script, String problem, String command) {
		List<String> keys = new ArrayList<>(List.of("{lock}fence"));
		if (script.equals(VOTING)) {
			keys.addAll(List.of("{lock}server", "{lock}joining"));
		}
		for (String key : List.of("k1", "k2")) {
			keys.addAll(ScriptTexts.keys("{lock}lock:" + key));
			if (script.equals(MIGRATING)) {
				keys.addAll(List.of("old:" + key, "{lock}old-set-nx:" + key));
			}
		}
		List<String> call = new ArrayList<>(List.of("EVAL", script, Integer.toString(keys.size())));
		call.addAll(keys);
		call.addAll(List.of("", "+", "acquire", "a:1", "60000", "8"));
		call.addAll(List.of(command.split(" ", -1)));
		both((execute) -> {
			var unused = execute.apply(List.of("FLUSHALL"));
			assertThat(execute.apply(call)).isInstanceOf(Reply.Failure.class).asString().contains(problem);
		});
	}

	private void both(Check check) {
		check.accept((command) -> real.execute(command.toArray(String[]::new)));
		check.accept((command) -> this.small.execute(command.toArray(String[]::new)));
	}

	private interface Check {

		void accept(Function<List<String>, Reply> execute);

	}

}
