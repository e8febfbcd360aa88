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
package io.lockstarter.actuate;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.DurationText;
import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.StoreStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * {@link AbstractHealthIndicator} of distributed locks: up while the store answers, down
 * when it has not answered for longer than the shortest ttl in use, and unknown in
 * between. The store is asked only if no command was answered lately, or the last one
 * failed.
 *
 * @since 0.1
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	/**
	 * How long to wait for the inspector, which itself waits for the store.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final @Nullable LockInspector inspector;

	/**
	 * Create the indicator.
	 * @param inspector what knows how the store is; {@code null} if a test has put a mock
	 * in its place
	 */
	public LockHealthIndicator(@Nullable LockInspector inspector) {
		super("The lock store could not be checked");
		this.inspector = inspector;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws InterruptedException, ExecutionException {
		if (this.inspector == null) {
			builder.unknown();
			return;
		}
		builder.withDetail("instance", this.inspector.instanceId());
		try {
			describe(builder, this.inspector.checkStore().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (TimeoutException ex) {
			builder.unknown().withDetail("failure", "no answer within " + DurationText.of(PATIENCE));
		}
	}

	private static void describe(Health.Builder builder, StoreStatus status) {
		switch (status.state()) {
			case ANSWERING -> builder.up();
			case SILENT -> builder.unknown();
			case UNAVAILABLE -> builder.down();
			case STOPPED -> builder.outOfService();
		}
		builder.withDetail("store", status.state().name().toLowerCase(Locale.ROOT));
		builder.withDetail("signals", signals(status.listening()));
		builder.withDetail("tolerance", DurationText.of(status.tolerance()));
		detail(builder, "lastAnswer", status.lastAnswer());
		detail(builder, "unansweredSince", status.unansweredSince());
		detail(builder, "failure", status.failure());
	}

	private static String signals(@Nullable Boolean listening) {
		if (listening == null) {
			return "not needed yet";
		}
		return listening ? "listening" : "polling";
	}

	private static void detail(Health.Builder builder, String name, @Nullable Object value) {
		if (value != null) {
			builder.withDetail(name, value);
		}
	}

}
