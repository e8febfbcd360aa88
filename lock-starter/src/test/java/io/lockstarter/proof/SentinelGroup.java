// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A primary and its replica, and three Sentinels that let them change places.
 */
final class SentinelGroup implements AutoCloseable {

	/**
	 * What the Sentinels call the primary, whichever server that is.
	 */
	static final String NAME = "locks";

	private static final Duration PATIENCE = Duration.ofSeconds(40);

	/**
	 * A replica that has just come need not wait for others.
	 */
	private static final List<String> AT_ONCE = List.of("--repl-diskless-sync-delay", "0");

	private final RedisServer first = start();

	private final RedisServer second = start("--replicaof", "127.0.0.1", String.valueOf(this.first.port()));

	private final List<RedisServer> sentinels;

	private final Duration downAfter;

	/**
	 * Start all of them; returns when a fail-over would succeed.
	 * @param downAfter after how long a server that does not answer is thought to be down
	 * @param failOverTimeout half the time between two attempts
	 */
	SentinelGroup(Duration downAfter, Duration failOverTimeout) {
		this.downAfter = downAfter;
		this.sentinels = IntStream.range(0, 3)
			.mapToObj((i) -> RedisServers.startSentinel(
					"sentinel monitor %s 127.0.0.1 %d 2".formatted(NAME, this.first.port()),
					"sentinel down-after-milliseconds %s %d".formatted(NAME, downAfter.toMillis()),
					"sentinel failover-timeout %s %d".formatted(NAME, failOverTimeout.toMillis())))
			.toList();
		awaitStable();
	}

	private static RedisServer start(String... config) {
		return RedisServers.start(Stream.concat(AT_ONCE.stream(), Stream.of(config)).toArray(String[]::new));
	}

	/**
	 * Return the addresses of the Sentinels.
	 */
	List<String> sentinels() {
		return this.sentinels.stream().map((sentinel) -> sentinel.host() + ":" + sentinel.port()).toList();
	}

	/**
	 * Return what an application is told.
	 */
	RedisSentinelConfiguration configuration() {
		return new RedisSentinelConfiguration(NAME, Set.copyOf(sentinels()));
	}

	/**
	 * Return the server that the Sentinels name.
	 */
	RedisServer primary() {
		return isNamed(this.sentinels.get(0), this.first) ? this.first : this.second;
	}

	/**
	 * Return the other server, which may not know yet that it is a replica.
	 */
	RedisServer replica() {
		return other(primary());
	}

	/**
	 * Have the servers change places while both of them live, as for maintenance; returns
	 * when the first Sentinel names the new primary. The old one goes on taking writes
	 * for about ten seconds.
	 */
	void switchOver() {
		RedisServer next = replica();
		// Refused until Sentinel knows enough of the replica.
		await().atMost(PATIENCE)
			.until(() -> Raw.ask(this.sentinels.get(0).port(), "SENTINEL FAILOVER " + NAME).equals("+OK"));
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> isNamed(this.sentinels.get(0), next));
	}

	/**
	 * Freeze the primary until its replica has taken over, and let that die before the
	 * first knows of it, which is the primary again then. Returns when all Sentinels say
	 * so; the replica is to be started.
	 * @param meanwhile what to do while the replica is the primary
	 */
	void stopThereAndBack(Runnable meanwhile) {
		RedisServer primary = primary();
		RedisServer replica = replica();
		primary.pause();
		awaitPromotion(replica);
		meanwhile.run();
		// Or a Sentinel may miss the first answer of the one that is back, and go on to
		// the other.
		replaceNobody();
		replica.kill();
		primary.resume();
		// Refused until Sentinel has noticed that it is back.
		await().atMost(PATIENCE)
			.until(() -> Raw.ask(this.sentinels.get(0).port(), "SENTINEL FAILOVER " + NAME).equals("+OK"));
		awaitPromotion(primary);
	}

	/**
	 * Have the Sentinels leave the primary what it is, until {@link #awaitStable()}. A
	 * Sentinel connects once in a second: if its connection is cut after it has waited
	 * for an answer, it would take a server for dead that is not.
	 */
	void replaceNobody() {
		giveUpAfter(PATIENCE);
	}

	/**
	 * Have the Sentinels take a server for dead that has been silent for so long.
	 */
	private void giveUpAfter(Duration silence) {
		this.sentinels.forEach((sentinel) -> assertThat(Raw.ask(sentinel.port(),
				"SENTINEL SET %s down-after-milliseconds %d".formatted(NAME, silence.toMillis())))
			.isEqualTo("+OK"));
	}

	/**
	 * Wait until all Sentinels name a server as the primary.
	 */
	void awaitPromotion(RedisServer next) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.sentinels.stream().allMatch((sentinel) -> isNamed(sentinel, next)));
	}

	/**
	 * Wait until the replica has all that the primary has, and every Sentinel knows both
	 * of them and the other Sentinels.
	 */
	void awaitStable() {
		await().atMost(PATIENCE).ignoreExceptions().until(this::isStable);
		giveUpAfter(this.downAfter);
	}

	private boolean isStable() {
		RedisServer primary = primary();
		return primary.commands().info("replication").contains("state=online")
				&& other(primary).commands().info("replication").contains("master_link_status:up")
				&& this.sentinels.stream().allMatch((sentinel) -> isInformed(sentinel, primary));
	}

	private static boolean isInformed(RedisServer sentinel, RedisServer primary) {
		return isNamed(sentinel, primary) && seesReplica(sentinel)
				&& Raw.ask(sentinel.port(), "SENTINEL CKQUORUM " + NAME).startsWith("+OK 3 ");
	}

	/**
	 * Return whether there is one replica, neither thought to be down nor without its
	 * primary.
	 */
	private static boolean seesReplica(RedisServer sentinel) {
		String command = "SENTINEL REPLICAS " + NAME;
		if (!Raw.ask(sentinel.port(), command).equals("*1")) {
			return false;
		}
		int strings = Integer.parseInt(Raw.askAll(sentinel.port(), command, 2).get(1).substring(1));
		List<String> replica = Raw.askAll(sentinel.port(), command, 2 + 2 * strings);
		return valueOf("flags", replica).equals("slave") && valueOf("master-link-status", replica).equals("ok");
	}

	// Before each string stands its length.
	private static String valueOf(String name, List<String> reply) {
		return reply.get(reply.indexOf(name) + 2);
	}

	private static boolean isNamed(RedisServer sentinel, RedisServer server) {
		return Raw.askAll(sentinel.port(), "SENTINEL GET-MASTER-ADDR-BY-NAME " + NAME, 5)
			.contains(String.valueOf(server.port()));
	}

	private RedisServer other(RedisServer server) {
		return (server == this.first) ? this.second : this.first;
	}

	@Override
	public void close() {
		this.sentinels.forEach(RedisServer::close);
		this.second.close();
		this.first.close();
	}

}
