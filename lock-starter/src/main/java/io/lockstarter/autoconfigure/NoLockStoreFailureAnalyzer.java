package io.lockstarter.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says why there is no store and how to come by one.
 */
final class NoLockStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoLockStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoLockStoreException cause) {
		return new FailureAnalysis(cause.problem() + ".", cause.remedy() + ".", cause);
	}

}
