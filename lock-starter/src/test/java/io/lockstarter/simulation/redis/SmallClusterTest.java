// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.lockstarter.simulation.redis.Reply.Bulk;
import io.lockstarter.simulation.redis.Reply.Failure;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers of a {@link SmallCluster} redirect as those of Redis 7.0 do.
 */
class SmallClusterTest {

	private static final Reply TRY_AGAIN = new Failure("TRYAGAIN Multiple keys request during rehashing of slot");

	private static final String GET_BOTH = "return { redis.call('GET', KEYS[1]), redis.call('GET', ARGV[1]) }";

	private final Random random = new Random(1);

	private final List<Reply> pushes = new ArrayList<>();

	private final SmallRedis first = server(1);

	private final SmallRedis second = server(2);

	private final SmallCluster cluster = new SmallCluster(List.of(this.first, this.second));

	private final SmallClient toFirst = this.first.connect(this.pushes::add);

	private final SmallClient toSecond = this.second.connect(this.pushes::add);

	// CLUSTER KEYSLOT a says 15495, b 3300
	private final int slot = SmallCluster.slot("{b}");

	private SmallRedis server(int port) {
		return new SmallRedis("10.0.0." + port, 6379, () -> 1_700_000_000_000_000L, this.random);
	}

	@Test
	void keysOfOthersAreRedirected() {
		assertThat(SmallCluster.slot("a")).isEqualTo(15_495);
		assertThat(this.slot).isEqualTo(3_300);
		assertThat(this.toFirst.execute("SET", "b", "v")).isEqualTo(Reply.OK);
		assertThat(this.toFirst.execute("SET", "a", "v")).isEqualTo(new Failure("MOVED 15495 10.0.0.2:6379"));
		assertThat(this.toFirst.execute("EVAL", "return 1", "1", "a"))
			.isEqualTo(new Failure("MOVED 15495 10.0.0.2:6379"));
		assertThat(this.toFirst.execute("EXISTS", "a", "b"))
			.isEqualTo(new Failure("CROSSSLOT Keys in request don't hash to the same slot"));
		assertThat(this.toFirst.execute("SSUBSCRIBE", "a")).isEqualTo(new Failure("MOVED 15495 10.0.0.2:6379"));
		assertThat(this.toFirst.execute("PING")).isEqualTo(new Reply.Status("PONG"));
	}

	@Test
	void slotMovesAtOnceWithItsKeysAndListeners() {
		this.toFirst.execute("SET", "b", "v", "PX", "1000");
		this.toFirst.execute("SSUBSCRIBE", "{b}news");
		this.pushes.clear();
		this.cluster.move(this.slot, this.second);
		assertThat(this.pushes)
			.containsExactly(Reply.ofAll(new Bulk("sunsubscribe"), new Bulk("{b}news"), Reply.of(0)));
		assertThat(this.toFirst.execute("GET", "b")).isEqualTo(new Failure("MOVED 3300 10.0.0.2:6379"));
		assertThat(this.toSecond.execute("PTTL", "b")).isEqualTo(Reply.of(1000));
		assertThat(this.first.entries()).isEmpty();
	}

