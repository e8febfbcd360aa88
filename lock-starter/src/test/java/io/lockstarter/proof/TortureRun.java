// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

import io.lockstarter.proof.TortureReport.Plan;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

/**
 * Several JVMs use many locks in all ways while everything goes wrong that can, one fault
 * after the other. Which fault comes when and whom it meets follows from the seed; what
 * the threads of the JVMs are doing at that moment is up to the machine. To be started by
 * {@code torture.sh}.
 */
final class TortureRun implements AutoCloseable {

	/**
	 * How much later than others an event may come: a JVM that is stopped tells nothing.
	 */
	private static final Duration SLACK = Duration.ofSeconds(15);

	private final Plan plan;

	private final Random random;

	private final TortureGround ground;

	private RedisServer redis = RedisServers.start("--appendonly", "yes", "--appendfsync", "always");

	private RedisServer replica = RedisServers.start("--appendonly", "yes", "--appendfsync", "always");

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final FaultBag<Fault> faults;

	// demotions in a row that the server refused
	private int refusals;

	private TortureRun(Plan plan) throws SQLException {
		this.plan = plan;
		this.random = new Random(plan.seed());
		this.faults = new FaultBag<>(Fault.all(), this.random);
		this.ground = new TortureGround(plan, SLACK);
		this.replica.commands().replicaof("127.0.0.1", this.redis.port());
		for (int i = 0; i < plan.jvms(); i++) {
			this.proxies.add(new FaultProxy(this.redis.port()));
		}
		this.ground.launch(this::launch);
	}

	/**
	 * Run.
	 * @param args options and their values: {@code --seconds}, {@code --seed},
	 * {@code --jvms}, {@code --keys}, {@code --ttl}
	 */
	public static void main(String... args) throws Exception {
		TortureReport report = run(Plan.of(args));
		System.exit(report.failures().isEmpty() ? 0 : 1);
	}

	/**
	 * Run and print what came of it.
	 * @return the report; nothing is wrong if it has no failures
	 */
	static TortureReport run(Plan plan) throws SQLException {
		System.out.println(plan);
		try (TortureRun run = new TortureRun(plan)) {
			run.ground.wreakHavoc(run.faults, 0, run.random, run::inject);
			// A reply that is to be lost has the time to come.
			TortureGround.pass(plan.ttl());
			run.finish();
			run.ground.report().print(System.out);
			return run.ground.report();
		}
	}

	@Override
	public void close() {
		this.ground.close();
		this.proxies.forEach(FaultProxy::close);
		this.redis.close();
		this.replica.close();
	}

	private JvmProcess launch(int number) {
		return this.ground.start(ThreadLimit.launcher(number), number,
				"--spring.data.redis.port=" + this.proxies.get(number).port(), this.random.nextLong(), 1, true);
	}

	private void inject(Fault fault, int number) {
		Duration time = Duration.ofMillis(50 + this.random.nextInt((int) this.plan.ttl().toMillis() * 3 / 2));
		boolean either = this.random.nextBoolean();
		String key = TortureKeys.anyWanted(this.random);
		FaultProxy proxy = this.proxies.get(number);
		JvmProcess jvm = this.ground.jvm(number);
		if (this.plan.verbose()) {
			System.out.printf("           if it takes that: %d ms, %s, %s%n", time.toMillis(), key, either);
		}
		switch (fault) {
			case KILL_OF_A_HOLDER -> kill(this.ground.witness().awaitHolder(key, TortureGround.GRACE, number));
			case STOP_OF_A_JVM -> this.ground.stop(number, this.plan.ttl().plus(time.dividedBy(3)));
			case STOP_OF_REDIS -> outage(this.redis::pause, time, this.redis::resume);
			case RESTART_OF_REDIS -> this.redis.restart();
			case RESTART_OF_REDIS_WITHOUT_ITS_MEMORY -> forget("restart without memory", this.redis::restartEmpty);
			case FULL_REDIS -> outage(() -> limitMemory(1), time, () -> limitMemory(0));
			case CUT -> outage(proxy::cut, time, proxy::heal);
			case HANGING_HANDSHAKE -> outage(proxy::hang, time, proxy::heal);
			case DEMOTION_OF_REDIS -> demote();
			case HEAP_PRESSURE -> {
				jvm.send("press " + time.toMillis());
				TortureGround.pass(time);
			}
			case MOMENT_WITHOUT_THREADS -> {
				Runnable end = ThreadLimit.stopThreads(jvm, number);
				TortureGround.pass(this.plan.ttl().plus(time.dividedBy(3)));
				end.run();
			}
			case STALL -> outage(proxy::stall, time, proxy::heal);
			case RESET -> proxy.reset();
			case LOSS_OF_THE_REPLY_TO_AN_ACQUISITION -> proxy.loseReplyTo(Wire.ACQUIRE, either);
			case LOSS_OF_THE_REPLY_TO_A_RELEASE -> proxy.loseReplyTo(Wire.RELEASE, either);
			case LOSS_OF_THE_REPLY_TO_A_RENEWAL -> proxy.loseReplyTo(Wire.RENEW, either);
			case SCRIPT_FLUSH -> Raw.ask(this.redis.port(), "SCRIPT FLUSH");
			case CLIENT_KILL -> Raw.ask(this.redis.port(), "CLIENT KILL TYPE " + (either ? "normal" : "pubsub"));
			case DELETION_OF_A_LOCK -> vanish(SingleKey.LOCK, key);
			case DELETION_OF_READERS -> vanish(SingleKey.READERS, TortureKeys.anyHot(this.random));
			case DELETION_OF_A_QUEUE -> vanish(SingleKey.QUEUE, key);
			case DELETION_OF_THE_FENCE -> vanish(SingleKey.FENCE, key);
		}
	}

