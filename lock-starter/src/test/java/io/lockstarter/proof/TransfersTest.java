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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Money moves between a few accounts, each transfer under the locks of two of them, in
 * whatever order they are named. Nobody waits for each other, and no money is lost.
 */
@Timeout(120)
class TransfersTest {

	private static final int ACCOUNTS = 3;

	private static final int TRANSFERS = 300;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final RedisServer redis = RedisServers.start();

	private final Instance one = new Instance(this.redis.port());

	private final Instance other = new Instance(this.redis.port());

	// Neither atomic nor volatile: only right under the locks.
	private final long[] accounts = new long[ACCOUNTS];

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void transfersInAllDirectionsAtOnceEnd() {
		Arrays.fill(this.accounts, 1_000);
		List<CompletableFuture<Void>> tellers = new ArrayList<>();
		for (int teller = 0; teller < 6; teller++) {
			Instance instance = (teller % 2 == 0) ? this.one : this.other;
			Random random = new Random(teller);
			boolean blocking = teller < 4;
			tellers.add(CompletableFuture.runAsync(
					() -> IntStream.range(0, TRANSFERS)
						.forEach((i) -> transfer(instance, blocking,
								random.ints(0, ACCOUNTS).distinct().limit(2).toArray())),
					(task) -> new Thread(task, "teller").start()));
		}
		CompletableFuture.allOf(tellers.toArray(CompletableFuture<?>[]::new)).orTimeout(90, TimeUnit.SECONDS).join();
		assertThat(Arrays.stream(this.accounts).sum()).isEqualTo(1_000 * ACCOUNTS);
		assertThat(this.one.events()).isEmpty();
		assertThat(this.other.events()).isEmpty();
		await().untilAsserted(() -> assertThat(this.redis.keys("{lock}lock:account*")).isEmpty());
	}

	private void transfer(Instance instance, boolean blocking, int[] pair) {
		List<String> keys = Arrays.stream(pair).mapToObj((account) -> "account:" + account).toList();
		if (blocking) {
			LeasedLock lock = instance.registry().obtainAll(keys, PATIENT);
			lock.lock();
			try {
				move(pair);
			}
			finally {
				lock.unlock();
			}
			return;
		}
		List<Lease> leases = instance.registry().acquireAllAsync(keys, PATIENT).join();
		try {
			move(pair);
		}
		finally {
			leases.forEach(Lease::close);
		}
	}

	private void move(int[] pair) {
		long from = this.accounts[pair[0]];
		long to = this.accounts[pair[1]];
		Thread.onSpinWait();
		this.accounts[pair[0]] = from - 1;
		this.accounts[pair[1]] = to + 1;
	}

}
