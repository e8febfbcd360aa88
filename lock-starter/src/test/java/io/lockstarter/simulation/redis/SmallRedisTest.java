// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;
import io.lockstarter.simulation.redis.Reply.Bulk;
import io.lockstarter.simulation.redis.Reply.Failure;
import io.lockstarter.simulation.redis.Reply.Int;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What happens to a {@link SmallRedis}. What it answers otherwise is compared with a real
 * one, see {@link DifferentialTest}.
 */
class SmallRedisTest {

	private static final Reply NONE = Reply.NIL;

	private static final Reply READ_ONLY = new Failure("READONLY You can't write against a read only replica.");

	private static final Reply NO_MEMORY = new Failure("OOM command not allowed when used memory > 'maxmemory'.");

	private final Random random = new Random(1);

	private final List<Reply> pushes = new ArrayList<>();

	private final SmallRedis server = server(1);

	private final SmallClient client = this.server.connect(this.pushes::add);

	private long micros = 1_700_000_000_000_000L;

	private SmallRedis server(int port) {
		return new SmallRedis("redis", port, () -> this.micros, this.random);
	}

	private static Reply text(String text) {
		return new Bulk(Resp.latin(text));
	}

	private Reply get(SmallRedis from, String key) {
		return from.connect(this.pushes::add).execute("GET", key);
	}

	private static String info(SmallRedis server, String field) {
		String info = ((Bulk) server.connect((push) -> {
		}).execute("INFO")).text();
		return info.lines()
			.filter((line) -> line.startsWith(field + ":"))
			.findFirst()
			.orElse("")
			.substring(field.length() + 1);
	}

	@Test
	void keyExpiresByTheClockOfTheServerAlone() {
		this.client.execute("SET", "k", "v", "PX", "100");
		this.micros += 100_999;
		assertThat(this.client.execute("PTTL", "k")).isEqualTo(Reply.of(0));
		this.micros -= 50_000;
		assertThat(this.client.execute("PTTL", "k")).isEqualTo(Reply.of(50));
		this.micros += 50_001;
		for (String command : List.of("GET", "PTTL", "EXISTS", "TYPE")) {
			assertThat(this.client.execute(command, "k")).as(command)
				.isIn(NONE, Reply.of(-2), Reply.of(0), new Reply.Status("none"));
		}
		assertThat(this.client.execute("DBSIZE")).isEqualTo(Reply.of(0));
		assertThat(this.client.execute("SCAN", "0")).isEqualTo(Reply.ofAll(text("0"), Reply.ofAll()));
	}

	@Test
	void keyThatNobodyMissedComesBackWhenTheClockIsSetBack() {
		this.client.execute("SET", "seen", "v", "PX", "100");
		this.client.execute("SET", "unseen", "v", "PX", "100");
		this.micros += 200_000;
		assertThat(get(this.server, "seen")).isEqualTo(NONE);
		this.micros -= 200_000;
		assertThat(get(this.server, "seen")).isEqualTo(NONE);
		assertThat(get(this.server, "unseen")).isEqualTo(text("v"));
		this.micros += 200_000;
		this.server.expire();
		this.micros -= 200_000;
		assertThat(get(this.server, "unseen")).isEqualTo(NONE);
	}

	@Test
	void timeStandsStillDuringAScript() {
		SmallRedis hasty = new SmallRedis("redis", 2, () -> this.micros += 1_000_000, this.random);
		Reply reply = hasty.connect(this.pushes::add).execute("EVAL", """
				local before = redis.call('TIME')
				redis.call('SET', KEYS[1], 'v', 'PX', 1)
				local value = redis.call('GET', KEYS[1])
				local after = redis.call('TIME')
				return { value, before[1] == after[1] and before[2] == after[2] }
				""", "1", "k");
		assertThat(reply).isEqualTo(Reply.ofAll(text("v"), Reply.of(1)));
		assertThat(get(hasty, "k")).isEqualTo(NONE);
	}

