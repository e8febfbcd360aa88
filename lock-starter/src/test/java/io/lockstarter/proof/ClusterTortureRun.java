/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.proof;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import io.lettuce.core.KillArgs;

import io.lockstarter.proof.TortureReport.Plan;
import io.lockstarter.testkit.HoldEvent;
import io.lockstarter.testkit.HoldHistory;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;

/**
 * As {@link TortureRun}, in a Redis Cluster whose nodes are killed and promoted and whose
 * slots move. It ends when enough time has passed and enough sections were counted.
 */
final class ClusterTortureRun implements AutoCloseable {

	private static final Duration SLACK = Duration.ofSeconds(30);

	private static final Duration GRACE = Duration.ofMillis(500);

	private final Plan plan;

	private final Random random;

	private final TortureReport report = new TortureReport();

	private final HoldHistory history = new HoldHistory(SLACK);

	private final RedisCluster cluster = RedisCluster.startWithFastFailOver();

	private final JvmProcess database = JvmProcess.start(DatabaseApplication.class);

	private final String url = "jdbc:h2:tcp://127.0.0.1:%s/mem:shop;DB_CLOSE_DELAY=-1"
		.formatted(this.database.await("port"));

	private final TortureWitness witness;

	private final List<JvmProcess> jvms = new ArrayList<>();

	private final Queue<Fault> bag = new ArrayDeque<>();

	private int kills;

	private ClusterTortureRun(Plan plan) throws SQLException {
		this.plan = plan;
		this.random = new Random(plan.seed());
		this.witness = new TortureWitness(this.history, this.report, plan.jvms());
		try (Connection connection = DriverManager.getConnection(this.url)) {
			connection.createStatement().execute(FencedTable.TABLE);
			for (int i = 0; i < plan.keys(); i++) {
				connection.createStatement()
					.execute("INSERT INTO stock (product, units) VALUES ('k%d', 1)".formatted(i));
			}
		}
		for (int i = 0; i < plan.jvms(); i++) {
			this.jvms.add(launch(i));
		}
		this.jvms.forEach((jvm) -> jvm.await("ready"));
	}

	/**
	 * Run.
	 * @param args as those of {@link TortureRun}, and first how many sections there must
	 * be at least
	 */
	public static void main(String... args) throws Exception {
		List<String> options = List.of(args).subList(1, args.length);
		TortureReport report = run(Plan.of(options.toArray(String[]::new)), Long.parseLong(args[0]));
		System.exit(report.failures().isEmpty() ? 0 : 1);
	}

	/**
	 * Run and print what came of it.
	 * @return the report; nothing is wrong if it has no failures
	 */
	static TortureReport run(Plan plan, long sections) throws SQLException {
		System.out.println("In a cluster: " + plan);
		try (ClusterTortureRun run = new ClusterTortureRun(plan)) {
			run.wreakHavoc(sections);
			run.finish();
			run.report.print(System.out);
			return run.report;
		}
	}

	@Override
	public void close() {
		this.jvms.forEach(JvmProcess::close);
		this.witness.close();
		this.database.close();
		this.cluster.close();
	}

	private JvmProcess launch(int number) {
		return JvmProcess.start(TortureApplication.class, String.join(",", this.cluster.seeds()),
				this.witness.port(number), this.url, this.random.nextLong(), this.plan.keys(),
				this.plan.ttl().toMillis(), 16);
	}

	private void wreakHavoc(long sections) {
		long begin = System.nanoTime();
		for (long now = begin; now - begin < this.plan.length().toNanos()
				|| this.history.grants() < sections; now = System.nanoTime()) {
			pass(Duration.ofMillis(300 + this.random.nextInt(700)));
			if (this.bag.isEmpty()) {
				List<Fault> all = new ArrayList<>(EnumSet.allOf(Fault.class));
				Collections.shuffle(all, this.random);
				this.bag.addAll(all);
			}
			Fault fault = this.bag.remove();
			int number = this.random.nextInt(this.plan.jvms());
			if (this.plan.verbose()) {
				System.out.printf("%7.1f s  %s (JVM %d), %,d sections%n", (System.nanoTime() - begin) / 1e9, fault,
						number, this.history.grants());
			}
			this.report.count("fault: " + fault.name().toLowerCase(Locale.ROOT).replace('_', ' '));
			inject(fault, number);
		}
	}

	private void inject(Fault fault, int number) {
		List<RedisServer> primaries = this.cluster.primaries();
		RedisServer primary = primaries.get(this.random.nextInt(primaries.size()));
		switch (fault) {
			case KILL_OF_A_HOLDER ->
				kill(this.witness.awaitHolder("k" + this.random.nextInt(TortureApplication.HOT_KEYS), GRACE, number));
			case STOP_OF_A_JVM -> stop(number);
			case KILL_OF_A_PRIMARY -> promote(primary);
			case FAIL_OVER -> this.cluster.failOver(this.cluster.replicaOf(primary));
			case MIGRATION -> migrate(5);
			case CUT_OF_ALL_CONNECTIONS -> {
				this.cluster.killClients(KillArgs.Builder.typeNormal());
				this.cluster.killClients(KillArgs.Builder.typePubsub());
			}
			case SCRIPT_FLUSH -> primary.commands().scriptFlush();
		}
	}

