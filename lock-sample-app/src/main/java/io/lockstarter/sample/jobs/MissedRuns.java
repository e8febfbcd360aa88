// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import io.lockstarter.LockStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.stereotype.Component;

/**
 * A job that cannot ask for its lock does not run, and its next run is not far away: a
 * line in the log is enough.
 */
@Component
class MissedRuns implements ThreadPoolTaskSchedulerCustomizer {

	private static final Log logger = LogFactory.getLog(MissedRuns.class);

	@Override
	public void customize(ThreadPoolTaskScheduler scheduler) {
		scheduler.setErrorHandler(MissedRuns::handle);
	}

	private static void handle(Throwable failure) {
		if (failure instanceof LockStoreException) {
			logger.warn("A job did not run: %s".formatted(failure.getMessage()));
		}
		else {
			TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.handleError(failure);
		}
	}

}
