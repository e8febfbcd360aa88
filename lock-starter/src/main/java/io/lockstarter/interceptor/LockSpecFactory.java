package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

import io.lockstarter.LockOptions;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;

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
		LockOptions options = LockOptions.defaults();
		options = with(options, LockOptions::withTtl, annotation, "ttl", subject);
		options = with(options, LockOptions::withWaitTime, annotation, "waitTime", subject);
		options = with(options, LockOptions::withMinHold, annotation, "minHold", subject);
		return new LockSpec(subject, keys(annotation, subject), options, whenBusy(annotation, subject),
				annotation.getEnum("onUnavailable", OnUnavailable.class), annotation.getEnum("onLost", OnLost.class),
				annotation.getEnum("release", ReleasePhase.class));
	}

	private LockKeys keys(MergedAnnotation<DistributedLock> annotation, LockedMethod subject) {
		String[] keys = annotation.getStringArray("key");
		if (keys.length == 0 || !StringUtils.hasText(keys[0])) {
			throw subject.invalid("it has no key", "Say what to lock, for example key = \"stock:#{#productId}\"");
		}
		ArgumentNames names = ArgumentNames.of(subject.method(), annotation.getSource());
		return KeyExpressionParser.parse(resolve("key", keys[0], subject), names, subject);
	}

	private static BusyPolicy whenBusy(MergedAnnotation<DistributedLock> annotation, LockedMethod subject) {
		String fallback = annotation.getString("fallback");
		if (StringUtils.hasText(fallback)) {
			return FallbackMethod.find(fallback, subject);
		}
		if (annotation.getEnum("onBusy", OnBusy.class) == OnBusy.SKIP) {
			return SkipCall.of(subject);
		}
		return (call, busy, failures) -> failures.handle(call, busy);
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
					"Write %s as a duration such as \"500ms\", \"30s\" or \"PT30S\"; ttl %s to %s, the others up to that"
						.formatted(attribute, LockOptions.MIN_TTL, LockOptions.MAX_DURATION),
					ex);
		}
	}

	private String text(MergedAnnotation<DistributedLock> annotation, String attribute, LockedMethod subject) {
		return resolve(attribute, annotation.getString(attribute), subject);
	}

	private String resolve(String attribute, String text, LockedMethod subject) {
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
