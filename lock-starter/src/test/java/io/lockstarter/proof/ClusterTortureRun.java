// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.KillArgs;

import io.lockstarter.proof.TortureReport.Plan;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;

import static org.awaitility.Awaitility.await;

/**
 * As {@link TortureRun}, in a Redis Cluster whose nodes are killed and promoted and whose
 * slots move.
 */
final class ClusterTortureRun implements AutoCloseable {

	private static final Duration SLACK = Duration.ofSeconds(30);

	private final Plan plan;

	private final Random random;

	private final TortureGround ground;

	private final RedisCluster cluster = RedisCluster.startWithFastFailOver();

	private final FaultBag<Fault> faults;

	// by key
	private final Map<String, String> tags = new HashMap<>();

	private ClusterTortureRun(Plan plan) throws SQLException {
		this.plan = plan;
		this.random = new Random(plan.seed());
		this.faults = new FaultBag<>(List.of(Fault.values()), this.random);
		this.ground = new TortureGround(plan, SLACK);
		this.ground.launch(this::launch);
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
			run.ground.wreakHavoc(run.faults, sections, run.random, run::inject);
			run.ground.finish(() -> Stream.of("*}[lr]*:k*", "*}[lr]*:permit:*")
				.flatMap((pattern) -> run.cluster.keys(pattern).stream())
				.toList());
			run.ground.report().print(System.out);
			return run.ground.report();
		}
	}

	@Override
	public void close() {
		this.ground.close();
		this.cluster.close();
	}

	private JvmProcess launch(int number) {
		return this.ground.start(number, "--spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.seeds()),
				this.random.nextLong(), 16, true);
	}

	private void inject(Fault fault, int number) {
		List<RedisServer> primaries = this.cluster.primaries();
		RedisServer primary = primaries.get(this.random.nextInt(primaries.size()));
		switch (fault) {
			case KILL_OF_A_HOLDER -> this.ground.killHolder(this.random, number, this::launch);
			case STOP_OF_A_JVM -> this.ground.stop(number, this.plan.ttl().plusMillis(this.random.nextInt(500)));
			case KILL_OF_A_PRIMARY -> promote(primary);
			case TAKE_OVER_THERE_AND_BACK -> takeOverThereAndBack(primary);
			case FAIL_OVER -> this.cluster.failOver(this.cluster.replicaOf(primary));
			case MIGRATION -> migrate(5);
			case CUT_OF_ALL_CONNECTIONS -> {
				this.cluster.killClients(KillArgs.Builder.typeNormal());
				this.cluster.killClients(KillArgs.Builder.typePubsub());
			}
			case SCRIPT_FLUSH -> primary.commands().scriptFlush();
			case LOSS_OF_A_KEY -> vanish(SingleKey.any(this.random), TortureKeys.anyHot(this.random));
		}
	}

	/**
	 * What the replica had not heard of is forgotten.
	 */
	private void promote(RedisServer primary) {
		RedisServer replica = this.cluster.replicaOf(primary);
		long from = System.nanoTime();
		this.cluster.kill(primary);
		this.cluster.awaitPromotion(replica);
		this.ground.forget("promotion", from, TortureGround.GRACE);
		this.cluster.start(primary);
		this.cluster.awaitStable();
	}

	/**
	 * What the replica granted meanwhile is forgotten. Each of the two goes on for a
	 * moment, until it hears of the other.
	 */
	private void takeOverThereAndBack(RedisServer primary) {
		long from = System.nanoTime();
		AtomicLong back = new AtomicLong();
		this.cluster.takeOverThereAndBack(primary, () -> {
			this.ground.replace("take-over", from, System.nanoTime() + TortureGround.GRACE.toNanos());
			TortureGround.pass(TortureGround.GRACE.multipliedBy(2));
			back.set(System.nanoTime());
		});
		this.ground.replace("take-over back", back.get(), System.nanoTime() + TortureGround.GRACE.toNanos());
	}

	private void vanish(SingleKey kind, String key) {
		String tag = this.tags.computeIfAbsent(key,
				(absent) -> await().until(() -> ClusterKeys.nameOfHeld(this.cluster, key), Optional::isPresent)
					.map((name) -> name.substring(0, name.indexOf('}') + 1))
					.orElseThrow());
		this.ground.vanish(kind, tag, key, this.cluster.primaryOf(tag).port(), true);
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

	/**
	 * What can go wrong.
	 */
	private enum Fault {

		KILL_OF_A_HOLDER, STOP_OF_A_JVM, KILL_OF_A_PRIMARY, TAKE_OVER_THERE_AND_BACK, FAIL_OVER, MIGRATION,
		CUT_OF_ALL_CONNECTIONS, SCRIPT_FLUSH, LOSS_OF_A_KEY

	}

}
