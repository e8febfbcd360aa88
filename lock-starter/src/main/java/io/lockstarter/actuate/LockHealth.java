// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.StoreStatus;
import org.jspecify.annotations.Nullable;

/**
 * Health of distributed locks, in the types of no version of Spring Boot.
 *
 * @param status the code of the status
 * @param details the details
 */
record LockHealth(String status, Map<String, Object> details) {

	/**
	 * How long to wait for the inspector, which itself waits for the store.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final String UNKNOWN = "UNKNOWN";

	private static final String DOWN = "DOWN";

	/**
	 * Check the store.
	 * @param inspector what knows how the store is; {@code null} if a test has put a mock
	 * in its place
	 * @return the health
	 * @throws InterruptedException if the calling thread is interrupted
	 * @throws ExecutionException if the inspector fails
	 */
	static LockHealth check(@Nullable LockInspector inspector) throws InterruptedException, ExecutionException {
		Map<String, Object> details = new LinkedHashMap<>();
		if (inspector == null) {
			return new LockHealth(UNKNOWN, details);
		}
		details.put("instance", inspector.instanceId());
		try {
			StoreStatus status = inspector.checkStore().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			describe(status, details);
			return new LockHealth(code(status), details);
		}
		catch (TimeoutException ex) {
			details.put("failure", "no answer within " + DurationText.of(PATIENCE));
			return new LockHealth(DOWN, details);
		}
	}

	private static String code(StoreStatus status) {
		return switch (status.state()) {
			case ANSWERING -> "UP";
			case SILENT -> UNKNOWN;
			case REFUSING, UNAVAILABLE -> DOWN;
			case STOPPED -> "OUT_OF_SERVICE";
		};
	}

	private static String locks(StoreStatus status) {
		return switch (status.state()) {
			case ANSWERING -> "can be acquired";
			case SILENT -> "cannot be acquired; those that are held are not lost yet";
			case REFUSING -> "cannot be acquired: the store answers, and refuses";
			case UNAVAILABLE -> (status.lastAnswer() == null) ? "cannot be acquired: the store never answered"
					: "cannot be acquired; if any were held, they are lost, or may be at any moment";
			case STOPPED -> "are not granted any more, as the application stops";
		};
	}

	private static void describe(StoreStatus status, Map<String, Object> details) {
		details.put("locks", locks(status));
		details.put("store", status.state().name().toLowerCase(Locale.ROOT));
		details.put("signals", signals(status.listening()));
		details.put("tolerance", DurationText.of(status.tolerance()));
		putIfPresent(details, "lastAnswer", status.lastAnswer());
		putIfPresent(details, "unavailableSince", status.unavailableSince());
		putIfPresent(details, "failure", status.failure());
	}

	private static String signals(@Nullable Boolean listening) {
		if (listening == null) {
			return "not needed yet";
		}
		return listening ? "listening" : "polling";
	}

	private static void putIfPresent(Map<String, Object> details, String name, @Nullable Object value) {
		if (value != null) {
			details.put(name, value);
		}
	}

}
