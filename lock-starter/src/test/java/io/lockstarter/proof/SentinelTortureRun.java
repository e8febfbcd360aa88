// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisException;
import io.lockstarter.proof.TortureReport.Plan;
import io.lockstarter.testkit.RedisServer;

import static org.awaitility.Awaitility.await;

/**
 * JVMs use locks in a primary that Sentinels replace again and again: on request while it
 * lives, when it was killed, and when it froze and comes back believing that it is the
 * primary. Otherwise like {@link TortureRun}.
 */
final class SentinelTortureRun implements AutoCloseable {

	private static final Duration SLACK = Duration.ofSeconds(100);

	/**
	 * By what the name of each connection of a JVM begins, before the number of the JVM.
	 */
	private static final String NAME = "torture-";

	private static final Duration PATIENCE = Duration.ofSeconds(40);

	private static final Duration PACE = Duration.ofMillis(5);

	private static final String MOVE = "from a promotion until all JVMs have moved";

	private final Plan plan;

	private final Random random;

	private final TortureGround ground;

	private final SentinelGroup group = new SentinelGroup(Duration.ofSeconds(1), Duration.ofSeconds(3));

	private final FaultBag<Fault> faults;

	private SentinelTortureRun(Plan plan) throws SQLException {
		this.plan = plan;
		this.random = new Random(plan.seed());
		this.faults = new FaultBag<>(List.of(Fault.values()), this.random);
		this.group.replaceNobody();
		this.ground = new TortureGround(plan, SLACK);
		this.ground.launch(this::launch);
	}

	/**
	 * Run and print what came of it.
	 * @return the report; nothing is wrong if it has no failures
	 */
	static TortureReport run(Plan plan) throws SQLException {
		System.out.println("With Sentinels: " + plan);
		try (SentinelTortureRun run = new SentinelTortureRun(plan)) {
			run.ground.wreakHavoc(run.faults, 0, run.random, run::inject);
			run.group.awaitStable();
			run.ground.finish(() -> run.group.primary().keys("{lock}[lr]*"));
			run.ground.report().print(System.out);
			return run.ground.report();
		}
	}

	@Override
	public void close() {
		this.ground.close();
		this.group.close();
	}

	private JvmProcess launch(int number) {
		String place = "--spring.data.redis.sentinel.master=%s --spring.data.redis.sentinel.nodes=%s --spring.data.redis.client-name=%s"
			.formatted(SentinelGroup.NAME, String.join(",", this.group.sentinels()), NAME + number);
		return this.ground.start(number, place, this.random.nextLong(), 4, true);
	}

	private void inject(Fault fault, int number) {
		switch (fault) {
			case KILL_OF_A_HOLDER -> this.ground.killHolder(this.random, number, this::launch);
			case STOP_OF_A_JVM -> this.ground.stop(number, this.plan.ttl().plusMillis(this.random.nextInt(500)));
			case SWITCH_OVER -> replace(fault, (primary) -> this.group.switchOver(), (primary) -> {
			});
			case KILL_OF_THE_PRIMARY -> replace(fault, RedisServer::kill, this::restart);
			case STOP_OF_THE_PRIMARY -> replace(fault, RedisServer::pause, RedisServer::resume);
			case STOP_OF_THE_PRIMARY_AND_BACK -> stopThereAndBack();
			case CUT_OF_ALL_CONNECTIONS -> {
				this.group.primary().commands().clientKill(KillArgs.Builder.typeNormal().skipme());
				this.group.primary().commands().clientKill(KillArgs.Builder.typePubsub());
			}
			case SCRIPT_FLUSH -> this.group.primary().commands().scriptFlush();
			case LOSS_OF_A_KEY -> this.ground.vanish(SingleKey.any(this.random), "{lock}",
					TortureKeys.anyHot(this.random), this.group.primary().port(), true);
		}
	}

