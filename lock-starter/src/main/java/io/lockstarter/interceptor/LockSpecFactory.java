package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

import io.lockstarter.LockOptions;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/**
 * Turns an annotation into what it says, or refuses it.
 */
final class LockSpecFactory {

	private final UnaryOperator<String> placeholders;

	LockSpecFactory(UnaryOperator<String> placeholders) {
		this.placeholders = placeholders;
	}

	LockSpec create(MergedAnnotation<DistributedLock> annotation, LockedMethod subject) {
		LaterResults.refuse(subject);
		String key = text(annotation, "key", subject);
		if (!StringUtils.hasText(key)) {
			throw subject.invalid("it has no key", "Say what to lock, for example key = \"stock:#{#productId}\"");
		}
		LockOptions options = LockOptions.defaults();
		options = with(options, LockOptions::withTtl, annotation, "ttl", subject);
		options = with(options, LockOptions::withWaitTime, annotation, "waitTime", subject);
		ArgumentNames names = ArgumentNames.of(subject.method(), annotation.getSource());
		return new LockSpec(KeyExpressionParser.parse(key, names, subject), options);
	}

	private LockOptions with(LockOptions options, BiFunction<LockOptions, Duration, LockOptions> setter,
			MergedAnnotation<DistributedLock> annotation, String attribute, LockedMethod subject) {
		String text = text(annotation, attribute, subject).trim();
		if (text.isEmpty()) {
			return options;
		}
		String written = written(annotation, attribute, text);
		if (DurationUnit.isMissing(text)) {
			throw subject.invalid(written + " has no unit", DurationUnit.remedy(text));
		}
		try {
			return setter.apply(options, DurationStyle.detectAndParse(text));
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw subject.invalid(written + " cannot be used: " + ex.getMessage(),
					"Write %s as a duration such as \"500ms\", \"30s\" or \"PT30S\"; ttl %s to %s, waitTime up to %s"
						.formatted(attribute, LockOptions.MIN_TTL, LockOptions.MAX_DURATION, LockOptions.MAX_DURATION),
					ex);
		}
	}

	private String text(MergedAnnotation<DistributedLock> annotation, String attribute, LockedMethod subject) {
		String text = annotation.getString(attribute);
		try {
			return this.placeholders.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("%s = \"%s\" cannot be resolved: %s".formatted(attribute, text, ex.getMessage()),
					"Set the property, or give the placeholder a default as in ${name:default}", ex);
		}
	}

	private static String written(MergedAnnotation<DistributedLock> annotation, String attribute, String text) {
		String source = annotation.getString(attribute);
		String written = "%s = \"%s\"".formatted(attribute, source);
		return source.trim().equals(text) ? written : written + " (that is, \"" + text + "\")";
	}

}
