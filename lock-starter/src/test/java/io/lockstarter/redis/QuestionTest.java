// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Renew;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of when a server is asked to follow the one before.
 */
class QuestionTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration TRUST = Duration.ofMillis(20);

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private final RedisLockStore store = this.redis.store(this.platform);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void serverIsAskedOnceOverEachConnectionAlthoughNothingIsToBeSent() {
		open();
		assertThat(this.redis.firstQuestions()).containsExactly("ask");
		reconnect();
		assertThat(this.redis.firstQuestions()).containsExactly("ask", "ask");
	}

	@Test
	void serverIsAskedAgainAfterAWhileByWhatNeedsThePrimary() {
		open();
		this.platform.pass(TRUST.minusNanos(1));
		ManualRedis.Call trusting = acquire();
		assertThat(trusting.asks()).isFalse();
		trusting.succeed();
		this.platform.pass(Duration.ofNanos(1));
		ManualRedis.Call renewing = renew();
		assertThat(renewing.asks()).isFalse();
		renewing.answer("1");
		List<ManualRedis.Call> asking = List.of(acquire(), acquire());
		assertThat(asking).as("while none is answered").allMatch(ManualRedis.Call::asks);
		asking.forEach(ManualRedis.Call::succeed);
		assertThat(acquire().asks()).isFalse();
	}

	@Test
	void serverThatCouldNotFollowIsAskedAgain() {
		open();
		this.platform.pass(TRUST);
		ManualRedis.Call asking = acquire();
		asking.answer("!NOPERM", "NOPERM");
		assertThat(acquire().asks()).isTrue();
	}

	@Test
	void serverIsToldThatAnotherOneWasBeforeItUntilItAnswers() {
		open();
		this.redis.restart("b2");
		this.redis.slowDown(this.platform, Duration.ofMillis(1));
		reconnect();
		assertThat(this.redis.firstQuestions()).containsExactly("ask", "moved");
		this.redis.connections().get(0).cut();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.redis.firstQuestions()).containsExactly("ask", "moved", "moved");
		reconnect();
		assertThat(this.redis.firstQuestions()).containsExactly("ask", "moved", "moved", "ask");
	}

	/**
	 * Another one may be named the next time.
	 */
	@Test
	void nodeThatIsCutOffFromItsClusterIsLeft() {
		this.redis.refuseFirst("CLUSTERDOWN The cluster is down");
		open();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.redis.dialled()).isGreaterThan(2);
	}

	@Test
	void nodeThatServedAndIsCutOffFromItsClusterIsKept() {
		open();
		acquire().refuse("CLUSTERDOWN The cluster is down");
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.redis.dialled()).isOne();
	}

	@Test
	void slotInMotionIsWaitedForWhereItIs() {
		this.redis.refuseFirst("TRYAGAIN the slot is being moved");
		open();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.redis.dialled()).isOne();
		assertThat(acquire().asks()).isTrue();
	}

	@Test
	void serverThatBecameAReplicaIsLeftBeforeACommandIsSent() {
		this.redis.refuseFirst("READONLY this server is a replica");
		open();
		assertThat(this.redis.connections()).isEmpty();
	}

	private void open() {
		assertThat(this.store.open(new ManualRedis.Deaf())).isCompleted();
		this.platform.run();
	}

	private void reconnect() {
		this.redis.connections().get(0).cut();
		int before = this.redis.firstQuestions().size();
		while (this.redis.firstQuestions().size() == before) {
			this.platform.pass(Duration.ofNanos(100_000));
		}
	}

	private ManualRedis.Call acquire() {
		var unused = this.store.acquire(new Acquire("stock:42", "app", "app:1", TTL, false, 1));
		return this.redis.nextCall();
	}

	private ManualRedis.Call renew() {
		var unused = this.store.renew(List.of(new Renew("stock:42", "app:1", TTL)));
		return this.redis.nextCall();
	}

}
