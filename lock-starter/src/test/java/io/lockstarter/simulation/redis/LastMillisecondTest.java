// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock of which less than a millisecond is left.
 */
class LastMillisecondTest {

	private long micros = 1_700_000_000_000_000L;

	private final SmallClient client = new SmallRedis("10.0.0.1", 6379, () -> this.micros, new Random(1))
		.connect((push) -> {
		});

	private final String script = ScriptTexts.commands(RedisStoreSettings.defaults(), false);

	@Test
	void whoLosesALockByForceInItsLastMillisecondIsNotRememberedForLonger() {
		assertThat(call("acquire", "a:1", "1000", "1")).contains("Int[");
		this.micros += 1_000_000;
		assertThat(execute("PTTL", "{lock}lock:k")).contains("value=0");
		assertThat(call("release+force", "a:1")).contains("value=1");
		assertThat(execute("PTTL", "{lock}forced:k")).contains("value=1");
	}

	private String call(String... arguments) {
		return execute(Stream
			.concat(Stream.of("EVAL", this.script, "5", "{lock}fence", "{lock}lock:k", "{lock}queue:k",
					"{lock}readers:k", "{lock}forced:k", ""), ScriptTexts.inFull(List.of(arguments)).stream())
			.toArray(String[]::new));
	}

	private String execute(String... command) {
		return List.of(this.client.execute(command)).toString();
	}

}
