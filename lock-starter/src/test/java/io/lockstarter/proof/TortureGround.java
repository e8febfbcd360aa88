// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

import io.lockstarter.proof.TortureReport.Plan;
import io.lockstarter.testkit.HoldEvent;
import io.lockstarter.testkit.HoldHistory;

/**
 * What every torture has, wherever the locks are: JVMs that run
 * {@link TortureApplication}, a witness of what they are told, and a table that is fenced
 * with tokens.
 */
final class TortureGround implements AutoCloseable {

	/**
	 * How late a JVM may learn or tell of what happened.
	 */
	static final Duration GRACE = Duration.ofMillis(500);

	private final Plan plan;

	private final TortureKeys keys;

	private final TortureReport report = new TortureReport();

	private final HoldHistory history;

	private final JvmProcess database = JvmProcess.start(DatabaseApplication.class);

	private final String url = "jdbc:h2:tcp://127.0.0.1:%s/mem:shop;DB_CLOSE_DELAY=-1"
		.formatted(this.database.await("port"));

	private final TortureWitness witness;

	private final List<JvmProcess> jvms = new ArrayList<>();

	private int kills;

	/**
	 * Prepare the table.
	 * @param plan what is planned
	 * @param slack how much later than others an event may come
	 */
	TortureGround(Plan plan, Duration slack) throws SQLException {
		this.plan = plan;
		this.keys = new TortureKeys(plan.keys());
		this.history = new HoldHistory(slack);
		this.witness = new TortureWitness(this.history, this.report, plan.jvms(), this.keys);
		try (Connection connection = DriverManager.getConnection(this.url)) {
			connection.createStatement().execute(FencedTable.TABLE);
			for (String key : this.keys.all()) {
				connection.createStatement()
					.execute("INSERT INTO stock (product, units) VALUES ('%s', 1)".formatted(key));
			}
		}
	}

	TortureReport report() {
		return this.report;
	}

	TortureKeys keys() {
		return this.keys;
	}

	HoldHistory history() {
		return this.history;
	}

	TortureWitness witness() {
		return this.witness;
	}

	JvmProcess jvm(int number) {
		return this.jvms.get(number);
	}

	/**
	 * Start a JVM.
	 * @param place properties that say where locks are
	 * @param seed what the choices of its workers follow
	 * @param haste how many times shorter ordinary sections are, and rarer long ones
	 * @param shareable whether keys can be shared
	 */
	JvmProcess start(int number, String place, long seed, int haste, boolean shareable) {
		return start(List.of(), number, place, seed, haste, shareable);
	}

	/**
	 * Start a JVM by a launcher.
	 * @param launcher what to put before its command
	 */
	JvmProcess start(List<String> launcher, int number, String place, long seed, int haste, boolean shareable) {
		return JvmProcess.launch(launcher, TortureApplication.class, place, this.witness.port(number), this.url, seed,
				this.plan.keys(), this.plan.ttl().toMillis(), haste, shareable);
	}

	/**
	 * Start all JVMs; returns when they are ready.
	 * @param launch starts one of them
	 */
	void launch(IntFunction<JvmProcess> launch) {
		for (int i = 0; i < this.plan.jvms(); i++) {
			this.jvms.add(launch.apply(i));
		}
		this.jvms.forEach((jvm) -> jvm.await("ready"));
	}

	/**
	 * Kill a JVM, and put another one in its place when its locks are over.
	 * @param launch starts the other one
	 */
	void kill(int number, IntFunction<JvmProcess> launch) {
		this.kills++;
		long before = System.nanoTime();
		this.jvms.get(number).kill();
		this.witness.killed(number, before);
		pass(this.plan.ttl().plusSeconds(1));
		this.jvms.get(number).close();
		this.jvms.set(number, launch.apply(number));
		this.jvms.get(number).await("ready");
	}

	/**
	 * {@link #kill Kill} whoever holds one of the hot keys.
	 * @param otherwise which JVM if nobody does
	 * @param launch starts the other one
	 */
	void killHolder(Random random, int otherwise, IntFunction<JvmProcess> launch) {
		kill(this.witness.awaitHolder(TortureKeys.anyWanted(random), GRACE, otherwise), launch);
	}

	/**
	 * Stop a JVM and let it go on.
	 */
	void stop(int number, Duration time) {
		this.witness.stopped(number, System.nanoTime(), Long.MAX_VALUE);
		jvm(number).pause();
		pass(time);
		jvm(number).resume();
		this.witness.resumed(number, System.nanoTime() + GRACE.toNanos());
	}