	private void kill(int number) {
		this.kills++;
		long before = System.nanoTime();
		this.jvms.get(number).kill();
		this.witness.killed(number, before);
		pass(this.plan.ttl().plusSeconds(1));
		this.jvms.get(number).close();
		this.jvms.set(number, launch(number));
		this.jvms.get(number).await("ready");
	}

	private void stop(int number) {
		this.witness.stopped(number, System.nanoTime(), Long.MAX_VALUE);
		this.jvms.get(number).pause();
		pass(this.plan.ttl().plusMillis(this.random.nextInt(500)));
		this.jvms.get(number).resume();
		this.witness.resumed(number, System.nanoTime() + GRACE.toNanos());
	}

	/**
	 * What the replica had not heard of is forgotten.
	 */
	private void promote(RedisServer primary) {
		RedisServer replica = this.cluster.replicaOf(primary);
		long from = System.nanoTime();
		this.cluster.kill(primary);
		this.cluster.awaitPromotion(replica);
		long to = System.nanoTime() + GRACE.toNanos();
		for (int i = 0; i < this.plan.keys(); i++) {
			this.history.add(HoldEvent.forgotten("k" + i, "promotion", from, to));
		}
		this.cluster.start(primary);
		this.cluster.awaitStable();
	}

	/**
	 * Move slots that are in use to other primaries and back.
	 */
	private void migrate(int times) {
		List<Integer> slots = new ArrayList<>(
				this.cluster.keys("*}fence").stream().map(RedisCluster::slotOf).distinct().toList());
		Collections.shuffle(slots, this.random);
		for (int slot : slots.subList(0, Math.min(times, slots.size()))) {
			RedisServer before = this.cluster.primaryOf(slot);
			this.cluster.migrate(slot, this.cluster.otherThan(slot));
			this.cluster.migrate(slot, before);
		}
	}

	private static void pass(Duration time) {
		for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
			LockSupport.parkNanos(end - System.nanoTime());
		}
	}

	private void finish() throws SQLException {
		for (JvmProcess jvm : this.jvms) {
			jvm.send("finish");
		}
		for (int i = 0; i < this.jvms.size(); i++) {
			String usable = this.jvms.get(i).await("usable");
			this.report.require(usable.equals(String.valueOf(this.plan.keys())),
					"JVM %d can use %s of %d keys afterwards (-1: a thread is wedged)".formatted(i, usable,
							this.plan.keys()));
			this.jvms.get(i).awaitEnd();
		}
		this.witness.awaitEnd();
		pass(this.plan.ttl().plusSeconds(1));
		Set<String> left = this.cluster.keys("*}lock:k*");
		this.report.require(left.isEmpty(), "held by nobody after the ttl: " + left);
		this.history.violations().forEach(this.report::fail);
		this.report.count("overlaps that nothing explains",
				this.history.breaches().getOrDefault(HoldHistory.Breach.OVERLAP, 0L));
		this.history.excused().forEach((cause, number) -> this.report.count("overlaps after " + cause, number));
		this.report.count("sections", this.history.grants());
		judgeTable();
	}

	/**
	 * A stale write that was accepted would have overwritten another, which was accepted
	 * before.
	 */
	private void judgeTable() throws SQLException {
		Map<String, Long> accepted = this.witness.acceptedWrites();
		long unreported = 0;
		long lost = 0;
		try (Connection connection = DriverManager.getConnection(this.url)) {
			ResultSet rows = connection.createStatement().executeQuery("SELECT product, units FROM stock");
			while (rows.next()) {
				long more = rows.getInt(2) - 1 - accepted.getOrDefault(rows.getString(1), 0L);
				lost += Math.max(0, -more);
				unreported += Math.max(0, more);
			}
		}
		this.report.count("fenced writes accepted", accepted.values().stream().mapToLong(Long::longValue).sum());
		this.report.count("lost updates", lost);
		this.report.require(lost == 0, "updates were lost");
		// a JVM may be killed between a write and its report
		this.report.require(unreported <= (long) this.kills * TortureApplication.WORKERS,
				"writes of nobody: " + unreported);
	}

	/**
	 * What can go wrong.
	 */
	private enum Fault {

		KILL_OF_A_HOLDER, STOP_OF_A_JVM, KILL_OF_A_PRIMARY, FAIL_OVER, MIGRATION, CUT_OF_ALL_CONNECTIONS, SCRIPT_FLUSH

	}

}
