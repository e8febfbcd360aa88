// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis takes very many locks, and nobody hears of it in time, while the service that
 * asked goes on to use other locks. More with {@code -Dproof.lostReplies=10000}.
 */
class ManyLostRepliesTest {

	private static final int LOST = Integer.getInteger("proof.lostReplies", 180);

	private static final int AT_ONCE = Math.min(200, LOST / 3);

	private static final Duration TTL = Duration.ofSeconds(40);

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(400);

	/**
	 * What a machine may be busy with something else. The next repetition of a release
	 * that did not hear of the answer comes later.
	 */
	private static final Duration STALL = Duration.ofSeconds(5);

	private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(TTL).withWaitTime(Duration.ofMillis(100));

	private final RedisServer redis = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.redis.port());

	private final Instance instance = new Instance(this.proxy.port(),
			Instance.settings(COMMAND_TIMEOUT, Duration.ofSeconds(30)));

	private final Random random = new Random(42);

	private final AtomicReference<@Nullable CompletableFuture<Long>> answered = new AtomicReference<>();

	private final Thread traffic = new Thread(this::goOn, "traffic");

	private final List<Duration> afterAnswer = new ArrayList<>();

	private final List<Duration> afterOutage = new ArrayList<>();

	private int lost;

	private int repeated;

	@AfterEach
	void close() throws InterruptedException {
		this.traffic.interrupt();
		this.traffic.join();
		this.redis.resume();
		this.instance.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	void nothingIsHeldByMistakeAndOrphansAreGoneAsSoonAsTheStoreAnswers() {
		this.traffic.start();
		for (int round = 0; this.lost < LOST; round++) {
			await().ignoreExceptions().until(() -> this.instance.registry().call("connect", OPTIONS, (scope) -> true));
			lose(Manner.values()[round % Manner.values().length], Duration.ofMillis(this.random.nextInt(1000)));
		}
		Figures figures = new Figures(this.afterAnswer);
		System.out.printf(
				"%,d replies lost, %,d locks held by repetition of the command, the others orphans:%n"
						+ "gone after the store answered again, %s, within 200 ms %.2f %%%n"
						+ "gone after the store could be reached again, %s%n",
				this.lost, this.repeated, figures, 100 * figures.shareWithin(Duration.ofMillis(200)),
				new Figures(this.afterOutage));
		assertThat(figures.shareWithin(STALL)).as("share of orphans gone at once").isGreaterThanOrEqualTo(0.99);
		assertThat(figures.max()).as("the longest").isLessThan(TTL);
	}

	/**
	 * Use another lock now and then, and say when that works.
	 */
	private void goOn() {
		LockOptions impatient = OPTIONS.withWaitTime(Duration.ofMillis(100));
		while (!Thread.interrupted()) {
			try {
				CompletableFuture<Long> told = this.answered.get();
				try (Lease lease = this.instance.registry().acquire("traffic", impatient)) {
					if (told != null && lease.isValid()) {
						told.complete(System.nanoTime());
					}
				}
				LockSupport.parkNanos(20_000_000);
			}
			catch (LockStoreException | LockNotAcquiredException ex) {
				LockSupport.parkNanos(20_000_000);
			}
			catch (InterruptedException ex) {
				return;
			}
		}
	}

	private void lose(Manner manner, Duration outage) {
		List<String> names = IntStream.range(0, AT_ONCE).mapToObj((i) -> "lost-" + (this.lost + i)).toList();
		List<Acquisition> acquisitions = new ArrayList<>();
		if (manner == Manner.HUNG) {
			this.redis.pause();
		}
		else {
			this.proxy.silence();
		}
		names.forEach((key) -> acquisitions.add(new Acquisition(key)));
		if (manner != Manner.HUNG) {
			await().pollInterval(Duration.ofMillis(5)).until(() -> !owners(names).contains(null));
			if (manner == Manner.RESET) {
				this.proxy.cut();
			}
			else {
				this.proxy.refuse();
			}
		}
		else {
			await().until(() -> acquisitions.stream().allMatch(Acquisition::isOver));
		}
		await().pollInterval(Duration.ofMillis(5)).pollDelay(outage).until(() -> true);
		this.redis.resume();
		this.proxy.heal();
		CompletableFuture<Long> answer = new CompletableFuture<>();
		this.answered.set(answer);
		settle(acquisitions, names, System.nanoTime(), answer);
		this.lost += AT_ONCE;
	}

	private void settle(List<Acquisition> acquisitions, List<String> names, long healed,
			CompletableFuture<Long> answer) {
		await().pollInterval(Duration.ofMillis(2)).atMost(TTL.plusSeconds(5)).until(() -> {
			List<@Nullable String> owners = owners(names);
			long now = System.nanoTime();
			boolean settled = true;
			for (int i = 0; i < owners.size(); i++) {
				settled &= acquisitions.get(i).settle(owners.get(i), healed, answer.getNow(now), now);
			}
			return settled;
		});
		LockOptions patient = OPTIONS.withWaitTime(TTL);
		List<Lease> leases = names.stream()
			.map((key) -> this.instance.registry().acquireAsync(key, patient))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.toList();
		assertThat(leases).allMatch(Lease::isValid);
		assertThat(owners(names)).doesNotContainNull();
		leases.forEach(ManyLostRepliesTest::release);
		await().until(() -> this.redis.keys("{lock}lock:lost-*").isEmpty());
	}

	private static void release(Lease lease) {
		var unused = lease.releaseAsync();
	}

	private List<@Nullable String> owners(List<String> names) {
		return this.redis.commands()
			.mget(names.stream().map((key) -> "{lock}lock:" + key).toArray(String[]::new))
			.stream()
			.map((value) -> value.getValueOrElse(null))
			.toList();
	}

	/**
	 * How replies are lost.
	 */
	private enum Manner {

		/** Connections fall silent, and no others are to be had for a while. */
		SILENT,
		/** Connections are reset, and no others are to be had for a while. */
		RESET,
		/** Redis hangs, and executes what it was sent when everybody has gone. */
		HUNG

	}

	/**
	 * One command whose reply is lost.
	 */
	private final class Acquisition {

		private final CompletableFuture<Lease> request;

		private volatile long overAt;

		private boolean settled;

		Acquisition(String key) {
			this.request = ManyLostRepliesTest.this.instance.registry().acquireAsync(key, OPTIONS);
			var unused = this.request.whenComplete((lease, failure) -> this.overAt = System.nanoTime());
		}

		boolean isOver() {
			return this.overAt != 0;
		}

		/**
		 * Judge what the store says, as seen before the given instant.
		 */
		boolean settle(@Nullable String owner, long healed, long answered, long now) {
			if (this.settled || !isOver()) {
				return this.settled;
			}
			if (!this.request.isCompletedExceptionally()) {
				this.settled = true;
				Lease lease = this.request.join();
				// The answer may be older than the grant.
				assertThat(owner == null ? owners(List.of(lease.key())).get(0) : owner).as("a lease that is not there")
					.startsWith(ManyLostRepliesTest.this.instance.id());
				ManyLostRepliesTest.this.repeated++;
				lease.close();
			}
			else if (owner == null) {
				this.settled = true;
				assertThat(this.request.handle((lease, failure) -> cause(failure)).join()).isInstanceOfSatisfying(
						LockStoreException.class, (ex) -> assertThat(ex.isOutcomeUnknown()).isTrue());
				ManyLostRepliesTest.this.afterOutage.add(since(Math.max(healed, this.overAt), now));
				ManyLostRepliesTest.this.afterAnswer.add(since(Math.max(answered, this.overAt), now));
			}
			return this.settled;
		}

		private static Duration since(long start, long now) {
			return Duration.ofNanos(Math.max(0, now - start));
		}

		private static Throwable cause(Throwable failure) {
			return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
		}

	}

}
