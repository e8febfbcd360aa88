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
