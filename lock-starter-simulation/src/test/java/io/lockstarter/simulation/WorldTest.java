// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WorldTest {

	private final World world = new World(1, false);

	private final List<String> done = new ArrayList<>();

	@Test
	void eventsHappenInTheOrderOfTimeAndThenOfPlanning() {
		this.world.after(2, "b", () -> this.done.add("b"));
		this.world.after(1, "a", () -> this.done.add("a"));
		this.world.after(2, "c", () -> this.done.add("c"));
		this.world.after(1, "cancelled", () -> this.done.add("cancelled")).cancel();
		runAll();
		assertThat(this.done).containsExactly("a", "b", "c");
		assertThat(this.world.now()).isEqualTo(2);
	}

	@Test
	void timeDoesNotPassAnEvent() {
		this.world.after(10, "a", () -> this.done.add("a"));
		this.world.passTo(50);
		assertThat(this.world.now()).isEqualTo(10);
	}

	@Test
	void streamsDifferAndAreTheSameForASeed() {
		assertThat(this.world.stream(1, 1).nextLong()).isEqualTo(new World(1, false).stream(1, 1).nextLong())
			.isNotEqualTo(this.world.stream(1, 2).nextLong())
			.isNotEqualTo(this.world.stream(2, 1).nextLong())
			.isNotEqualTo(new World(2, false).stream(1, 1).nextLong());
	}

	@Test
	void whatIsDueInAPauseIsDoneAfterItInOrder() {
		Jvm jvm = new Jvm(this.world, "i", 1, 1, 0);
		Jvm.Lane lane = jvm.lane("lane");
		lane.schedule(() -> this.done.add("a"), 5);
		lane.schedule(() -> this.done.add("b"), 6);
		this.world.after(1, "pause", () -> jvm.pause(World.SECOND));
		runAll();
		assertThat(this.done).containsExactly("a", "b");
		assertThat(this.world.now()).isGreaterThan(World.SECOND);
	}

	@Test
	void whatIsDueAfterACrashNeverHappens() {
		Jvm jvm = new Jvm(this.world, "i", 1, 1, 0);
		jvm.lane("lane").execute(() -> this.done.add("a"));
		jvm.crash();
		runAll();
		assertThat(this.done).isEmpty();
	}

	@Test
	void slowClockLetsTimersWait() {
		Jvm jvm = new Jvm(this.world, "i", 1, 0.5, 100);
		jvm.lane("lane").schedule(() -> this.done.add("a"), World.SECOND);
		runAll();
		assertThat(this.world.now()).isGreaterThanOrEqualTo(2 * World.SECOND);
		assertThat(jvm.nanoTime()).isGreaterThanOrEqualTo(World.SECOND + 100);
		assertThat(jvm.worldTime(100)).isZero();
	}

	@Test
	void timerThatWaitsFollowsAChangeOfTheRate() {
		Jvm jvm = new Jvm(this.world, "i", 1, 0.5, 0);
		jvm.lane("lane").schedule(() -> this.done.add("a"), World.SECOND);
		this.world.after(World.SECOND, "rate", () -> jvm.rate(1));
		runAll();
		assertThat(this.world.now()).isBetween(3 * World.SECOND / 2, 3 * World.SECOND / 2 + 10 * World.MILLI);
	}

	private void runAll() {
		while (this.world.step()) {
			// on
		}
	}

}
