package io.lockstarter.sample.stage;

import io.lockstarter.sample.jobs.Report;

import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Shows the nightly reports to the pages, once they are committed.
 */
@Component
class ReportRelay {

	private final Stage stage;

	ReportRelay(Stage stage) {
		this.stage = stage;
	}

	@TransactionalEventListener
	void show(Report report) {
		this.stage.publish("report", report);
	}

}
