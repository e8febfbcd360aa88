// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

import io.lockstarter.proof.TortureReport.Plan;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

/**
 * As {@link TortureRun}, in a quorum of servers of which a minority fails at a time: the
 * next ones when those before vote again. It ends when enough time has passed, enough
 * sections were counted, and every fault was dealt out.
 */
final class QuorumTortureRun implements AutoCloseable {

	static final String FIRST_SECTIONS = "from a fault to the tenth section after it";

	private static final Duration SLACK = Duration.ofSeconds(15);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration SLOWNESS = Duration.ofMillis(200);

	private static final int SECTIONS = 10;

	private final Plan plan;

	private final Random random;

	private final TortureGround ground;

	private final List<RedisServer> servers = new ArrayList<>();

	/** Of each server, one for each JVM. */
	private final List<List<FaultProxy>> proxies = new ArrayList<>();

	private final FaultBag<Fault> bag;

	private QuorumTortureRun(Plan plan, int servers) throws SQLException {
		this.plan = plan;
		this.random = new Random(plan.seed());
		this.bag = new FaultBag<>(List.of(Fault.values()), this.random);
		this.ground = new TortureGround(plan, SLACK);
		for (int i = 0; i < servers; i++) {
			RedisServer server = RedisServers.start();
			this.servers.add(server);
			List<FaultProxy> ways = new ArrayList<>();
			for (int jvm = 0; jvm < plan.jvms(); jvm++) {
				ways.add(new FaultProxy(server.port()));
			}
			this.proxies.add(ways);
		}
		this.ground.launch(this::launch);
	}

	/**
	 * Run and print what came of it.
	 * @param sections how many sections there must be at least
	 * @return the report; nothing is wrong if it has no failures
	 */
	static TortureReport run(Plan plan, int servers, long sections) throws SQLException {
		System.out.printf("In a quorum of %d: %s%n", servers, plan);
		try (QuorumTortureRun run = new QuorumTortureRun(plan, servers)) {
			run.wreakHavoc(sections);
			run.ground.finish(run::locks);
			run.ground.report().print(System.out);
			return run.ground.report();
		}
	}

	@Override
	public void close() {
		this.ground.close();
		this.proxies.forEach((ways) -> ways.forEach(FaultProxy::close));
		this.servers.forEach(RedisServer::close);
	}

	private JvmProcess launch(int number) {
		String nodes = this.proxies.stream()
			.map((ways) -> "redis://127.0.0.1:" + ways.get(number).port())
			.collect(Collectors.joining(","));
		return this.ground.start(number,
				"--distributed-lock.command-timeout=500ms --distributed-lock.quorum.max-ttl=%dms --distributed-lock.quorum.nodes=%s"
					.formatted(this.plan.ttl().toMillis(), nodes),
				this.random.nextLong(), 64, true);
	}

