// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis lets an instance do less than it would like to.
 */
@Tag("proof")
class PermissionTest {

	private static final String QUEUE = "{lock}queue:stock:42";

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final Duration POLL = Duration.ofSeconds(1);

	private static final Duration DEAF_POLL = Duration.ofMillis(200);

	private static final RegistrySettings SETTINGS = Instance.settings(Duration.ofSeconds(5), POLL);

	private final RedisServer redis = RedisServers.start();

	private final RedisCommands<String, String> commands = this.redis.commands();

	private final Instance free = new Instance(this.redis.port(), SETTINGS);

	@BeforeEach
	void connect() {
		await().ignoreExceptions().until(() -> this.free.registry().call("connect", DEFAULTS, (scope) -> true));
	}

	@AfterEach
	void close() {
		this.free.close();
		this.redis.close();
	}

	@Test
	void wrongPasswordFailsAtOnceWithoutAStormOfAttempts() {
		try (Instance wrong = restricted("+@all", "not-it")) {
			assertRefused(wrong);
			long before = connections();
			for (int i = 0; i < 200; i++) {
				assertRefused(wrong);
			}
			assertThat(connections() - before).as("connections for 200 attempts").isLessThan(50);
		}
	}

	@Test
	void noPasswordFailsAtOnceUntilThereIsNoneAnyMore() {
		this.commands.configSet("requirepass", "secret");
		try (Instance anonymous = new Instance(this.redis.port(), SETTINGS)) {
			assertRefused(anonymous);
			this.commands.configSet("requirepass", "");
			await().ignoreExceptionsInstanceOf(LockStoreException.class)
				.until(() -> anonymous.registry().call("stock:42", DEFAULTS, (scope) -> true));
		}
	}

	@Test
	void noScriptsFailsAtOnce() {
		try (Instance restricted = restricted("+@all -eval -evalsha", "secret")) {
			assertRefused(restricted);
			CommandStats stats = new CommandStats(this.redis);
			assertRefused(restricted);
			assertThat(stats.calls()).as("nothing is done by a refused command").doesNotContainKey("set");
		}
	}

	@Test
	void noScriptLoadDoesNotMatter() {
		try (Instance restricted = restricted("+@all -script", "secret")) {
			assertThat(restricted.registry().<Boolean, RuntimeException>call("stock:42", DEFAULTS, (scope) -> true))
				.isTrue();
		}
	}

	@Test
	void noPublishStillReleasesAndTheWaiterPolls() throws InterruptedException {
		try (Instance restricted = restricted("+@all -publish", "secret")) {
			Lease lease = restricted.registry().acquire("stock:42", DEFAULTS);
			CompletableFuture<Lease> next = waitFor(this.free);
			await().until(() -> this.commands.exists(QUEUE) == 1);
			assertServed(lease, next, POLL);
			assertThat(restricted.events()).isEmpty();
		}
	}

	@Test
	void noSubscribeMeansPolling() throws InterruptedException {
		try (Instance restricted = restricted("+@all -subscribe", "secret")) {
			Lease lease = this.free.registry().acquire("stock:42", DEFAULTS);
			CompletableFuture<Lease> next = waitFor(restricted);
			await().during(Duration.ofMillis(300)).until(() -> !next.isDone());
			assertServed(lease, next, DEAF_POLL);
		}
	}

	@Test
	void noChannelsMeansPolling() throws InterruptedException {
		try (Instance restricted = restricted("+@all resetchannels", "secret")) {
			Lease lease = this.free.registry().acquire("stock:42", DEFAULTS);
			CompletableFuture<Lease> next = waitFor(restricted);
			await().during(Duration.ofMillis(300)).until(() -> !next.isDone());
			assertServed(lease, next, DEAF_POLL);
		}
	}

	/**
	 * That others cannot call it is no reason to leave a key that is free.
	 */
	@Test
	void noSubscribeSlowsNothingDownInsideAnInstance() throws InterruptedException {
		int usual = sectionsInTwoSeconds(this.free, "usual", () -> {
		});
		try (Instance restricted = restricted("+@all -subscribe", "secret")) {
			int deaf = sectionsInTwoSeconds(restricted, "deaf", () -> {
			});
			System.out.printf("8 threads, one key, 2 s: %,d sections with signals, %,d without%n", usual, deaf);
			assertThat(deaf).isGreaterThan(usual / 4);
		}
	}

