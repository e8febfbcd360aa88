// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.lockstarter.DurationText;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.Permits;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.Fence;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.interceptor.key.KeyBeans;
import io.lockstarter.interceptor.key.LockKeys;
import io.lockstarter.leader.LeaderElections;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Creates the specification of an annotation, or refuses it.
 *
 * @param placeholders resolves <code>${…}</code> in a text, or throws
 * {@link IllegalArgumentException}
 * @param maxTtl the longest ttl that the store allows
 * @param beans the beans of the application
 * @param transactions whether a lock can be released after a transaction
 * @param registry gives the registry that has the locks
 * @param elections gives the elections of leaders
 */
record LockSpecFactory(UnaryOperator<String> placeholders, Duration maxTtl, KeyBeans beans, boolean transactions,
		Supplier<? extends LockRegistry> registry, Supplier<LeaderElections> elections) {

	// Without a unit it would be taken as milliseconds, which nobody means by a ttl of
	// 30.
	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final String UNLIMITED = "unlimited";

	private static final Set<String> MAY_BE_UNLIMITED = Set.of("waitTime", "maxHold");

	// Redis keeps a key for these.
	private static final Set<String> KEPT = Set.of("ttl", "minHold");

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private static final String KEY = "key";

	LockSpec create(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		ReleasePhase releasePhase = releasePhase(annotation, subject);
		LockOptions options = LockOptions.defaults().withName(name(annotation, subject));
		options = with(options, LockOptions::withTtl, annotation, "ttl", subject);
		options = with(options, LockOptions::withWaitTime, annotation, "waitTime", subject);
		options = withMaxHold(options, annotation, subject);
		options = with(options, LockOptions::withMinHold, annotation, "minHold", subject);
		options = withMode(options, annotation, subject);
		ScheduleCheck.check(subject, options.minHold(), this.placeholders);
		return new LockSpec(subject, source(annotation, subject, options), whenBusy(annotation, subject),
				annotation.getEnum("onUnavailable", OnUnavailable.class), annotation.getEnum("onLost", OnLost.class),
				releasePhase, fence(annotation, subject));
	}

	private LeaseSource source(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject,
			LockOptions options) {
		if (isLeaderOnly(annotation)) {
			return leader(annotation, subject);
		}
		MergedAnnotation<?> above = annotation.getMetaSource();
		return (above != null && above.getType() == DistributedPermit.class)
				? permit(annotation, above, subject, options)
				: new LockedKeys(this.registry, keys(annotation, subject), options);
	}

	private LeaseSource permit(MergedAnnotation<DistributedLock> annotation, MergedAnnotation<?> above,
			AnnotatedMethod subject, LockOptions options) {
		return new LimitedKey(this.registry, keys(annotation, subject), limit(above, subject), options);
	}

	private int limit(MergedAnnotation<?> permit, AnnotatedMethod subject) {
		String text = resolve("limit", permit.getString("limit"), subject).trim();
		int limit = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
		if (limit < 1 || limit > Permits.MAX_LIMIT) {
			throw subject.invalid("%s is no limit of permits".formatted(written(permit, "limit", text)),
					"Write a number from 1 to %d, or a placeholder for one such as ${checkout.limit:5}"
						.formatted(Permits.MAX_LIMIT));
		}
		return limit;
	}

	private static boolean isLeaderOnly(MergedAnnotation<DistributedLock> annotation) {
		return annotation.getMetaTypes().contains(LeaderOnly.class);
	}

	private LeaderSection leader(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		String text = annotation.getStringArray(KEY)[0];
		String role = resolve("role", text, subject);
		if (role.isBlank()) {
			throw subject.invalid("its role \"%s\" is blank".formatted(text),
					"Say what the leader does, for example \"reports\"");
		}
		if (role.contains("#{")) {
			throw subject.invalid("its role \"%s\" contains an expression".formatted(text),
					"Write a role that is the same for all calls, as an instance leads it or does not");
		}
		try {
			this.elections.get().addRole(role);
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("its role cannot be used: " + ex.getMessage(),
					"Say what the leader does, for example \"reports\"");
		}
		return new LeaderSection(this.elections, role);
	}

	private LockKeys keys(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		String[] keys = annotation.getStringArray(KEY);
		String generator = resolve("keyGenerator", annotation.getString("keyGenerator"), subject).trim();
		if (!generator.isEmpty()) {
			if (keys.length > 0) {
				throw subject.invalid("it has both a key and keyGenerator = \"%s\"".formatted(generator),
						"Keep one of them");
			}
			return LockKeys.generatedBy(generator, subject, this.beans);
		}
		if (keys.length == 0 || Arrays.stream(keys).noneMatch(StringUtils::hasText)) {
			throw subject.invalid("it has no key", "Say what to lock, for example key = \"stock:#{#productId}\"");
		}
		List<String> texts = Arrays.stream(keys).map((key) -> key(key, subject)).toList();
		return LockKeys.parse(texts, subject, annotation.getSource(), this.beans);
	}

	private String key(String text, AnnotatedMethod subject) {
		String key = resolve(KEY, text, subject);
		if (key.isBlank()) {
			throw subject.invalid("its key \"%s\" is blank".formatted(text), "Say what to lock, or leave this key out");
		}
		return key;
	}

	private String name(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		String text = annotation.getString("name");
		if (text.isEmpty()) {
			return subject.shortName();
		}
		if (text.contains("#{")) {
			throw subject.invalid("name = \"%s\" contains an expression".formatted(text),
					"Write a name that is the same for all keys, or leave it out for \"%s\""
						.formatted(subject.shortName()));
		}
		String name = resolve("name", text, subject);
		try {
			return LockOptions.defaults().withName(name).name();
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("%s cannot be used: %s".formatted(written(annotation, "name", name), ex.getMessage()),
					"Write another name, or leave it out for \"%s\"".formatted(subject.shortName()), ex);
		}
	}

	private ReleasePhase releasePhase(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		ReleasePhase phase = annotation.getEnum("releasePhase", ReleasePhase.class);
		AsyncMethods.Kind kind = AsyncMethods.kindOf(subject);
		if (kind == AsyncMethods.Kind.FUTURE && phase == ReleasePhase.AFTER_TRANSACTION) {
			throw subject.invalid(
					"releasePhase = AFTER_TRANSACTION, but a method that returns a future runs on another "
							+ "thread than its caller, and so in no transaction of the caller's",
					"Leave releasePhase at AUTO, or call the method where the transaction is begun around a blocking one");
		}
		if (phase == ReleasePhase.AFTER_TRANSACTION && !this.transactions) {
			throw subject.invalid("releasePhase = AFTER_TRANSACTION needs transactions, but there is no spring-tx",
					"Add org.springframework:spring-tx and a transaction manager, or leave releasePhase out");
		}
		return phase;
	}

	private @Nullable TransactionFence fence(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		if (annotation.getEnum("fence", Fence.class) == Fence.NONE) {
			return null;
		}
		if (annotation.getEnum("mode", LockMode.class) == LockMode.SHARED
				|| annotation.getMetaTypes().contains(DistributedPermit.class)) {
			throw subject.invalid(
					"fence = TRANSACTION is for locks that one has alone: of several holders the database would refuse "
							+ "the one with the smaller token",
					"Leave fence out, or lock the key exclusively");
		}
		if (annotation.getEnum("onUnavailable", OnUnavailable.class) == OnUnavailable.PROCEED) {
			throw subject.invalid(
					"fence = TRANSACTION and onUnavailable = PROCEED contradict each other, as there is no token without a lock",
					"Keep one of them");
		}
		if (AsyncMethods.kindOf(subject) != AsyncMethods.Kind.BLOCKING) {
			throw subject.invalid(
					"fence = TRANSACTION needs transactions of the thread that runs the method, but this one returns "
							+ "before its work is done",
					"Return the result directly, or pass LockScope.current().fencingToken() on to the database");
		}
		TransactionFence fence = this.beans.find(TransactionFence.class);
		if (fence == null) {
			throw subject.invalid("fence = TRANSACTION needs a DataSource, but there is none",
					"Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa and configure the DataSource, or leave fence out");
		}
		return fence;
	}

	private static BusyPolicy whenBusy(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		String fallback = annotation.getString("fallback").trim();
		boolean skip = annotation.getEnum("onBusy", OnBusy.class) == OnBusy.SKIP;
		if (!fallback.isEmpty()) {
			if (skip && !isLeaderOnly(annotation)) {
				throw subject.invalid("onBusy = SKIP and fallback = \"%s\" contradict each other".formatted(fallback),
						"Keep one of them: what to return, or whom to ask");
			}
			return FallbackMethod.find(fallback, subject);
		}
		return skip ? skip(subject) : (call, busy, failures) -> failures.handle(call, busy);
	}

	/**
	 * Return {@code null}, an empty optional, or an empty future or publisher.
	 */
	private static BusyPolicy skip(AnnotatedMethod subject) {
		Class<?> type = subject.method().getReturnType();
		if (type.isPrimitive() && type != void.class) {
			throw subject.invalid("onBusy = SKIP has nothing to return, as its result is the primitive " + type,
					"Return %s or an Optional, or name a fallback method"
						.formatted(ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()));
		}
		String neverEmpty = AsyncMethods.whyNeverEmpty(subject);
		if (neverEmpty != null) {
			throw subject.invalid("onBusy = SKIP has nothing to return, as " + neverEmpty,
					"Return a type that may be empty or null, or name a fallback method");
		}
		Class<?> result = CompletionStage.class.isAssignableFrom(type)
				? ResolvableType.forMethodReturnType(subject.method(), subject.targetClass())
					.as(CompletionStage.class)
					.getGeneric()
					.resolve(Object.class)
				: type;
		Object nothing = EMPTY.get(result);
		return (call, busy, failures) -> nothing;
	}

	/**
	 * Let the registry refuse what its store cannot do.
	 */
	private LockOptions checked(LockOptions options, AnnotatedMethod subject) {
		var unused = this.registry.get().obtain(subject.shortName(), options);
		return options;
	}

	private LockOptions withMode(LockOptions options, MergedAnnotation<DistributedLock> annotation,
			AnnotatedMethod subject) {
		LockMode mode = annotation.getEnum("mode", LockMode.class);
		if (mode == LockMode.EXCLUSIVE) {
			return options;
		}
		try {
			return checked(options.withMode(mode), subject);
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("mode = SHARED cannot be used: " + ex.getMessage(), "Leave mode out", ex);
		}
	}

	private LockOptions withMaxHold(LockOptions options, MergedAnnotation<DistributedLock> annotation,
			AnnotatedMethod subject) {
		LockOptions limited = with(options, LockOptions::withMaxHold, annotation, "maxHold", subject);
		if (limited.ttl() != null && limited.maxHold() != null && !LockOptions.UNLIMITED.equals(limited.maxHold())
				&& limited.maxHold().compareTo(limited.ttl()) < 0) {
			throw subject.invalid(
					"maxHold is %s, but the lease lasts for its ttl, which is %s, in any case"
						.formatted(DurationText.of(limited.maxHold()), DurationText.of(limited.ttl())),
					"Shorten ttl, or lengthen maxHold");
		}
		return limited;
	}

	private LockOptions with(LockOptions options, BiFunction<LockOptions, Duration, LockOptions> setter,
			MergedAnnotation<DistributedLock> annotation, String attribute, AnnotatedMethod subject) {
		String text = resolve(attribute, annotation.getString(attribute), subject).trim();
		if (text.isEmpty()) {
			return options;
		}
		String written = written(annotation, attribute, text);
		if (NUMBER.matcher(text).matches()) {
			throw subject.invalid(written + " has no unit",
					"Write '%ss' for seconds or '%sms' for milliseconds".formatted(text, text));
		}
		try {
			boolean unlimited = UNLIMITED.equalsIgnoreCase(text) && MAY_BE_UNLIMITED.contains(attribute);
			Duration value = unlimited ? LockOptions.UNLIMITED : DurationStyle.detectAndParse(text);
			LockOptions changed = setter.apply(options, value);
			if (KEPT.contains(attribute) && value.compareTo(this.maxTtl) > 0) {
				throw subject.invalid(
						"%s is longer than 'distributed-lock.quorum.max-ttl', which is %s".formatted(written,
								DurationText.of(this.maxTtl)),
						"Shorten it, or lengthen 'distributed-lock.quorum.max-ttl' in all instances");
			}
			return changed;
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw subject.invalid(written + " cannot be used: " + ex.getMessage(),
					"Write %s as a duration such as \"500ms\", \"30s\" or \"PT30S\"; ttl %s to %s, the others up to that"
						.formatted(attribute, DurationText.of(LockOptions.MIN_TTL),
								DurationText.of(LockOptions.MAX_DURATION)),
					ex);
		}
	}

	private String resolve(String attribute, String text, AnnotatedMethod subject) {
		try {
			return this.placeholders.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("%s = \"%s\" cannot be resolved: %s".formatted(attribute, text, ex.getMessage()),
					"Set the property, or give the placeholder a default as in ${name:default}", ex);
		}
	}

	private static String written(MergedAnnotation<?> annotation, String attribute, String text) {
		String source = annotation.getString(attribute);
		String written = "%s = \"%s\"".formatted(attribute, source);
		return source.trim().equals(text.trim()) ? written : written + " (that is, \"" + text + "\")";
	}

}
