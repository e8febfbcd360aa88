// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Lets Lincheck run the end of an engine in many interleavings, with those of the maps of
 * the JDK.
 */
@Tag("proof")
@Tag("alone")
class ClosingEngineLincheckTest {

	@Test
	void anEngineIsNotDrainedWhileAKeyIsHeld() {
		closing(ClosingEngine.Held.InTurn.class).check(ClosingEngine.Held.class);
	}

	@Test
	void nobodyGetsAKeyOfAnEngineThatIsClosed() {
		closing(ClosingEngine.Free.InTurn.class).check(ClosingEngine.Free.class);
	}

	// There is one scenario alone: each of two operations once.
	private static ModelCheckingOptions closing(Class<?> inTurn) {
		return LocalQueueLincheckTest.modelChecking()
			.threads(2)
			.actorsPerThread(1)
			.actorsBefore(0)
			.actorsAfter(0)
			.iterations(1)
			.invocationsPerIteration(600)
			.sequentialSpecification(inTurn);
	}

}
