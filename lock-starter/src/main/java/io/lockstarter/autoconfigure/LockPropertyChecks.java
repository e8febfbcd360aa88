package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import io.lockstarter.LockOptions;

import org.springframework.boot.context.properties.bind.Binder;

/**
 * Knows what the properties may be. Looks at their text too: a bare number would bind as
 * milliseconds, which nobody means by {@code ttl: 30}.
 */
final class LockPropertyChecks {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Pattern BARE_NUMBER = Pattern.compile("[+-]?\\d+");

	private static final Pattern KEY_PREFIX = Pattern.compile("[^{}\\s]{1,100}");

	private final Binder binder;

	LockPropertyChecks(Binder binder) {
		this.binder = binder;
	}

	void check(LockProperties properties) {
		duration("ttl", properties.getTtl(), LockOptions.MIN_TTL);
		duration("wait-time", properties.getWaitTime(), Duration.ZERO);
		duration("command-timeout", properties.getCommandTimeout(), SHORTEST);
		duration("poll-interval", properties.getPollInterval(), SHORTEST);
		duration("slice", properties.getSlice(), Duration.ZERO);
		duration("shutdown-grace", properties.getShutdownGrace(), Duration.ZERO);
		duration("fence-retention", properties.getFenceRetention(), Duration.ofSeconds(1));
		shorterThanTtl("command-timeout", properties.getCommandTimeout(), properties.getTtl(),
				"a lock would expire before a command to renew it is given up");
		shorterThanTtl("slice", properties.getSlice(), properties.getTtl(),
				"a lock would expire before its slice is over");
		drift(properties.getDrift());
		keyPrefix(properties.getKeyPrefix());
	}

	private void duration(String name, Duration value, Duration min) {
		String text = this.binder.bind("distributed-lock." + name, String.class).orElse("").trim();
		if (BARE_NUMBER.matcher(text).matches()) {
			throw new InvalidLockPropertyException(name, text, "has no unit",
					"Write '%ss' for seconds or '%sms' for milliseconds".formatted(text, text));
		}
		if (value.compareTo(min) < 0 || value.compareTo(LockOptions.MAX_DURATION) > 0) {
			throw new InvalidLockPropertyException(name, text.isEmpty() ? value : text,
					"must be between %s and %s".formatted(text(min), text(LockOptions.MAX_DURATION)),
					"Set a duration in this range, such as '30s', or leave it out for the default");
		}
	}

	private static void shorterThanTtl(String name, Duration value, Duration ttl, String why) {
		if (value.compareTo(ttl) >= 0) {
			throw new InvalidLockPropertyException(name, text(value),
					"must be shorter than 'distributed-lock.ttl', which is '%s': %s".formatted(text(ttl), why),
					"Shorten 'distributed-lock.%s' or lengthen 'distributed-lock.ttl'".formatted(name));
		}
	}

	private static void drift(double value) {
		if (!(value >= 0 && value <= 0.5)) {
			throw new InvalidLockPropertyException("drift", value, "must be between 0 and 0.5",
					"Set the part of the ttl to keep back, such as '0.01' for one percent");
		}
	}

	private static void keyPrefix(String value) {
		if (!KEY_PREFIX.matcher(value).matches()) {
			throw new InvalidLockPropertyException("key-prefix", value,
					"must be 1 to 100 characters without braces and white space",
					"Set a short name, such as 'lock' or 'orders:lock'");
		}
	}

	private static String text(Duration value) {
		if (value.toMillis() % 1000 != 0) {
			return value.toMillis() + "ms";
		}
		return (value.toDays() > 0) ? value.toDays() + "d" : value.toSeconds() + "s";
	}

}