	@Test
	void slotThatIsBeingMovedAsksForWhatIsElsewhere() {
		this.toFirst.execute("SET", "{b}stays", "v");
		this.toFirst.execute("SET", "{b}goes", "w");
		this.toFirst.execute("SET", "{b}ends", "x");
		this.cluster.startMove(this.slot, this.second);
		this.cluster.moveKey("{b}goes");
		Reply ask = new Failure("ASK 3300 10.0.0.2:6379");
		assertThat(this.toFirst.execute("GET", "{b}stays")).isEqualTo(new Bulk("v"));
		assertThat(this.toFirst.execute("GET", "{b}goes")).isEqualTo(ask);
		assertThat(this.toFirst.execute("EVAL", "return 1", "2", "{b}stays", "{b}goes")).isEqualTo(TRY_AGAIN);
		assertThat(this.toFirst.execute("EVAL", "redis.call('DEL', KEYS[1]) return redis.pcall('GET', KEYS[1])", "1",
				"{b}ends"))
			.isEqualTo(new Failure("ERR Script attempted to access a non local key in a cluster node"));
		assertThat(this.toSecond.execute("GET", "{b}goes")).isEqualTo(new Failure("MOVED 3300 10.0.0.1:6379"));
		this.toSecond.execute("ASKING");
		assertThat(this.toSecond.execute("EVAL", GET_BOTH, "1", "{b}goes", "{b}goes"))
			.isEqualTo(Reply.ofAll(new Bulk("w"), new Bulk("w")));
		assertThat(this.toSecond.execute("GET", "{b}goes")).isInstanceOf(Failure.class);
		this.toSecond.execute("ASKING");
		assertThat(this.toSecond.execute("EVAL", "return 1", "2", "{b}stays", "{b}goes")).isEqualTo(TRY_AGAIN);
		this.cluster.keysOf(this.slot).forEach(this.cluster::moveKey);
		this.cluster.endMove(this.slot);
		assertThat(this.toSecond.execute("MGET", "{b}stays", "{b}goes"))
			.isEqualTo(Reply.ofAll(new Bulk("v"), new Bulk("w")));
	}

	@Test
	void replicaTakesOverAndWhoIsCutOffDoesNotKnow() {
		SmallRedis replica = server(3);
		this.cluster.add(replica);
		replica.replicaOf(this.first);
		assertThat(replica.connect(this.pushes::add).execute("GET", "b"))
			.isEqualTo(new Failure("MOVED 3300 10.0.0.1:6379"));
		this.toFirst.execute("SET", "b", "v");
		this.cluster.cutOff(this.first);
		this.cluster.failOver(replica);
		assertThat(replica.connect(this.pushes::add).execute("GET", "b")).isEqualTo(Reply.NIL);
		assertThat(this.toSecond.execute("GET", "b")).isEqualTo(new Failure("MOVED 3300 10.0.0.3:6379"));
		assertThat(this.toFirst.execute("GET", "b")).isEqualTo(new Bulk("v"));
		this.cluster.reconnect(this.first);
		assertThat(this.toFirst.execute("GET", "b")).isEqualTo(new Failure("MOVED 3300 10.0.0.3:6379"));
	}

	@Test
	void everyNodeTellsWhoHasWhat() {
		SmallRedis replica = server(3);
		this.cluster.add(replica);
		replica.replicaOf(this.second);
		this.cluster.move(0, this.second);
		List<Reply> ranges = ((Reply.Array) this.toFirst.execute("CLUSTER", "SLOTS")).elements();
		assertThat(ranges).hasSize(3);
		List<Reply> last = ((Reply.Array) ranges.get(2)).elements();
		assertThat(last).startsWith(Reply.of(8192), Reply.of(16_383)).hasSize(4);
		assertThat(((Reply.Array) last.get(2)).elements()).startsWith(new Bulk("10.0.0.2"), Reply.of(6379));
		assertThat(((Reply.Array) last.get(3)).elements()).startsWith(new Bulk("10.0.0.3"), Reply.of(6379));
	}

	@Test
	void messagesGoToAllNodesUnlessTheyAreSharded() {
		this.toSecond.execute("SUBSCRIBE", "{b}news");
		this.toFirst.execute("SSUBSCRIBE", "{b}news");
		this.pushes.clear();
		SmallClient publisher = this.first.connect((push) -> {
		});
		assertThat(publisher.execute("PUBLISH", "{b}news", "x")).isEqualTo(Reply.of(0));
		assertThat(publisher.execute("SPUBLISH", "{b}news", "y")).isEqualTo(Reply.of(1));
		assertThat(this.pushes).containsExactly(Reply.ofTexts(List.of("message", "{b}news", "x")),
				Reply.ofTexts(List.of("smessage", "{b}news", "y")));
	}

}