	@Test
	void scriptsTouchNoKeysThatWereNotDeclared() {
		assertThat(this.client.execute("EVAL", "return redis.pcall('GET', 'other')", "1", "k"))
			.isEqualTo(new Failure("ERR script tried accessing undeclared key"));
		assertThat(this.client.execute("EVAL", "return redis.pcall('MGET', KEYS[1], 'other')", "1", "k"))
			.isInstanceOf(Failure.class);
		assertThat(this.client.execute("EVAL", "return redis.call('PUBLISH', 'other', 'x')", "1", "k"))
			.isEqualTo(Reply.of(0));
	}

	@Test
	void clockOfTheScriptForLocksIsThatOfTheServer() {
		String script = ScriptTexts.commands(RedisStoreSettings.defaults(), false);
		Reply reply = this.client.execute("EVAL", script, "2", "{lock}fence", "{lock}lock:k", "", "acquire", "a:1",
				"30000", "100");
		assertThat(reply).isEqualTo(Reply.ofAll(Reply.of(this.micros + 15_000_000)));
	}

	@Test
	void writesAreRefusedWithoutMemoryUnlessTheScriptWroteBefore() {
		this.client.execute("SET", "k", "v");
		this.server.setMemoryFull(true);
		assertThat(this.client.execute("SET", "k", "w")).isEqualTo(NO_MEMORY);
		assertThat(this.client.execute("PEXPIRE", "k", "1000")).isEqualTo(Reply.of(1));
		assertThat(this.client.execute("EVAL", "return redis.pcall('SET', KEYS[1], 'w')", "1", "k"))
			.isEqualTo(NO_MEMORY);
		assertThat(this.client.execute("EVAL",
				"redis.call('PEXPIRE', KEYS[1], 1000) return redis.pcall('SET', KEYS[1], 'w')", "1", "k"))
			.isEqualTo(Reply.OK);
		this.server.setMemoryFull(false);
		assertThat(this.client.execute("SET", "k", "w")).isEqualTo(Reply.OK);
	}

	@Test
	void replicaKnowsWhatItApplied() {
		this.client.execute("SET", "k", "v");
		SmallRedis replica = server(2);
		replica.connect(this.pushes::add).execute("SET", "own", "v");
		replica.replicaOf(this.server);
		assertThat(get(replica, "k")).isEqualTo(text("v"));
		assertThat(get(replica, "own")).isEqualTo(NONE);
		assertThat(this.client.execute("WAIT", "1", "0")).isEqualTo(Reply.of(1));

		this.client.execute("EVAL", "redis.call('SET', KEYS[1], 'w') redis.call('ZADD', KEYS[2], 1, 'a')", "2", "k",
				"z");
		this.client.execute("DEL", "k");
		assertThat(this.client.execute("WAIT", "1", "0")).isEqualTo(Reply.of(0));
		assertThat(replica.pending()).hasSize(2);
		replica.applyReplication(1);
		assertThat(get(replica, "k")).isEqualTo(text("w"));
		assertThat(replica.entries()).containsOnlyKeys("k", "z");
		assertThat(this.client.acknowledgements()).isZero();
		replica.applyReplication(9);
		assertThat(get(replica, "k")).isEqualTo(NONE);
		assertThat(this.client.acknowledgements()).isEqualTo(1);
		// Nothing changes at the replica.
		this.client.execute("EVAL", "redis.call('SET', KEYS[1], 'w') redis.call('DEL', KEYS[1])", "1", "k");
		replica.applyReplication(9);
		assertThat(this.client.acknowledgements()).isEqualTo(1);
	}

	@Test
	void whatReplicaPublishesByItselfAcknowledgesNothing() {
		SmallRedis replica = server(2);
		replica.replicaOf(this.server);
		replica.connect(this.pushes::add).execute("PUBLISH", "channel", "m");
		this.client.execute("SET", "k", "v");
		assertThat(this.client.acknowledgements()).isZero();
		replica.applyReplication(1);
		assertThat(this.client.acknowledgements()).isEqualTo(1);
	}