	/**
	 * What the replica had not heard of is forgotten.
	 */
	private void replace(Fault fault, Consumer<RedisServer> begin, Consumer<RedisServer> end) {
		this.group.awaitStable();
		RedisServer primary = this.group.primary();
		RedisServer replica = this.group.replica();
		long from = System.nanoTime();
		begin.accept(primary);
		this.group.awaitPromotion(replica);
		long promoted = System.nanoTime();
		end.accept(primary);
		long left = awaitMove(primary, replica);
		this.ground.report().time(MOVE, left - promoted);
		System.out.printf("%s at %d, promotion heard of at %d, the old primary left at %d%n",
				TortureGround.nameOf(fault), from, promoted, left);
		this.ground.replace(TortureGround.nameOf(fault), from, left);
		this.group.replaceNobody();
	}

	/**
	 * Start a primary that was killed. It believes that it is still one, and whoever was
	 * about to connect to it would find one that has forgotten all.
	 */
	private void restart(RedisServer killed) {
		awaitArrival(this.group.primary());
		killed.start();
	}

	/**
	 * Wait until no JVM uses a server any more, and each of them its successor. However
	 * slow the machine is, they leave by themselves: before the Sentinels make a replica
	 * of the old one, which cuts off all who are connected to it.
	 * @return when
	 */
	private long awaitMove(RedisServer old, RedisServer next) {
		Set<String> staying = Set.of();
		do {
			TortureGround.pass(PACE);
			try {
				if (old.commands().info("replication").contains("role:slave")) {
					this.ground.report()
						.require(staying.isEmpty(), staying + " stayed at the old primary for as long as it was one");
					break;
				}
				staying = connected(old, (client) -> !client.contains("subscribe"));
			}
			catch (RedisException ex) {
				// This one is cut off, too.
			}
		}
		while (!staying.isEmpty() || !haveArrived(next));
		awaitArrival(next);
		return System.nanoTime();
	}

	/**
	 * Wait until each JVM sends its commands to a server.
	 */
	private void awaitArrival(RedisServer next) {
		await().atMost(PATIENCE).pollInterval(PACE).until(() -> haveArrived(next));
	}

	private boolean haveArrived(RedisServer next) {
		return connected(next, (client) -> client.contains(" cmd=evalsha ")).size() == this.plan.jvms();
	}

	private static Set<String> connected(RedisServer server, Predicate<String> use) {
		return server.commands()
			.clientList()
			.lines()
			.filter((client) -> client.contains(" name=" + NAME) && use.test(client))
			.map((client) -> client.replaceFirst(".* name=(\\S+) .*", "$1"))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * What the replica granted before it died is forgotten by the primary that it had
	 * replaced, but tokens grow.
	 */
	private void stopThereAndBack() {
		this.group.awaitStable();
		RedisServer primary = this.group.primary();
		RedisServer next = this.group.replica();
		long from = System.nanoTime();
		AtomicLong back = new AtomicLong();
		this.group.stopThereAndBack(() -> {
			// Who is still about to connect to the one that is stopped knows of no other.
			awaitArrival(next);
			this.ground.replace("stop of the primary", from, System.nanoTime());
			TortureGround.pass(TortureGround.GRACE);
			back.set(System.nanoTime());
		});
		awaitArrival(primary);
		this.ground.forget("return of the primary", back.get(), this.plan.ttl());
		next.start();
		// As Sentinels do, but they take ten seconds.
		next.commands().replicaof(primary.host(), primary.port());
	}

	/**
	 * What can go wrong.
	 */
	private enum Fault {

		KILL_OF_A_HOLDER, STOP_OF_A_JVM, SWITCH_OVER, KILL_OF_THE_PRIMARY, STOP_OF_THE_PRIMARY,
		STOP_OF_THE_PRIMARY_AND_BACK, CUT_OF_ALL_CONNECTIONS, SCRIPT_FLUSH, LOSS_OF_A_KEY

	}

}
