// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.store.LockStore.Renew;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests of when a server is asked to follow the one before.
 */
@ExtendWith(OutputCaptureExtension.class)
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

	/**
	 * A connection that only waits would let tokens leap late.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "TRYAGAIN the slot is being moved", "BUSY Redis is busy running a script",
			"NOREPLICAS not enough good replicas", "OOM used memory > maxmemory", "NOPERM no permission" })
	void serverThatAnswersNotYetIsAskedAgainAlthoughNothingIsToBeSent(String error) {
		this.redis.refuseFirst(error);
		open();
		this.platform.pass(Duration.ofMillis(3500));
		assertThat(this.redis.firstQuestions()).hasSize(4);
		ManualRedis.Call asking = acquire();
		assertThat(asking.asks()).isTrue();
		asking.succeed();
		this.platform.pass(Duration.ofMinutes(1));
		assertThat(this.redis.firstQuestions()).as("once one was answered").hasSizeBetween(4, 5);
		assertThat(this.redis.dialled()).isOne();
	}

	@Test
	void serverThatCouldNotFollowIsAskedAgainAlthoughNothingIsToBeSent() {
		this.redis.answerFirst(List.of("NOREPLICAS not enough good replicas"));
		open();
		this.platform.pass(Duration.ofMillis(3500));
		assertThat(this.redis.firstQuestions()).hasSize(4);
	}

	/**
	 * To connect to it is not yet to reach the server.
	 */
	@ParameterizedTest
	@ValueSource(
			strings = { "CLUSTERDOWN The cluster is down", "READONLY this server is a replica", "MOVED 1 redis:6379" })
	void serverThatRefusesTheFirstCallIsNotReached(String error, CapturedOutput output) {
		ConnectionListener listener = mock();
		assertThat(this.store.open(listener)).isCompleted();
		this.platform.run();
		this.redis.refuseFirst(error);
		this.redis.slowDown(this.platform, Duration.ofMillis(1));
		this.redis.connections().get(0).cut();
		this.platform.pass(Duration.ofSeconds(10));
		assertThat(this.redis.dialled()).isBetween(10, 20);
		verify(listener, never()).reconnected();
		assertThat(lines(output, "WARN", "cannot be reached", error)).isOne();
		this.redis.answerFirst(List.of());
		this.platform.pass(Duration.ofSeconds(2));
		verify(listener).reconnected();
		assertThat(lines(output, "can be reached again", "redis:6379")).isOne();
	}

	@Test
	void serverThatBecameAReplicaIsLeftBeforeACommandIsSent() {
		this.redis.refuseFirst("READONLY this server is a replica");
		open();
		assertThat(this.redis.connections()).isEmpty();
	}

	private static long lines(CapturedOutput output, String... texts) {
		return output.getAll().lines().filter((line) -> Stream.of(texts).allMatch(line::contains)).count();
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