	@Test
	void replicaTakesNoWrites() {
		SmallRedis replica = server(2);
		replica.replicaOf(this.server);
		SmallClient reader = replica.connect(this.pushes::add);
		assertThat(reader.execute("SET", "k", "v")).isEqualTo(READ_ONLY);
		assertThat(reader.execute("EVAL", "return redis.pcall('DEL', KEYS[1])", "1", "k")).isEqualTo(READ_ONLY);
		assertThat(reader.execute("EVAL", "return redis.call('DEL', KEYS[1])", "1", "k").toString())
			.contains("READONLY You can't write against a read only replica. script: ", ", on @user_script:1.");
		assertThat(info(replica, "role")).isEqualTo("slave");
		assertThat(info(replica, "master_replid")).isEqualTo(info(this.server, "master_replid"));
	}

	@Test
	void replicaHidesWhatExpiredAndLeavesItToThePrimary() {
		this.client.execute("SET", "k", "v", "PX", "100");
		SmallRedis replica = server(2);
		replica.replicaOf(this.server);
		this.micros += 101_000;
		assertThat(get(replica, "k")).isEqualTo(NONE);
		this.micros -= 101_000;
		assertThat(get(replica, "k")).isEqualTo(text("v"));
		this.micros += 101_000;
		assertThat(get(this.server, "k")).isEqualTo(NONE);
		this.micros -= 101_000;
		replica.applyReplication(1);
		assertThat(get(replica, "k")).isEqualTo(NONE);
	}

	@Test
	void promotionLosesWhatIsPending() {
		SmallRedis replica = server(2);
		replica.replicaOf(this.server);
		String before = replica.replicationId();
		String runId = replica.runId();
		this.client.execute("SET", "known", "v");
		this.client.execute("SET", "lost", "v");
		replica.applyReplication(1);
		replica.promote();
		assertThat(replica.entries()).containsOnlyKeys("known");
		assertThat(replica.connect(this.pushes::add).execute("SET", "k", "v")).isEqualTo(Reply.OK);
		assertThat(info(replica, "master_replid")).isNotEqualTo(before);
		assertThat(info(replica, "master_replid2")).isEqualTo(before);
		assertThat(replica.runId()).isEqualTo(runId);
		this.client.execute("SET", "late", "v");
		assertThat(replica.pending()).isEmpty();

		this.server.replicaOf(replica);
		assertThat(this.server.entries()).containsOnlyKeys("known", "k");
		assertThat(this.client.execute("SET", "k", "w")).isEqualTo(READ_ONLY);
	}

	@Test
	void promotedReplicaKnowsNoScripts() {
		SmallRedis replica = server(2);
		replica.replicaOf(this.server);
		String digest = ((Bulk) this.client.execute("SCRIPT", "LOAD", "return 1")).text();
		assertThat(this.client.execute("EVALSHA", digest, "0")).isEqualTo(Reply.of(1));
		replica.promote();
		assertThat(replica.connect(this.pushes::add).execute("EVALSHA", digest, "0"))
			.isEqualTo(new Failure("NOSCRIPT No matching script. Please use EVAL."));
		this.server.flushScripts();
		assertThat(this.client.execute("EVALSHA", digest, "0")).isInstanceOf(Failure.class);
	}

	@Test
	void restartEndsConnectionsAndComesBackWithTheSnapshot() {
		this.client.execute("SET", "k", "v");
		SmallRedis.Snapshot snapshot = this.server.snapshot();
		this.client.execute("SET", "k", "w");
		this.client.execute("ZADD", "z", "1", "a");
		this.client.execute("SUBSCRIBE", "news");
		String runId = this.server.runId();
		String replicationId = this.server.replicationId();
		this.server.restart(snapshot);
		assertThat(this.client.isOpen()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.client.execute("PING"));
		SmallClient later = this.server.connect(this.pushes::add);
		assertThat(later.execute("GET", "k")).isEqualTo(text("v"));
		assertThat(this.server.entries()).containsOnlyKeys("k");
		assertThat(later.execute("PUBLISH", "news", "x")).isEqualTo(Reply.of(0));
		assertThat(this.server.runId()).isNotEqualTo(runId);
		assertThat(this.server.replicationId()).isNotEqualTo(replicationId);
		this.server.restart();
		assertThat(this.server.entries()).isEmpty();
	}