	/**
	 * Nothing else happens until the next holders are there, as it is to be measured when
	 * they come.
	 */
	private void kill(int number) {
		this.proxies.forEach(FaultProxy::heal);
		this.proxies.forEach(FaultProxy::loseNothing);
		this.ground.kill(number, this::launch);
	}

	/**
	 * Let the replica take over at the address that everybody knows, without a loss,
	 * while all connections lead to the old primary as before.
	 */
	private void demote() {
		String failOver = "FAILOVER TO 127.0.0.1 %d TIMEOUT 3000".formatted(this.replica.port());
		if (!passUntil(() -> this.redis.commands().info("replication").contains("state=online"))
				|| !Raw.ask(this.redis.port(), failOver).equals("+OK")
				|| !passUntil(() -> isPrimary(this.replica) && !isPrimary(this.redis))) {
			this.ground.report().count("demotions that the server refused");
			if (++this.refusals < 10) {
				this.faults.putBack(Fault.DEMOTION_OF_REDIS);
			}
			else {
				this.ground.report().fail("the server refuses each demotion");
			}
			return;
		}
		this.refusals = 0;
		RedisServer demoted = this.redis;
		this.redis = this.replica;
		this.replica = demoted;
		this.proxies.forEach((proxy) -> proxy.lead(this.redis.port()));
	}

	private void limitMemory(int bytes) {
		Raw.ask(this.redis.port(), "CONFIG SET maxmemory " + bytes);
	}

	private static boolean isPrimary(RedisServer server) {
		return server.commands().info("replication").contains("role:master");
	}

	private static boolean passUntil(BooleanSupplier condition) {
		for (long begin = System.nanoTime(); System.nanoTime() - begin < TortureGround.GRACE.toNanos() * 10;) {
			if (condition.getAsBoolean()) {
				return true;
			}
			TortureGround.pass(TortureGround.GRACE.dividedBy(20));
		}
		return false;
	}

	private void forget(String cause, Runnable fault) {
		long from = System.nanoTime();
		fault.run();
		this.ground.forget(cause, from, TortureGround.GRACE);
	}

	private void vanish(SingleKey kind, String key) {
		// What a fault before has met is over.
		this.proxies.forEach(FaultProxy::loseNothing);
		this.ground.vanish(kind, "{lock}", key, this.redis.port(), true);
	}

	private static void outage(Runnable begin, Duration time, Runnable end) {
		begin.run();
		TortureGround.pass(time);
		end.run();
	}

	private void finish() throws SQLException {
		this.proxies.forEach(FaultProxy::heal);
		this.proxies.forEach(FaultProxy::loseNothing);
		this.ground.finish(() -> this.redis.keys("{lock}[lr]*"));
		this.ground.report()
			.require(this.ground.history().grants() > 10 * this.plan.length().toSeconds(), "hardly anybody got a lock");
		judgeTimes();
	}

	private void judgeTimes() {
		long[] recoveries = this.ground.report().times(TortureWitness.RECOVERY);
		if (recoveries.length > 0) {
			long longest = recoveries[recoveries.length - 1];
			this.ground.report()
				.require(longest <= this.plan.ttl().plusSeconds(1).toNanos(),
						"a recovery took %d ms".formatted(longest / 1_000_000));
		}
	}

	/**
	 * What can go wrong.
	 */
	private enum Fault {

		KILL_OF_A_HOLDER, STOP_OF_A_JVM, HEAP_PRESSURE, MOMENT_WITHOUT_THREADS, STOP_OF_REDIS, RESTART_OF_REDIS,
		RESTART_OF_REDIS_WITHOUT_ITS_MEMORY, FULL_REDIS, DEMOTION_OF_REDIS, CUT, STALL, HANGING_HANDSHAKE, RESET,
		LOSS_OF_THE_REPLY_TO_AN_ACQUISITION, LOSS_OF_THE_REPLY_TO_A_RELEASE, LOSS_OF_THE_REPLY_TO_A_RENEWAL,
		SCRIPT_FLUSH, CLIENT_KILL, DELETION_OF_A_LOCK, DELETION_OF_READERS, DELETION_OF_A_QUEUE, DELETION_OF_THE_FENCE;

		/**
		 * Return what can go wrong on this machine. A kill comes twice, as it is what is
		 * measured most.
		 */
		static List<Fault> all() {
			List<Fault> all = new ArrayList<>(List.of(values()));
			all.add(KILL_OF_A_HOLDER);
			if (!ThreadLimit.isAvailable()) {
				System.out.println("the system cannot limit the threads of a JVM: no " + MOMENT_WITHOUT_THREADS);
				all.remove(MOMENT_WITHOUT_THREADS);
			}
			return all;
		}

	}

}
