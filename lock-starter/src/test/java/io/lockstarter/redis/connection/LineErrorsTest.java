// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lettuce.core.RedisURI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.platform.Timer;
import io.lockstarter.redis.InjectedErrors;
import io.lockstarter.redis.ManualRedis;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of moments without memory while a line connects, goes to another primary and is
 * closed: whoever waits for that is told, and no connection is left behind.
 */
class LineErrorsTest {

	private static final RedisURI ADDRESS = RedisURI.create("redis://redis");

	private final InjectedErrors faults = new InjectedErrors();

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 7 })
	void noConnectionIsLeftAndNobodyWaitsForEver(int length) {
		int turn = 0;
		do {
			SimulatedPlatform time = new SimulatedPlatform(turn);
			ManualRedis server = new ManualRedis();
			Line line = line(server, time);
			this.faults.begin(turn, length);
			List<CompletableFuture<?>> waiting = new ArrayList<>();
			InjectedErrors.tried(() -> waiting.add(line.open()));
			InjectedErrors.tried(() -> waiting.add(line.open()));
			pass(time);
			assertThat(waiting).as("who waits for a connection in turn %d", turn).allMatch(Future::isDone);
			server.restart("b2");
			InjectedErrors.tried(() -> {
				var unused = line.check(ADDRESS, true);
			});
			pass(time);
			InjectedErrors.tried(line::close);
			this.faults.end();
			line.close().toCompletableFuture().join();
			assertThat(server.connections()).as("connections that are left by turn %d", turn)
				.filteredOn(SimulatedConnection::isOpen)
				.isEmpty();
			turn++;
		}
		while (this.faults.reached());
		assertThat(turn).as("turns").isGreaterThan(20);
	}

	private Line line(ManualRedis server, SimulatedPlatform time) {
		Timer timer = this.faults.in(Timer.class, time);
		ApplicationRedis redis = SimulatedTransport.application(
				this.faults.in(SimulatedTransport.Dialler.class, server), () -> timer, List.of(ADDRESS), false,
				this.faults.in(Platform.class, time));
		return new Line(new CurrentClient(redis, Duration.ofSeconds(10)),
				ScriptTexts.script(RedisStoreSettings.defaults()), false, new Unobserved(), new Unwatched());
	}

	private static void pass(SimulatedPlatform time) {
		InjectedErrors.tried(() -> time.pass(Duration.ofSeconds(5)));
	}

	private static final class Unobserved implements LineObserver {

		@Override
		public void connected(SharedConnection connection, boolean again) {
		}

		@Override
		public void reordered() {
		}

		@Override
		public void closed() {
		}

		@Override
		public void linkChanged() {
		}

	}

}
