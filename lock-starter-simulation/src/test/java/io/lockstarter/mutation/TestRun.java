// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.util.Arrays;
import java.util.List;

import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

/**
 * Runs some test classes in this JVM and says what failed.
 */
final class TestRun {

	static final String FAILED = "failed: ";

	static final int CAUGHT = 10;

	static final int SURVIVED = 11;

	private TestRun() {
	}

	/**
	 * Run test classes.
	 * @param args their names, below {@code io.lockstarter}
	 */
	public static void main(String... args) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(Arrays.stream(args)
				.map((name) -> DiscoverySelectors.selectClass("io.lockstarter." + name))
				.toList())
			.configurationParameter("junit.jupiter.execution.timeout.default", "30 s")
			.configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		try {
			LauncherFactory.create().execute(request, listener);
		}
		catch (OutOfMemoryError ex) {
			// JUnit takes it for no failure of the test that plants it.
			System.out.println(FAILED + ex);
			Runtime.getRuntime().exit("planted".equals(ex.getMessage()) ? CAUGHT : 1);
		}
		TestExecutionSummary summary = listener.getSummary();
		List<Failure> failures = summary.getFailures();
		for (Failure failure : failures) {
			System.out.println(FAILED + name(failure));
			System.out.println(failure.getException());
		}
		if (summary.getTestsStartedCount() == 0) {
			throw new IllegalStateException("No test was run");
		}
		// Some test that was cut short may have left a thread behind.
		Runtime.getRuntime().exit(failures.isEmpty() ? SURVIVED : CAUGHT);
	}

	private static String name(Failure failure) {
		return failure.getTestIdentifier().getSource().map((source) -> {
			if (source instanceof MethodSource method) {
				return method.getJavaClass().getSimpleName() + "." + method.getMethodName();
			}
			return (source instanceof ClassSource type) ? type.getJavaClass().getSimpleName() : source.toString();
		}).orElse(failure.getTestIdentifier().getDisplayName());
	}

}
