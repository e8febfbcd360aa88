// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Attributes of the annotation of a method, without placeholders. Refuses what cannot be
 * read.
 *
 * @param annotation the annotation
 * @param subject the method
 * @param services resolves placeholders
 */
record Attributes(MergedAnnotation<?> annotation, AnnotatedMethod subject, LockServices services) {

	// Without a unit it would be taken as milliseconds, which nobody means by a ttl of
	// 30.
	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final Set<String> MAY_BE_UNLIMITED = Set.of("waitTime", "maxHold");

	String[] keys() {
		return this.annotation.getStringArray("key");
	}

	String text(String name) {
		return resolve(name, this.annotation.getString(name)).trim();
	}

	/**
	 * Resolve the placeholders of a text.
	 * @param name what the text is
	 */
	String resolve(String name, String text) {
		try {
			return this.services.resolvePlaceholders(text);
		}
		catch (IllegalArgumentException ex) {
			throw this.subject.invalid("%s = \"%s\" cannot be resolved: %s".formatted(name, text, ex.getMessage()),
					"Set the property, or give the placeholder a default as in ${name:default}", ex);
		}
	}

	<E extends Enum<E>> E constant(Class<E> type, String name) {
		return this.annotation.getEnum(name, type);
	}

	/**
	 * Return whether the annotation is written as another one that is made of it.
	 */
	boolean areOfAnother() {
		return this.annotation.getDistance() > 0;
	}

	/**
	 * Return whether it is written as a certain other one.
	 */
	boolean areOf(Class<? extends Annotation> type) {
		return this.annotation.getMetaTypes().contains(type);
	}

	/**
	 * Return the attributes of the annotation that is made of this one, if there is one.
	 */
	Attributes above() {
		MergedAnnotation<?> above = this.annotation.getMetaSource();
		return (above != null) ? new Attributes(above, this.subject, this.services) : this;
	}

	/**
	 * Read a duration, within whatever bounds.
	 * @return the duration; {@code null} if there is none
	 */
	@Nullable Duration duration(String name) {
		String text = text(name);
		if (text.isEmpty()) {
			return null;
		}
		if (NUMBER.matcher(text).matches()) {
			throw this.subject.invalid(written(name) + " has no unit",
					"Write '%ss' for seconds or '%sms' for milliseconds".formatted(text, text));
		}
		try {
			return (MAY_BE_UNLIMITED.contains(name) && "unlimited".equalsIgnoreCase(text)) ? LockOptions.UNLIMITED
					: DurationStyle.detectAndParse(text);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw unusableDuration(name, ex);
		}
	}

	LockSetupException unusableDuration(String name, RuntimeException cause) {
		return this.subject.invalid(written(name) + " cannot be used: " + cause.getMessage(),
				"Write %s as a duration such as \"500ms\", \"30s\" or \"PT30S\"%s; ttl %s to %s, the others up to that"
					.formatted(name, MAY_BE_UNLIMITED.contains(name) ? ", or \"unlimited\"" : "",
							DurationText.of(LockOptions.MIN_TTL), DurationText.of(LockOptions.MAX_DURATION)),
				cause);
	}

	/**
	 * Return an attribute for a message: as it is written, and what that means.
	 */
	String written(String name) {
		String source = this.annotation.getString(name);
		String text = text(name);
		String written = "%s = \"%s\"".formatted(name, source);
		return source.trim().equals(text) ? written : written + " (that is, \"" + text + "\")";
	}

}
