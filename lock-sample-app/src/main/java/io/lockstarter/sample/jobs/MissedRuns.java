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
