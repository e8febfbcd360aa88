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
package io.lockstarter.autoconfigure;

import io.lockstarter.LockSetupException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes a {@link LockSetupException}.
 */
final class LockSetupFailureAnalyzer extends AbstractFailureAnalyzer<LockSetupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockSetupException cause) {
		return new FailureAnalysis(cause.problem() + ".", cause.remedy() + ".", cause);
	}

}