	@Test
	void messagesReachWhoListensHereAndAtReplicas() {
		SmallRedis replica = server(2);
		replica.replicaOf(this.server);
		List<Reply> elsewhere = new ArrayList<>();
		replica.connect(elsewhere::add).execute("SUBSCRIBE", "news");
		assertThat(this.client.execute("SUBSCRIBE", "news")).isEqualTo(Reply.NOTHING);
		assertThat(this.pushes).containsExactly(Reply.ofAll(text("subscribe"), text("news"), Reply.of(1)));
		SmallClient publisher = this.server.connect((push) -> {
		});
		Reply message = Reply.ofAll(text("message"), text("news"), text("\u00e4"));
		assertThat(publisher.execute("EVAL", "return redis.call('PUBLISH', 'news', ARGV[1])", "0", "\u00e4"))
			.isEqualTo(Reply.of(1));
		assertThat(this.pushes).last().isEqualTo(message);
		assertThat(elsewhere).hasSize(1);
		replica.applyReplication(1);
		assertThat(elsewhere).last().isEqualTo(message);
		this.client.close();
		assertThat(publisher.execute("PUBLISH", "news", "x")).isEqualTo(Reply.of(0));
	}

	@Test
	void messagesArePushedToWhoSpeaksVersion3AndMaySendCommandsMeanwhile() {
		assertThat(this.client.execute("HELLO", "4")).isEqualTo(new Failure("NOPROTO unsupported protocol version"));
		assertThat(this.client.execute("HELLO", "3")).isInstanceOf(Reply.Pairs.class);
		this.client.execute("SUBSCRIBE", "news");
		assertThat(this.client.execute("EVAL", "return redis.call('PUBLISH', 'news', 'x')", "0"))
			.isEqualTo(Reply.of(1));
		assertThat(this.pushes).containsExactly(new Reply.Push(List.of(text("subscribe"), text("news"), Reply.of(1))),
				new Reply.Push(List.of(text("message"), text("news"), text("x"))));
		assertThat(this.client.execute("PING")).isEqualTo(new Reply.Status("PONG"));
		assertThat(this.client.execute("HELLO", "2")).isInstanceOf(Reply.Array.class);
		assertThat(this.client.execute("PUBLISH", "news", "x")).isInstanceOf(Failure.class);
	}

	@Test
	void scanFindsAllThatStays() {
		for (int i = 0; i < 100; i++) {
			this.client.execute("SET", "k" + i, "v");
		}
		List<Reply> found = new ArrayList<>();
		String cursor = "0";
		int calls = 0;
		do {
			Reply.Array page = (Reply.Array) this.client.execute("SCAN", cursor, "COUNT", "7", "MATCH", "k?");
			cursor = ((Bulk) page.elements().get(0)).text();
			found.addAll(((Reply.Array) page.elements().get(1)).elements());
			this.client.execute("DEL", "k" + (50 + calls));
			this.client.execute("SET", "new" + calls++, "v");
		}
		while (!"0".equals(cursor));
		assertThat(found).hasSize(10).doesNotHaveDuplicates();
		assertThat(calls).isGreaterThan(10);
	}

	@Test
	void sameSeedGivesTheSameIds() {
		SmallRedis one = new SmallRedis("redis", 1, () -> 0, new Random(5));
		SmallRedis other = new SmallRedis("redis", 1, () -> 0, new Random(5));
		assertThat(one.runId()).hasSize(40).isEqualTo(other.runId()).isNotEqualTo(one.replicationId());
	}

	@Test
	void defectOfACommandIsNoReply() {
		assertThat(this.client.execute("EVAL", "return 1", "0")).isEqualTo(new Int(1));
		assertThatThrownBy(() -> this.client.execute("EVAL", "redis.pcall('SELECT', 1)", "0"))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThat(this.client.execute("EVAL", "return 1", "0")).isEqualTo(new Int(1));
	}

}
