// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;

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
 * Tests that the script executes all commands of a call or, if one of them makes no
 * sense, none: by a real Redis, and by a small one.
 */
class MalformedCallTest {

	private static final RedisStoreSettings SETTINGS = RedisStoreSettings.defaults();

	private static final String PLAIN = ScriptTexts.commands(SETTINGS, false);

	private static final String VOTING = ScriptTexts
		.commands(SETTINGS.withScriptPart(VoterScripts.of(Duration.ofMinutes(5))), false);

	private static final String MIGRATING = ScriptTexts
		.commands(SETTINGS.withScriptPart(new OldLocks(List.of(new OldLock("*", Format.SET_NX, "old:*")))), false);

	// with the locks alone
	private static final List<String> BRIEF = List.of("acquire", "release", "renew", "acquire-all");

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

	// After an acquisition of k1, which alone is well.
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			there is no command 'raise'                | k2    | raise b:1 5
			there is no command 'acquire-or-leave'     | k2    | acquire-or-leave b:1 60000 8
			there is no command 'Release'              | k2    | Release b:1
			there is no command 'b:1'                  | k2    | keep b:1 60000 b:1
			'acquire' has too few keys                 | k2    | acquire b:1 60000 8 + acquire b:2 60000 8
			'acquire' has too few arguments            | k2    | acquire b:1 60000
			'acquire-and-leave-or-join' has too few arguments | k2 | acquire-and-leave-or-join
			'release-and-join' has too few arguments   | k2    | release-and-join
			'leave' has too few arguments              | k2    | leave
			'leave' has too few keys                   |       | leave b
			'keep' has too few arguments               | k2    | keep b:1
			'renew' has too few arguments              | k2    | renew
			'renew' has too few arguments              | k2 k3 | renew 2 b:1 60000 b:2
			'renew' has too few arguments              | k2    | renew x b:1 60000
			'renew' has too few arguments              | k2    | renew -1 b:1 60000
			'renew' has too few arguments              | k2    | renew 1.5 b:1 60000
			'renew' has too few arguments              | k2    | renew inf b:1 60000
			'renew' has too few arguments              | k2    | renew nan b:1 60000
			'acquire-all' has too few arguments        | k2 k3 | acquire-all 2 b:1 60000 8 b:2 60000
			'acquire' has too few keys                 |       | acquire b:1 60000 8
			'acquire-all' has too few keys             | k2    | acquire-all 2 b:1 60000 8 b:2 60000 8
			'release' has too few keys                 | k2    | keep b:1 60000 release b:1
			'release' has too many keys                | k2 k3 | release b:1
			""")
	void callWithACommandThatMakesNoSenseHasNoEffect(String problem, String locks, String command) {
		assertRefused(PLAIN, problem, locks, command);
		assertRefused(MIGRATING, problem, locks, "+ " + command, "old:%s", "{lock}old-set-nx:%s");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			there is no command 'rise'                   | k2 | rise b:1 5
			'raise' has too few arguments                | k2 | raise b:1
			'raise' has too few keys                     |    | raise b:1 5
			'abandon' has too few arguments              | k2 | abandon b:1
			there is no command '0'                      | k2 | abandon b:1 alone 0
			'abandon' has too few keys                   |    | abandon b:1 alone
			""")
	void callOfANodeWithACommandThatMakesNoSenseHasNoEffect(String problem, String locks, String command) {
		assertRefused(VOTING, problem, locks, command);
	}

	@Test
	void callThatEndsBeforeTheNameOfACommandHasNoEffect() {
		assertRefused(PLAIN, "there is no command 'nil'", "k2", "+");
	}

	@Test
	void callWithKeysAndNoCommandHasNoEffect() {
		both((execute) -> assertThat(execute.apply(List.of("EVAL", PLAIN, "2", "{lock}fence", "{lock}lock:k1", "")))
			.isEqualTo(new Reply.Failure("ERR nothing was executed: 'no command' has too many keys")));
	}

	@Test
	void callWithoutCommandsHasNoReplies() {
		both((execute) -> assertThat(execute.apply(List.of("EVAL", PLAIN, "1", "{lock}fence", "")))
			.isEqualTo(new Reply.Array(List.of())));
	}

	private void assertRefused(String script, String problem, String locks, String command, String... more) {
		boolean inFull = more.length > 0;
		List<String> keys = new ArrayList<>(List.of("{lock}fence"));
		if (script.equals(VOTING)) {
			keys.addAll(List.of("{lock}server", "{lock}joining"));
		}
		addLock(keys, "k1", inFull, more);
		boolean brief = !inFull && BRIEF.contains(command.split(" ", -1)[0]);
		Stream.of(((locks != null) ? locks : "").split(" ", -1))
			.filter((key) -> !key.isEmpty())
			.forEach((key) -> addLock(keys, key, !brief, more));
		List<String> call = new ArrayList<>(List.of("EVAL", script, Integer.toString(keys.size())));
		call.addAll(keys);
		call.add("");
		if (inFull) {
			call.add("+");
		}
		call.addAll(List.of("acquire", "a:1", "60000", "8"));
		call.addAll(List.of(command.split(" ", -1)));
		both((execute) -> {
			var unused = execute.apply(List.of("FLUSHALL"));
			assertThat(execute.apply(call)).isEqualTo(new Reply.Failure("ERR nothing was executed: " + problem));
			assertThat(execute.apply(List.of("KEYS", "*"))).isEqualTo(new Reply.Array(List.of()));
		});
	}

	private static void addLock(List<String> keys, String key, boolean inFull, String... more) {
		String lock = "{lock}lock:" + key;
		keys.addAll(inFull ? ScriptTexts.keys(lock) : List.of(lock));
		Stream.of(more).map((name) -> name.formatted(key)).forEach(keys::add);
	}

	private void both(Check check) {
		check.accept((command) -> real.execute(command.toArray(String[]::new)));
		check.accept((command) -> this.small.execute(command.toArray(String[]::new)));
	}

	private interface Check {

		void accept(Function<List<String>, Reply> execute);

	}

}
