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
package io.lockstarter.sample.stage;

import io.lockstarter.sample.instance.InstanceEnded;
import io.lockstarter.sample.jobs.Report;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Shows to the pages which instances have ended, and the nightly reports, once they are
 * committed.
 */
@Component
class ReportRelay {

	private final Stage stage;

	ReportRelay(Stage stage) {
		this.stage = stage;
	}

	@EventListener
	void show(InstanceEnded instance) {
		this.stage.show("ended", instance);
	}

	@TransactionalEventListener
	void show(Report report) {
		this.stage.show("report", report);
	}

}
