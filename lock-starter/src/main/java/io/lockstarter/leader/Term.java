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
package io.lockstarter.leader;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import org.jspecify.annotations.Nullable;

/**
 * One time for which an instance leads, and the critical sections that run in it. Once it
 * has ended none begins.
 */
final class Term {

	private final Lease lease;

	private final CompletableFuture<Void> idle = new CompletableFuture<>();

	private int sections;

	private boolean ended;

	Term(Lease lease) {
		this.lease = lease;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Begin a section, unless the term is over.
	 */
	synchronized @Nullable Section enter() {
		if (this.ended || !this.lease.isValid()) {
			return null;
		}
		this.sections++;
		return new Section(this.lease, this::leave);
	}

	/**
	 * End the term.
	 * @return completes when all sections have ended
	 */
	CompletableFuture<Void> end() {
		boolean last;
		synchronized (this) {
			this.ended = true;
			last = this.sections == 0;
		}
		return completeIf(last);
	}

	private void leave() {
		boolean last;
		synchronized (this) {
			this.sections--;
			last = this.ended && this.sections == 0;
		}
		var unused = completeIf(last);
	}

	// Without the monitor, as what depends on it goes on to release the lease.
	private CompletableFuture<Void> completeIf(boolean last) {
		if (last) {
			this.idle.complete(null);
		}
		return this.idle;
	}

}
