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
