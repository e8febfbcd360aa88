// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.List;

import io.lockstarter.sample.instance.Instance;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Reports what happens in this instance: ten times a second while there are buyers, and
 * twice to show that it lives. Who has left while Redis could not be reached is reported
 * afterwards.
 */
@Component
class InstanceReporter {

	private static final int IDLE_ROUNDS = 5;

	private final Instance instance;

	private final Visits visits;

	private final Stage stage;

	private int idle;

	InstanceReporter(Instance instance, Visits visits, Stage stage) {
		this.instance = instance;
		this.visits = visits;
		this.stage = stage;
	}

	@Scheduled(fixedDelay = 100)
	void reportInTurn() {
		boolean busy = this.visits.isAny();
		this.idle = busy ? 0 : this.idle + 1;
		if (busy || this.idle % IDLE_ROUNDS == 1) {
			report();
		}
	}

	/**
	 * Report at once, for example because there is no later.
	 */
	void report() {
		report(this.visits.present(), false);
	}

	@EventListener(ContextClosedEvent.class)
	void sayGoodbye() {
		report(List.of(), true);
	}

	// One at a time, as each forgets what it has reported.
	private synchronized void report(List<Visit.Snapshot> present, boolean ending) {
		int port = this.instance.port();
		List<Visit.Snapshot> finished = this.visits.finished();
		if (port > 0 && this.stage.publish("instance", new InstanceReport(this.instance.name(), port,
				ProcessHandle.current().pid(), this.instance.isHost(), Micros.now(), ending, present, finished))) {
			this.visits.forget(finished.size());
		}
	}

}
