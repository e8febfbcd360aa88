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
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.LockStore.Acquire;
import io.lockstarter.engine.LockStore.Acquired;

/**
 * What this instance holds at the store after one successful acquire command: an owner
 * id, a deadline and a block of fencing tokens. One lease after the other is granted from
 * it. Written under the mutex of its {@link LocalQueue}, except for the time of the next
 * renewal, which the watchdog moves; the volatile fields are read without it.
 */
final class Ownership {

	/**
	 * Redis counts expiry in milliseconds, rounding either way.
	 */
	private static final long CLOCK_GRAIN = TimeUnit.MILLISECONDS.toNanos(2);

	private final String ownerId;

	private final Duration ttl;

	private final long validFor;

	private final long askedAt;

	private final long firstToken;

	private final long lastToken;

	private long nextToken;

	private volatile long deadline;

	private volatile long renewAt;

	private long keptUntil = Ticker.NEVER;

	Ownership(Acquire command, double drift, long sentAt, Acquired reply) {
		this.ownerId = command.ownerId();
		this.ttl = command.ttl();
		long ttl = this.ttl.toNanos();
		this.validFor = ttl - (long) (ttl * drift) - CLOCK_GRAIN;
		this.askedAt = sentAt;
		this.firstToken = reply.firstToken();
		this.nextToken = this.firstToken;
		this.lastToken = reply.lastToken();
		confirmed(sentAt);
	}

	/**
	 * Move the deadline: the store confirmed the ttl by a command sent at the given
	 * instant. Replies may come out of order, so the deadline only grows.
	 */
	void confirmed(long sentAt) {
		this.deadline = Math.max(this.deadline, sentAt + this.validFor);
		this.renewAt = Math.max(sentAt, this.deadline - this.validFor) + this.ttl.toNanos() / 3;
	}

	/**
	 * Note that a renewal is sent. Until it is confirmed the next one is a repetition.
	 */
	void renewing(long sentAt) {
		this.renewAt = sentAt + this.ttl.toNanos() / 6;
	}

	/**
	 * Return whether a confirmed renewal is the repetition of one that was not confirmed,
	 * or as late as one.
	 * @param margin what was left up to the deadline before
	 */
	boolean isLate(long margin) {
		return margin <= this.validFor - this.ttl.toNanos() / 2;
	}

	boolean isGood(long now) {
		return !isUsedUp() && now < this.deadline;
	}

	/**
	 * Return whether an acquirer that asks for the same ttl can be granted the next lease
	 * without asking the store. A renewed lease needs time for its next renewal; one that
	 * is not renewed for long must be good for all of its ttl.
	 */
	boolean covers(Terms terms, long now) {
		boolean renewed = terms.renew() && terms.maxHoldNanos() > this.ttl.toNanos();
		return isGood(now) && this.deadline - now >= (renewed ? this.validFor / 2 : this.validFor);
	}

	boolean isUsedUp() {
		return this.nextToken > this.lastToken;
	}

	long usedTokens() {
		return this.nextToken - this.firstToken;
	}

	long askedAt() {
		return this.askedAt;
	}

	long takeToken() {
		return this.nextToken++;
	}

	/**
	 * End the last lease, but stay at the store up to the given instant.
	 */
	void keepUntil(long until) {
		this.keptUntil = until;
	}

	boolean isKeptForMinHold() {
		return this.keptUntil != Ticker.NEVER;
	}

	long keptUntil() {
		return this.keptUntil;
	}

	String ownerId() {
		return this.ownerId;
	}

	Duration ttl() {
		return this.ttl;
	}

	long deadline() {
		return this.deadline;
	}

	long renewAt() {
		return this.renewAt;
	}

	/**
	 * Return from when on the lease may be renewed along with others.
	 */
	long renewFrom() {
		return this.renewAt - this.ttl.toNanos() / 6;
	}

}
