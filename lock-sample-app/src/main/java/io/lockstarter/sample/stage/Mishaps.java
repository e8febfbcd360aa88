// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.sample.shop.Thinking;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The think time of the shops, in which a mishap can befall who holds the lock: after the
 * stock was read and before it is written, where it hurts most.
 */
@Component
class Mishaps implements Thinking {

	private final AtomicReference<@Nullable Mishap> next = new AtomicReference<>();

	private final Visits visits;

	private final InstanceReporter reporter;

	private final Duration pause;

	Mishaps(Visits visits, InstanceReporter reporter, @Value("${sale.ttl}") Duration ttl) {
		this.visits = visits;
		this.reporter = reporter;
		this.pause = ttl.plusSeconds(2);
	}

	/**
	 * Let a mishap befall the next buyer of this instance who holds the lock.
	 */
	void prepare(Mishap mishap) {
		this.next.set(mishap);
	}

	@Override
	public void think(Duration time) {
		sleep(time);
		Visit visit = this.visits.current();
		if (visit != null && visit.holdsLock()) {
			Mishap mishap = this.next.getAndSet(null);
			if (mishap != null) {
				visit.befall(mishap);
				this.reporter.report();
				suffer(mishap);
			}
		}
	}

	private void suffer(Mishap mishap) {
		switch (mishap) {
			case CRASH -> Runtime.getRuntime().halt(137);
			case PAUSE -> stopProcess();
		}
	}

	/**
	 * Stop this whole process, as a suspended machine or a very long garbage collection
	 * would: nothing runs that could notice, or renew the lock.
	 */
	private void stopProcess() {
		try {
			// The shell goes on while this process, its parent, is stopped.
			new ProcessBuilder("sh", "-c", "kill -STOP $0; sleep $1; kill -CONT $0",
					String.valueOf(ProcessHandle.current().pid()), String.valueOf(this.pause.toSeconds()))
				.start()
				.waitFor();
		}
		catch (IOException ex) {
			throw new IllegalStateException("This process cannot be stopped", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void sleep(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while selling", ex);
		}
	}

}