	private void wreakHavoc(long sections) {
		for (int i = 0; i < this.servers.size(); i++) {
			awaitVote(i, -1);
		}
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < this.plan.length().toNanos() || this.ground.witness().grants() < sections
				|| !this.bag.wasEmptied()) {
			TortureGround.pass(Duration.ofMillis(100 + this.random.nextInt(300)));
			Map<Integer, Fault> faults = choose();
			if (this.plan.verbose()) {
				System.out.printf("%7.1f s  %s, %,d sections%n", (System.nanoTime() - begin) / 1e9, faults,
						this.ground.witness().grants());
			}
			inflict(faults);
		}
		this.ground.report().time("how long faults were injected", System.nanoTime() - begin);
	}

	/**
	 * Choose servers, a minority, and what happens to each.
	 */
	private Map<Integer, Fault> choose() {
		List<Integer> all = new ArrayList<>();
		for (int i = 0; i < this.servers.size(); i++) {
			all.add(i);
		}
		Collections.shuffle(all, this.random);
		Map<Integer, Fault> faults = new LinkedHashMap<>();
		int most = (this.servers.size() - 1) / 2;
		for (int server : all.subList(0, 1 + this.random.nextInt(most))) {
			faults.put(server, this.bag.next());
		}
		return faults;
	}

	private void inflict(Map<Integer, Fault> faults) {
		long begin = System.nanoTime();
		long before = this.ground.witness().grants();
		faults.forEach((server, fault) -> {
			this.ground.count(fault);
			begin(fault, server);
		});
		awaitSections(faults, begin, before);
		Duration time = Duration.ofMillis(200L + this.random.nextInt((int) this.plan.ttl().toMillis()));
		TortureGround.pass(time.minusNanos(System.nanoTime() - begin));
		faults.forEach((server, fault) -> {
			long fence = end(fault, server);
			awaitVote(server, fence);
		});
	}

	private void awaitSections(Map<Integer, Fault> faults, long begin, long before) {
		while (this.ground.witness().grants() < before + SECTIONS) {
			if (System.nanoTime() - begin > PATIENCE.toNanos()) {
				this.ground.report().fail("no sections during " + faults);
				return;
			}
			TortureGround.pass(Duration.ofMillis(1));
		}
		this.ground.report().time(FIRST_SECTIONS, System.nanoTime() - begin);
	}

	private void begin(Fault fault, int number) {
		RedisServer server = this.servers.get(number);
		switch (fault) {
			case KILL -> server.kill();
			case FREEZE -> server.pause();
			case RESTART_WITHOUT_MEMORY -> server.restartEmpty();
			case RESTART_FROM_AN_OLD_SNAPSHOT -> {
				Raw.ask(server.port(), "SAVE");
				TortureGround.pass(Duration.ofMillis(this.random.nextInt(500)));
				server.restart();
			}
			case PARTITION -> this.proxies.get(number).forEach(FaultProxy::cut);
			case PARTITION_FROM_SOME -> some(number).forEach(FaultProxy::cut);
			case SILENCE_TOWARDS_SOME -> some(number).forEach(FaultProxy::stall);
			case SLOWNESS -> this.proxies.get(number).forEach((way) -> way.slow(SLOWNESS));
			case LOSS_OF_A_KEY -> this.ground.vanish(SingleKey.any(this.random), "{lock}",
					TortureKeys.anyHot(this.random), server.port(), false);
		}
	}

	private List<FaultProxy> some(int number) {
		List<FaultProxy> ways = new ArrayList<>(this.proxies.get(number));
		Collections.shuffle(ways, this.random);
		return ways.subList(0, 1 + this.random.nextInt(ways.size() - 1));
	}

	/**
	 * Let a server vote again.
	 * @return what its last token was, or less
	 */
	private long end(Fault fault, int number) {
		RedisServer server = this.servers.get(number);
		switch (fault) {
			case KILL -> server.start();
			case FREEZE -> server.resume();
			default -> this.proxies.get(number).forEach(FaultProxy::heal);
		}
		return fence(server);
	}

	/**
	 * Wait until every JVM has connections to a server, and it grants locks.
	 */
	private void awaitVote(int number, long fence) {
		RedisServer server = this.servers.get(number);
		for (long begin = System.nanoTime(); this.proxies.get(number).stream().anyMatch((way) -> way.connections() == 0)
				|| ask(server, "redis.call('EXISTS', '{lock}joining')") == 1 || fence(server) <= fence;) {
			if (System.nanoTime() - begin > PATIENCE.toNanos()) {
				this.ground.report().fail("server %d does not vote again".formatted(number));
				return;
			}
			TortureGround.pass(Duration.ofMillis(10));
		}
	}

	private static long fence(RedisServer server) {
		return ask(server, "tonumber(redis.call('GET', '{lock}fence') or 0)");
	}

	private static long ask(RedisServer server, String expression) {
		String reply = Raw.ask(server.port(), "EVAL \"return %s\" 0".formatted(expression));
		return Long.parseLong(reply.substring(1));
	}

	private List<String> locks() {
		return this.servers.stream().flatMap((server) -> server.keys("{lock}[lr]*").stream()).toList();
	}

	/**
	 * What can go wrong with a server.
	 */
	private enum Fault {

		KILL, FREEZE, RESTART_WITHOUT_MEMORY, RESTART_FROM_AN_OLD_SNAPSHOT, PARTITION, PARTITION_FROM_SOME,
		SILENCE_TOWARDS_SOME, SLOWNESS, LOSS_OF_A_KEY

	}

}
