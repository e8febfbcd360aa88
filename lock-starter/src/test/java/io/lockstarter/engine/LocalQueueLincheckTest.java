// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lets Lincheck run the queue of one key in many interleavings: no two hold it, no grant
 * is lost, first come is first served, tokens grow. First it has to find what was
 * planted, with more interleavings than each build can afford for the queue itself: see
 * {@code -Dlincheck.factor}.
 */
@Tag("proof")
@Tag("alone")
class LocalQueueLincheckTest {

	@Test
	void aQueueWithoutItsMutexIsFound() {
		ModelCheckingOptions options = atOnce(modelChecking(), 20, 500).minimizeFailedScenario(false);
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> options.check(PlantedQueue.Unguarded.class));
	}

	@Test
	void aGrantToWhoGaveUpIsFound() {
		ModelCheckingOptions options = prepared(modelChecking(), 20, 500).minimizeFailedScenario(false);
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> options.check(PlantedQueue.Forgetful.class));
	}

	@Test
	void nothingIsFoundWhereNothingIsPlanted() {
		atOnce(modelChecking(), 12, 150).check(PlantedQueue.Faultless.class);
	}

	@Test
	void theQueueIsAFairLock() {
		atOnce(modelChecking(), many(2), 140).check(RegistryQueue.AnsweredAtOnce.class);
	}

	@Test
	void theQueueIsAFairLockUnderStress() {
		atOnce(new StressOptions(), many(15), 1_000).check(RegistryQueue.AnsweredAtOnce.class);
	}

	@Test
	void theQueueIsAFairLockWhileCommandsAreInFlight() {
		later(modelChecking(), many(2), 170).check(RegistryQueue.AnsweredLater.class);
	}

	@Test
	void theQueueIsAFairLockWhileCommandsAreInFlightUnderStress() {
		later(new StressOptions(), many(15), 1_000).check(RegistryQueue.AnsweredLater.class);
	}

	@Test
	void whoWaitsIsServedOrGivesUpAndNothingIsLost() {
		prepared(modelChecking(), many(3), 400).check(RegistryQueue.Prepared.class);
	}

	/**
	 * Return how many scenarios to try of those that take seconds each.
	 */
	private static int many(int scenarios) {
		return scenarios * Integer.getInteger("lincheck.factor", 1);
	}

	// The JDK has loops that are longer than the 50 steps after which a loop counts as
	// endless.
	static ModelCheckingOptions modelChecking() {
		return new ModelCheckingOptions().loopBound(2_000);
	}

	private static <O extends Options<O, ?>> O atOnce(O options, int scenarios, int interleavings) {
		return configure(options, scenarios, interleavings)
			.sequentialSpecification(SequentialQueue.AnsweredAtOnce.class);
	}

	private static <O extends Options<O, ?>> O later(O options, int scenarios, int interleavings) {
		return configure(options, scenarios, interleavings).actorsPerThread(4)
			.sequentialSpecification(SequentialQueue.AnsweredLater.class);
	}

	private static <O extends Options<O, ?>> O prepared(O options, int scenarios, int interleavings) {
		return configure(options, scenarios, interleavings).actorsPerThread(2)
			.sequentialSpecification(SequentialQueue.Prepared.class);
	}

	private static <O extends Options<O, ?>> O configure(O options, int scenarios, int interleavings) {
		return options.threads(3)
			.actorsPerThread(3)
			.actorsBefore(0)
			.actorsAfter(0)
			.iterations(scenarios)
			.invocationsPerIteration(interleavings);
	}

}
