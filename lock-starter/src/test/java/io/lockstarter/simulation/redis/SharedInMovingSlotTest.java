// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The last reader of a lock leaves, or who waits to have it alone, while its slot moves
 * to another node, and another instance waits to share the lock.
 */
class SharedInMovingSlotTest {

	private final AtomicLong clock = new AtomicLong(1_700_000_000_000_000L);

	private final SmallRedis first = server(1);

	private final SmallRedis second = server(2);

	private final SmallCluster cluster = new SmallCluster(List.of(this.first, this.second));

	private final int slot = SmallCluster.slot("{b}");

	private final String script = ScriptTexts.commands(RedisStoreSettings.defaults(), true);

	private SmallRedis server(int port) {
		return new SmallRedis("10.0.0." + port, 6379, () -> this.clock.addAndGet(16), new Random(1));
	}

	@Test
	void releaseThatIsRefusedLeavesTheReaderAndSucceedsLater() {
		client(this.first).execute("SSUBSCRIBE", "{b}signal:next");
		SmallClient client = client(this.first);
		assertThat(call(client, "acquire-shared", "reader:1", "30000", "1")).contains("Int[");
		call(client, "acquire+join", "gone:1", "30000", "1");
		call(client, "acquire-shared+join", "next:1", "30000", "1");
		this.cluster.startMove(this.slot, this.second);
		assertThat(call(client, "release", "reader:1")).contains("TRYAGAIN");
		assertThat(brief(client, "renew", "1", "reader:1", "30000")).contains("Bulk[raw=1]");
		this.cluster.move(this.slot, this.second);
		client(this.second).execute("SSUBSCRIBE", "{b}signal:next");
		SmallClient moved = client(this.second);
		assertThat(call(moved, "release", "reader:1")).contains("Int[value=1]");
		assertThat(call(moved, "acquire", "later:1", "30000", "1")).doesNotContain("Int[");
		assertThat(call(moved, "acquire-shared", "next:1", "30000", "1")).contains("Int[");
	}

	@Test
	void whoStandsBehindOneThatLeavesTheQueueIsLetInWhenItLeavesAgain() {
		SmallClient client = client(this.first);
		call(client, "acquire-shared", "reader:1", "30000", "1");
		call(client, "acquire+join", "gone:1", "30000", "1");
		call(client, "acquire-shared+join", "next:1", "30000", "1");
		this.cluster.startMove(this.slot, this.second);
		assertThat(call(client, "leave", "gone")).contains("TRYAGAIN");
		this.cluster.move(this.slot, this.second);
		StringBuilder told = new StringBuilder();
		this.second.connect(told::append).execute("SSUBSCRIBE", "{b}signal:next");
		call(client(this.second), "leave", "gone");
		assertThat(told).contains("rk");
	}

	private static SmallClient client(SmallRedis server) {
		return server.connect((push) -> {
		});
	}

	private String call(SmallClient client, String... arguments) {
		return execute(client, ScriptTexts.keys("{b}lock:k"), ScriptTexts.inFull(List.of(arguments)));
	}

	private String brief(SmallClient client, String... arguments) {
		return execute(client, List.of("{b}lock:k"), List.of(arguments));
	}

	private String execute(SmallClient client, List<String> keys, List<String> arguments) {
		List<String> command = new ArrayList<>(
				List.of("EVAL", this.script, Integer.toString(keys.size() + 1), "{b}fence"));
		command.addAll(keys);
		command.add("");
		command.addAll(arguments);
		return client.execute(command.toArray(String[]::new)).toString();
	}

}
