package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.function.Supplier;

import io.lockstarter.DurationText;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * Says in terms of the properties which of them cannot be. The bounds of each are known
 * to the settings; this adds how they relate.
 */
final class LockPropertyChecks {

	private LockPropertyChecks() {
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
					"is '%s', but must be shorter than 'distributed-lock.ttl', which is '%s': %s"
						.formatted(DurationText.of(value), DurationText.of(ttl), why),
					"Shorten 'distributed-lock.%s' or lengthen 'distributed-lock.ttl'".formatted(name), null);
		}
	}

	private static LockSetupException invalid(String name, String problem, String remedy, @Nullable Throwable cause) {
		return new LockSetupException("Property 'distributed-lock.%s' %s".formatted(name, problem), remedy, cause);
	}

}
