// SPDX-License-Identifier: Apache-2.0
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
