package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.interceptor.DurationUnit;
import io.lockstarter.interceptor.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * Says in terms of the properties which of them cannot be. The bounds of each are known
 * to the settings; this adds what only their text tells and how they relate.
 */
final class LockPropertyChecks {

	private static final List<String> DURATIONS = List.of("ttl", "wait-time", "command-timeout", "connect-timeout",
			"poll-interval", "slice", "shutdown-grace", "fence-retention");

	private LockPropertyChecks() {
	}

	static void requireUnits(Binder binder) {
		for (String name : DURATIONS) {
			String text = binder.bind("distributed-lock." + name, String.class).orElse("").trim();
			if (DurationUnit.isMissing(text)) {
				throw invalid(name, "is '%s', but has no unit".formatted(text), DurationUnit.remedy(text), null);
			}
		}
	}

	/**
	 * Create settings that refuse a value with a message which begins with its name.
	 * @param <T> the type of the settings
	 * @param settings creates them
	 * @return the settings
	 */
	static <T> T withinBounds(Supplier<T> settings) {
		try {
			return settings.get();
		}
		catch (IllegalArgumentException ex) {
			String[] message = String.valueOf(ex.getMessage()).split(" ", 2);
			throw invalid(DataObjectPropertyName.toDashedForm(message[0]), message[message.length - 1],
					"Set another value, or leave it out for the default", ex);
		}
	}

	static void requireShorterThanTtl(RegistrySettings settings) {
		shorter("command-timeout", settings.commandTimeout(), settings.ttl(),
				"a lock would expire before a command to renew it is given up");
		shorter("slice", settings.slice(), settings.ttl(), "a lock would expire before its slice is over");
	}

	private static void shorter(String name, Duration value, Duration ttl, String why) {
		if (value.compareTo(ttl) >= 0) {
			throw invalid(name,
					"is '%s', but must be shorter than 'distributed-lock.ttl', which is '%s': %s".formatted(value, ttl,
							why),
					"Shorten 'distributed-lock.%s' or lengthen 'distributed-lock.ttl'".formatted(name), null);
		}
	}

	private static LockSetupException invalid(String name, String problem, String remedy, @Nullable Throwable cause) {
		return new LockSetupException("Property 'distributed-lock.%s' %s".formatted(name, problem), remedy, cause);
	}

}
