// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.lockstarter.testkit.DatabaseServer;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * JVMs count in a database under a lock. They are stopped for half a ttl to three, in
 * front of their transaction, within it, and between the last check of their lease and
 * the commit, while Redis loses locks, or all it has. With the fence no update is lost;
 * without it some are. More with {@code -Dtorture.sections=100000}. Not part of every
 * build.
 */
@Tag("proof")
@Tag("alone")
class FenceTortureTest {

	private static final Duration TTL = Duration.ofMillis(300);

	private static final int JVMS = 3;

	private static final Duration FAULTS = Duration.ofMillis(300);

	/** How often to try without the fence until an update is lost, which is chance. */
	private static final int MOST_CONTROLS = 5;

	private final Map<String, Integer> stops = new ConcurrentHashMap<>();

	private final AtomicInteger refused = new AtomicInteger();

	@ParameterizedTest
	@MethodSource("databases")
	void noUpdateIsLostWithTheFenceAndSomeAreWithout(String name, Supplier<DatabaseServer> start)
			throws InterruptedException {
		try (DatabaseServer database = start.get(); RedisServer redis = RedisServers.start()) {
			JdbcClient jdbc = JdbcClient.create(database.dataSource());
			jdbc.sql("create table counter (id int primary key, units int)").update();
			long sections = Long.getLong("torture.sections", 150);
			int counted = run(redis, database, jdbc, () -> units(jdbc) >= sections && stops("before") > 3
					&& stops("within") > 3 && stops("end") > 3 && this.refused.get() > 0);
			System.out.printf("%s: %d sections, stopped %s, %d transactions refused by the database%n", name, counted,
					this.stops, this.refused.get());
			assertThat(units(jdbc)).as("no update is lost").isEqualTo(counted);

			int lost = 0;
			for (int i = 0; lost == 0 && i < MOST_CONTROLS; i++) {
				int unfenced = run(redis, database, jdbc, () -> stops("end") > 10, FencingApplication.UNFENCED);
				lost = unfenced - units(jdbc);
				System.out.printf("%s without the fence: %d sections, %d updates lost%n", name, unfenced, lost);
			}
			assertThat(lost).as("control: without the fence").isPositive();
		}
	}

	/**
	 * Count for as long as need be.
	 * @return how many times it was done, as those say who did
	 */
	private int run(RedisServer redis, DatabaseServer database, JdbcClient jdbc, BooleanSupplier enough, String... more)
			throws InterruptedException {
		this.stops.clear();
		this.refused.set(0);
		jdbc.sql("delete from counter").update();
		IntStream.range(0, FencingApplication.KEYS)
			.forEach((key) -> jdbc.sql("insert into counter values (?, 0)").param(key).update());
		List<String> args = new ArrayList<>(
				List.of("--torture.url=" + database.url(), "--spring.data.redis.port=" + redis.port(),
						"--spring.data.redis.host=127.0.0.1", "--distributed-lock.ttl=" + TTL.toMillis() + "ms",
						"--distributed-lock.command-timeout=200ms", "--distributed-lock.fence.create-table=true"));
		args.addAll(List.of(more));
		ExecutorService companions = Executors.newFixedThreadPool(JVMS);
		try {
			CountDownLatch ready = new CountDownLatch(JVMS);
			CountDownLatch end = new CountDownLatch(1);
			List<CompletableFuture<Integer>> counts = Stream
				.generate(() -> CompletableFuture.supplyAsync(() -> accompany(args, ready, end), companions))
				.limit(JVMS)
				.toList();
			for (int i = 0; !enough.getAsBoolean() && counts.stream().noneMatch(CompletableFuture::isDone); i++) {
				if (i % 2 == 0) {
					redis.commands().flushall();
				}
				else {
					redis.keys("*lock:*").forEach(redis.commands()::del);
				}
				end.await(FAULTS.toMillis(), TimeUnit.MILLISECONDS);
			}
			end.countDown();
			return counts.stream().mapToInt(CompletableFuture::join).sum();
		}
		finally {
			companions.shutdownNow();
		}
	}

	/**
	 * Start a JVM, and stop it whenever it asks for that.
	 * @return how often it has counted
	 */
	private int accompany(List<String> args, CountDownLatch ready, CountDownLatch end) {
		try (JvmProcess jvm = JvmProcess.start(FencingApplication.class, args.toArray())) {
			jvm.await("> ready");
			ready.countDown();
			ready.await();
			jvm.send("go");
			while (true) {
				String[] said = jvm.await("> ").split(" ", -1);
				if (said[0].equals("done")) {
					return Integer.parseInt(said[1]);
				}
				this.refused.addAndGet(Integer.parseInt(said[3]));
				this.stops.merge(said[2], 1, Integer::sum);
				jvm.pause();
				new CountDownLatch(1).await((long) (Double.parseDouble(said[1]) * TTL.toMillis()),
						TimeUnit.MILLISECONDS);
				jvm.send((end.getCount() > 0) ? "go" : "end");
				jvm.resume();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private int stops(String where) {
		return this.stops.getOrDefault(where, 0);
	}

	private static int units(JdbcClient jdbc) {
		return jdbc.sql("select sum(units) from counter").query(Integer.class).single();
	}

	static Stream<Arguments> databases() {
		Supplier<DatabaseServer> postgres = DatabaseServer::postgres;
		Supplier<DatabaseServer> mariaDb = DatabaseServer::mariaDb;
		return Stream.of(Arguments.of("PostgreSQL", postgres), Arguments.of("MariaDB", mariaDb));
	}

}
