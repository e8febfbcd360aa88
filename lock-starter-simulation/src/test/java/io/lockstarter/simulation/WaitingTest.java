// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.simulation.Violation.Rule;
import io.lockstarter.simulation.Waiting.Taken;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaitingTest {

	private static final long BOUND = Waiting.FEW_ROUND_TRIPS;

	private static final Taken SHARED = new Taken(Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE, true);

	private final PlantedClock one = new PlantedClock(() -> this.now);

	private final PlantedClock other = new PlantedClock(() -> this.now);

	private final Map<String, Taken> taken = new HashMap<>();

	private final List<Rule> rules = new ArrayList<>();

	private final PlantedLease lease = new PlantedLease("a:1", 1);

	private long now = World.MILLI;

	private long reachedSince;

	private final Waiting waiting = new Waiting(() -> this.now, new PlantedServers(),
			(rule, details) -> this.rules.add(rule), BOUND);

	WaitingTest() {
		this.waiting.begin();
	}

	@Test
	void whoWaitsForWhatNobodyHasIsFound() {
		begin("acquire", false, "k");
		pass(BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
		pass(World.SECOND);
		assertThat(this.rules).hasSize(1);
	}

	@Test
	void whoGetsWhatWasFreeForLongIsFoundAlthoughNothingHappenedInBetween() {
		Call call = begin("acquire", false, "k");
		this.now += BOUND + 1;
		this.waiting.ended(call);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoGetsWhatWasFreeForAMomentIsNot() {
		Call call = begin("acquire", false, "k");
		this.now += BOUND;
		this.waiting.ended(call);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void nobodyWaitsForNothingWhoWaitsForAnything() {
		begin("release", false, "k");
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void keyIsNotFreeThatAServerHas() {
		take("k", until(this.now + World.SECOND));
		begin("acquire", false, "k");
		pass(World.SECOND + BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void keyIsNotFreeThatAProcessHas() {
		this.waiting.granted(this.other, this.lease, false);
		begin("acquire", false, "k");
		pass(World.SECOND);
		this.lease.active = false;
		pass(1);
		pass(BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void keyIsFreeThatAProcessHadWhichIsGone() {
		this.waiting.granted(this.other, this.lease, false);
		begin("acquire", false, "k");
		this.waiting.gone(this.other);
		pass(1);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoseTurnItWasAndGivesUpPassesItOn() {
		begin("acquire", false, "k");
		Call first = begin("acquire", false, "k");
		pass(BOUND / 2);
		this.waiting.ended(first);
		pass(BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void readerWaitsForAWriter() {
		take("k", new Taken(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, false));
		begin("acquire", true, "k");
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
		take("k", SHARED);
		pass(1);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void readerWaitsForAWriterWhoWaits() {
		take("k", SHARED);
		Call writer = begin("acquire", false, "k");
		begin("acquire", true, "k");
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
		this.waiting.ended(writer);
		pass(1);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void readerDoesNotWaitForReaders() {
		take("k", SHARED);
		this.lease.shared = true;
		this.waiting.granted(this.other, this.lease, false);
		begin("acquire", true, "k");
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void readerDoesNotWaitForWhoGoesOnSharing() {
		this.waiting.granted(this.other, this.lease, false);
		begin("acquire", true, "k");
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
		take("k", SHARED);
		pass(1);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void writerWaitsForReaders() {
		take("k", SHARED);
		begin("acquire", false, "k");
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoWaitsForSeveralKeysWaitsForTheLast() {
		take("l", until(this.now + World.SECOND));
		begin("acquireAll", false, "k", "l");
		pass(World.SECOND + BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoHasAPartOfSeveralKeysDoesNotWaitForThat() {
		begin("acquireAll", false, "k", "l");
		this.waiting.granted(this.one, this.lease, false);
		pass(0);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoHasWhatSomebodyWantsAmongOthersIsWaitedFor() {
		begin("acquireAll", false, "k", "l");
		this.waiting.granted(this.one, this.lease, false);
		this.waiting.delivered(this.lease);
		pass(0);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoHasAPartAndWantsMoreThanSomebodyElseIsWaitedFor() {
		take("m", until(Long.MAX_VALUE));
		begin("acquireAll", false, "k", "l", "m");
		this.waiting.granted(this.one, this.lease, false);
		begin("acquireAll", false, "k", "l");
		pass(0);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoHasAPartIsWaitedForUpToTheEndOfWhoWantedMore() {
		take("m", until(Long.MAX_VALUE));
		Call more = begin("acquireAll", false, "k", "m");
		this.waiting.granted(this.one, this.lease, false);
		begin("acquireAll", false, "k", "l");
		pass(World.SECOND);
		this.waiting.delivered(this.lease);
		this.waiting.ended(more);
		pass(BOUND);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void onePermitThatIsFreeDoes() {
		take("s", new Taken(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, false));
		begin("acquirePermit", false, "s", "t");
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void noPermitIsFree() {
		take("s", new Taken(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, false));
		take("t", new Taken(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, false));
		begin("acquirePermit", false, "s", "t");
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoIsToldNothingWaitsForLonger() {
		this.waiting.untold("k", this.now + World.SECOND);
		begin("acquire", false, "k");
		pass(World.SECOND + BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoWasToldOfALongerTimeWaitsForItsEndOrForTheRelease() {
		take("k", until(this.now + 2 * World.SECOND));
		begin("acquire", false, "k");
		take("k", until(this.now + World.SECOND));
		pass(0);
		pass(2 * World.SECOND + BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoWasToldOfALongerTimeWaitsForNoMoreThanTheRelease() {
		take("k", until(this.now + 2 * World.SECOND));
		begin("acquire", false, "k");
		take("k", until(this.now + World.SECOND));
		pass(0);
		pass(World.SECOND + World.MILLI);
		this.waiting.released("k");
		pass(BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoCameWhenALongerTimeWasOverKnowsNothingOfIt() {
		take("k", until(this.now + 2 * World.SECOND));
		this.waiting.ended(begin("acquire", false, "k"));
		take("k", until(this.now + World.SECOND));
		begin("acquire", false, "k");
		pass(World.SECOND);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoPassesAKeyOnForLongAlthoughOthersWaitIsFound() {
		this.waiting.granted(this.other, this.lease, false);
		begin("acquire", false, "k");
		pass(BOUND + Waiting.SLICE);
		passOn();
		assertThat(this.rules).isEmpty();
		pass(1);
		passOn();
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void keyIsPassedOnForAsLongAsOnlyOthersOfTheProcessWait() {
		this.waiting.granted(this.one, this.lease, false);
		begin("acquire", false, "k");
		pass(World.SECOND);
		this.waiting.granted(this.one, new PlantedLease("a:1", 2), true);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void turnOfAProcessBeginsAnewWhenItHasWaited() {
		this.waiting.granted(this.other, this.lease, false);
		begin("acquire", false, "k");
		pass(World.SECOND);
		this.waiting.granted(this.other, this.lease, false);
		pass(1);
		passOn();
		assertThat(this.rules).isEmpty();
	}

	private void passOn() {
		this.waiting.granted(this.other, new PlantedLease("a:1", 2), true);
	}

	@Test
	void messageMayBeUnderWayForLong() {
		this.waiting.delayed(this.now + World.SECOND);
		begin("acquire", false, "k");
		pass(World.SECOND + BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoIsToldLateHowLongAKeyIsTakenWaitsForLonger() {
		take("k", until(this.now + 10 * World.SECOND));
		begin("acquire", false, "k");
		this.waiting.delayed(this.now + World.SECOND);
		pass(10 * World.SECOND);
		pass(World.SECOND + BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoIsToldLateAboutAKeyThatIsGivenBackDoesNotWaitForLonger() {
		take("k", until(this.now + 10 * World.SECOND));
		begin("acquire", false, "k");
		this.waiting.delayed(this.now + World.SECOND);
		pass(5 * World.SECOND);
		take("k", Taken.NOT);
		pass(0);
		pass(BOUND + 1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoStandsStillOrReachesNoServerWaitsForLonger() {
		this.one.runsSince = Long.MAX_VALUE;
		begin("acquire", false, "k");
		pass(World.SECOND);
		this.one.runsSince = this.now;
		this.reachedSince = Long.MAX_VALUE;
		pass(World.SECOND);
		this.reachedSince = this.now;
		pass(BOUND);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void nothingIsJudgedWhileFaultsGoOn() {
		Waiting disturbed = new Waiting(() -> this.now, new PlantedServers(), (rule, details) -> this.rules.add(rule),
				BOUND);
		disturbed.begun(call("acquire", false, "k"));
		disturbed.step();
		this.now += World.SECOND;
		disturbed.delayed(this.now);
		disturbed.step();
		assertThat(this.rules).isEmpty();
		disturbed.begin();
		this.now += BOUND + 1;
		disturbed.step();
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void callMayFailUnlessNothingWentWrongForAWhileBefore() {
		this.waiting.delayed(this.now + World.SECOND);
		this.now += World.SECOND + BOUND;
		assertThat(this.waiting.isUndisturbed(call("release", false, "k"))).isFalse();
		this.now++;
		assertThat(this.waiting.isUndisturbed(call("release", false, "k"))).isTrue();
		this.reachedSince = Long.MAX_VALUE;
		assertThat(this.waiting.isUndisturbed(call("release", false, "k"))).isFalse();
	}

	private Call begin(String what, boolean shared, String... keys) {
		Call call = call(what, shared, keys);
		this.waiting.begun(call);
		this.waiting.step();
		return call;
	}

	private Call call(String what, boolean shared, String... keys) {
		Call call = new Call(what, "a", this.one, List.of(keys), this.now, Long.MAX_VALUE, 0);
		call.shared = shared;
		return call;
	}

	private static Taken until(long end) {
		return new Taken(end, end, end, false);
	}

	private void take(String key, Taken how) {
		this.taken.put(key, how);
		this.waiting.changed();
	}

	private void pass(long nanos) {
		this.now += nanos;
		this.waiting.step();
	}

	private final class PlantedServers implements Waiting.Outside {

		@Override
		public Taken taken(String key) {
			return WaitingTest.this.taken.getOrDefault(key, Taken.NOT);
		}

		@Override
		public long reachedSince(Clock clock) {
			return WaitingTest.this.reachedSince;
		}

	}

}