	/**
	 * Let a single key of a lock vanish from a server, as soon as it is there, and wait
	 * until whoever held the lock has told that it is lost.
	 * @param kind which of its keys
	 * @param tag the hash tag of the lock
	 * @param key the lock
	 * @param port of the server
	 * @param alone whether there is no other server
	 */
	void vanish(SingleKey kind, String tag, String key, int port, boolean alone) {
		long from = System.nanoTime();
		SingleKey.Held held = kind.delete(tag, key, port);
		for (long begin = from; held == null && from - begin < GRACE.toNanos();) {
			pass(Duration.ofMillis(2));
			from = System.nanoTime();
			held = kind.delete(tag, key, port);
		}
		if (held == null) {
			this.report.count("keys that were not there to vanish");
			return;
		}
		if (kind.isOfHolders()) {
			this.history
				.add(HoldEvent.forgotten(key, "a key that vanished", from, System.nanoTime() + GRACE.toNanos()));
		}
		if (kind.isOfHolders() && alone) {
			this.witness.vanished(key, held.ownerIds(), from);
			// with the next renewal, or by the release
			this.witness.awaitTold(this.plan.ttl().multipliedBy(2).plusSeconds(2));
		}
	}

	/**
	 * The store may have forgotten who holds any of the keys.
	 * @param cause why
	 * @param from when it cannot have happened yet
	 * @param settled how much later than now everybody learned of what was granted before
	 */
	void forget(String cause, long from, Duration settled) {
		long to = System.nanoTime() + settled.toNanos();
		addForAllKeys((key) -> HoldEvent.forgotten(key, cause, from, to));
	}

	/**
	 * Another server may have taken the place of the store, while the old one lives.
	 * @param cause why
	 * @param from when it cannot have happened yet
	 * @param left when nobody asks the old one any more
	 */
	void replace(String cause, long from, long left) {
		long to = left + this.plan.ttl().toNanos();
		addForAllKeys((key) -> HoldEvent.replaced(key, cause, from, to));
	}

	private void addForAllKeys(Function<String, HoldEvent> event) {
		this.keys.all().forEach((key) -> this.history.add(event.apply(key)));
	}

	/**
	 * Let one fault after the other happen, until the time that is planned is over, there
	 * were enough sections, and each of the faults was dealt out.
	 * @param faults what can go wrong
	 * @param sections how many sections there must be at least
	 * @param inject lets a fault happen; it is given the number of a JVM, too
	 */
	<F extends Enum<F>> void wreakHavoc(FaultBag<F> faults, long sections, Random random, ObjIntConsumer<F> inject) {
		long begin = System.nanoTime();
		for (long now = begin; now - begin < this.plan.length().toNanos() || this.history.grants() < sections
				|| !faults.wasEmptied(); now = System.nanoTime()) {
			pass(Duration.ofMillis(300 + random.nextInt(700)));
			F fault = faults.next();
			int number = random.nextInt(this.plan.jvms());
			if (this.plan.verbose()) {
				System.out.printf("%7.1f s  %s (JVM %d), %,d sections%n", (System.nanoTime() - begin) / 1e9, fault,
						number, this.history.grants());
			}
			count(fault);
			inject.accept(fault, number);
		}
	}

	void count(Enum<?> fault) {
		this.report.count("fault: " + nameOf(fault));
	}

	static String nameOf(Enum<?> fault) {
		return fault.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	static void pass(Duration time) {
		for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
			LockSupport.parkNanos(end - System.nanoTime());
		}
	}

	/**
	 * Let all JVMs end, and judge what was heard of them.
	 * @param locks returns the keys of locks that are left at the store
	 */
	void finish(Supplier<? extends Collection<String>> locks) throws SQLException {
		for (JvmProcess jvm : this.jvms) {
			jvm.send("finish");
		}
		for (int i = 0; i < this.jvms.size(); i++) {
			String usable = this.jvms.get(i).await("usable");
			int keys = this.keys.all().size() + 1;
			this.report.require(usable.equals(String.valueOf(keys)),
					"JVM %d can use %s of %d keys afterwards (-1: a thread is wedged)".formatted(i, usable, keys));
			this.jvms.get(i).awaitEnd();
		}
		this.witness.awaitEnd();
		pass(this.plan.ttl().plusSeconds(1));
		Collection<String> left = locks.get();
		this.report.require(left.isEmpty(), "held by nobody after the ttl: " + left);
		this.history.violations().forEach(this.report::fail);
		this.report.count("overlaps that nothing explains",
				this.history.breaches().getOrDefault(HoldHistory.Breach.OVERLAP, 0L));
		this.history.excused().forEach((cause, number) -> this.report.count("overlaps after " + cause, number));
		this.report.count("sections", this.history.grants());
		this.report.count("sections with a smaller token of an old server", this.history.fenced());
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

	@Override
	public void close() {
		this.jvms.forEach(JvmProcess::close);
		this.witness.close();
		this.database.close();
	}

}
