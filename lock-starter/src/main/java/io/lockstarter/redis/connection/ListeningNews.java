// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.ArrayDeque;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * Tells a subscriber whether it receives messages: once each time that changes, and in
 * the order in which it did, whoever says so. Thread-safe.
 */
final class ListeningNews {

	private final Subscriber subscriber;

	private final Queue<Boolean> news = new ArrayDeque<>();

	private @Nullable Boolean last;

	private boolean telling;

	ListeningNews(Subscriber subscriber) {
		this.subscriber = subscriber;
	}

	/**
	 * Tell it, unless it was told so last. If a thread is telling something else at the
	 * moment, that one tells this, too.
	 */
	void tell(boolean listening) {
		synchronized (this) {
			if (Boolean.valueOf(listening).equals(this.last)) {
				return;
			}
			this.last = listening;
			this.news.add(listening);
			if (this.telling) {
				return;
			}
			this.telling = true;
		}
		try {
			for (Boolean next = next(); next != null; next = next()) {
				this.subscriber.listening(next);
			}
		}
		catch (RuntimeException | Error ex) {
			stop();
			throw ex;
		}
	}

	private synchronized @Nullable Boolean next() {
		Boolean next = this.news.poll();
		this.telling = next != null;
		return next;
	}

	private synchronized void stop() {
		this.telling = false;
	}

}