	@Test
	void noSubscribeStillLetsOtherInstancesHaveTheirTurn() throws InterruptedException {
		try (Instance restricted = restricted("+@all -subscribe", "secret")) {
			AtomicInteger turns = new AtomicInteger();
			sectionsInTwoSeconds(restricted, "stock:42", () -> {
				for (int i = 0; i < 3; i++) {
					turns.addAndGet(this.free.registry().call("stock:42", DEFAULTS, (scope) -> 1));
				}
			});
			assertThat(turns).as("turns of another instance").hasValue(3);
		}
	}

	@Test
	void amongInstancesWithoutSignalsEachHasItsTurn() throws InterruptedException {
		try (Instance one = restricted("+@all -subscribe", "secret");
				Instance other = restricted("+@all -subscribe", "secret")) {
			AtomicInteger turns = new AtomicInteger();
			sectionsInTwoSeconds(one, "stock:42",
					() -> turns.addAndGet(other.registry().call("stock:42", DEFAULTS, (scope) -> 1)));
			assertThat(turns).as("turns of another instance").hasValue(1);
		}
	}

	@Test
	void killedSubscriptionMeansPollingAndComesBack() throws InterruptedException {
		try (Instance waiting = new Instance(this.redis.port(), SETTINGS)) {
			Lease lease = this.free.registry().acquire("stock:42", DEFAULTS);
			CompletableFuture<Lease> next = waitFor(waiting);
			await().until(() -> this.commands.exists(QUEUE) == 1);
			this.commands.clientKill(KillArgs.Builder.typePubsub());
			assertServed(lease, next, POLL);
			await().until(() -> this.commands.pubsubChannels().contains("{lock}signal:" + waiting.id()));
		}
	}

	/**
	 * Let eight threads use one key for two seconds, or until something else is done if
	 * that takes longer.
	 * @return how many sections there were
	 */
	private static int sectionsInTwoSeconds(Instance instance, String key, Runnable meanwhile)
			throws InterruptedException {
		AtomicInteger sections = new AtomicInteger();
		AtomicBoolean running = new AtomicBoolean(true);
		List<Thread> threads = IntStream.range(0, 8).mapToObj((i) -> new Thread(() -> {
			while (running.get()) {
				sections.addAndGet(instance.registry().call(key, DEFAULTS, (scope) -> 1));
			}
		}, "section-" + i)).toList();
		threads.forEach(Thread::start);
		long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
		try {
			await().until(() -> sections.get() > 100);
			meanwhile.run();
			while (System.nanoTime() < end) {
				LockSupport.parkNanos(end - System.nanoTime());
			}
		}
		finally {
			running.set(false);
			for (Thread thread : threads) {
				thread.join();
			}
		}
		return sections.get();
	}

	private static CompletableFuture<Lease> waitFor(Instance instance) {
		return instance.registry().acquireAsync("stock:42", DEFAULTS);
	}

	private static void assertServed(Lease lease, CompletableFuture<Lease> next, Duration bound) {
		long released = System.nanoTime();
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(next).succeedsWithin(Duration.ofSeconds(10));
		assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(bound.plusSeconds(5));
		next.join().close();
	}

	private static void assertRefused(Instance instance) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> instance.registry().acquire("stock:42", DEFAULTS))
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isFalse());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
	}

	private Instance restricted(String rules, String password) {
		assertThat(Raw.ask(this.redis.port(), "ACL SETUSER limited reset on >secret ~* &* " + rules)).isEqualTo("+OK");
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", this.redis.port());
		configuration.setUsername("limited");
		configuration.setPassword(password);
		return new Instance(configuration, SETTINGS);
	}

	private long connections() {
		Matcher matcher = Pattern.compile("total_connections_received:(\\d+)").matcher(this.commands.info("stats"));
		assertThat(matcher.find()).isTrue();
		return Long.parseLong(matcher.group(1));
	}

}
