// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Resets the {@link LockTester} before and after each test method, as tests share their
 * contexts.
 */
final class LockTesterReset extends AbstractTestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext testContext) {
		reset(testContext);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		reset(testContext);
	}

	private static void reset(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext().getBeanProvider(LockTester.class).ifAvailable(LockTester::reset);
		}
	}

}
