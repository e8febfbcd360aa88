// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
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
import io.lockstarter.interceptor.key.LockKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;

/**
 * Creates the specification of an annotation, or refuses it.
 *
 * @param services what the methods need of the application
 * @param maxTtl the longest ttl that the store allows
 * @param beans the beans of the application
 */
record LockSpecFactory(LockServices services, Duration maxTtl, ConfigurableBeanFactory beans) {

	LockSpec create(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod subject) {
		Attributes attributes = new Attributes(annotation, subject, this.services);
		ReleasePhase releasePhase = releasePhase(attributes);
		LockOptions options = options(attributes);
		Duration minHold = options.minHold();
		if (minHold != null) {
			ScheduleCheck.check(subject, minHold, this.services);
		}
		return new LockSpec(subject, source(attributes, options), whenBusy(attributes),
				attributes.constant(OnUnavailable.class, "onUnavailable"), attributes.constant(OnLost.class, "onLost"),
				releasePhase, fence(attributes));
	}

	private LeaseSource source(Attributes attributes, LockOptions options) {
		// Most are not, and an application that has none starts without their classes.
		boolean composed = attributes.areOfAnother();
		if (composed && attributes.areOf(LeaderOnly.class)) {
			return leader(attributes);
		}
		LockKeys keys = keys(attributes);
		return (composed && attributes.areOf(DistributedPermit.class))
				? new LimitedKey(this.services, keys, limit(attributes), options)
				: new LockedKeys(this.services, keys, options);
	}

	private static int limit(Attributes attributes) {
		Attributes permit = attributes.above();
		String text = permit.text("limit");
		int limit = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
		if (limit < 1 || limit > Permits.MAX_LIMIT) {
			throw permit.subject()
				.invalid("%s is no limit of permits".formatted(permit.written("limit")),
						"Write a number from 1 to %d, or a placeholder for one such as ${checkout.limit:5}"
							.formatted(Permits.MAX_LIMIT));
		}
		return limit;
	}

	private LeaderSection leader(Attributes attributes) {
		AnnotatedMethod subject = attributes.subject();
		String text = attributes.keys()[0];
		String role = attributes.resolve("role", text);
		if (role.isBlank()) {
			throw subject.invalid("its role \"%s\" is blank".formatted(text),
					"Say what the leader does, for example \"reports\"");
		}
		if (role.contains("#{")) {
			throw subject.invalid("its role \"%s\" contains an expression".formatted(text),
					"Write a role that is the same for all calls, as an instance leads it or does not");
		}
		try {
			this.services.elections().addRole(role);
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("its role cannot be used: " + ex.getMessage(),
					"Say what the leader does, for example \"reports\"");
		}
		return new LeaderSection(this.services, role);
	}

	private LockKeys keys(Attributes attributes) {
		AnnotatedMethod subject = attributes.subject();
		String[] keys = attributes.keys();
		String generator = attributes.text("keyGenerator");
		if (!generator.isEmpty()) {
			if (keys.length > 0) {
				throw subject.invalid("it has both a key and keyGenerator = \"%s\"".formatted(generator),
						"Keep one of them");
			}
			return LockKeys.generatedBy(generator, subject, this.beans);
		}
		if (!StringUtils.hasText(String.join("", keys))) {
			throw subject.invalid("it has no key", "Say what to lock, for example key = \"stock:#{#productId}\"");
		}
		List<String> texts = new ArrayList<>();
		for (String text : keys) {
			String key = attributes.resolve("key", text);
			if (key.isBlank()) {
				throw subject.invalid("its key \"%s\" is blank".formatted(text),
						"Say what to lock, or leave this key out");
			}
			texts.add(key);
		}
		return LockKeys.parse(texts, subject, attributes.annotation().getSource(), this.beans);
	}

	private LockOptions options(Attributes attributes) {
		LockOptions named = named(attributes);
		Duration ttl = attributes.duration("ttl");
		Duration waitTime = attributes.duration("waitTime");
		Duration maxHold = attributes.duration("maxHold");
		Duration minHold = attributes.duration("minHold");
		LockOptions options;
		try {
			options = named.withTtl(ttl).withWaitTime(waitTime).withMaxHold(maxHold).withMinHold(minHold);
		}
		catch (IllegalArgumentException ex) {
			// The message begins with the name of what is out of bounds.
			throw attributes.unusableDuration(String.valueOf(ex.getMessage()).split(" ", 2)[0], ex);
		}
		// Redis keeps a key for these.
		requireKept("ttl", ttl, attributes);
		requireKept("minHold", minHold, attributes);
		if (maxHold != null) {
			requireNoShorter(maxHold, ttl, attributes);
		}
		return withMode(options, attributes);
	}

	private void requireNoShorter(Duration maxHold, @Nullable Duration own, Attributes attributes) {
		Duration ttl = (own != null) ? own : this.services.defaultTtl();
		if (ttl != null && maxHold.compareTo(ttl) < 0) {
			throw attributes.subject()
				.invalid("maxHold is %s, but the lease lasts for its ttl, which is %s%s, in any case".formatted(
						DurationText.of(maxHold), DurationText.of(ttl),
						(own != null) ? "" : " by 'distributed-lock.ttl'"), "Shorten ttl, or lengthen maxHold");
		}
	}

	private void requireKept(String name, @Nullable Duration value, Attributes attributes) {
		if (value != null && value.compareTo(this.maxTtl) > 0) {
			throw attributes.subject()
				.invalid(
						"%s is longer than 'distributed-lock.quorum.max-ttl', which is %s"
							.formatted(attributes.written(name), DurationText.of(this.maxTtl)),
						"Shorten it, or lengthen 'distributed-lock.quorum.max-ttl' in all instances");
		}
	}

	private static LockOptions named(Attributes attributes) {
		AnnotatedMethod subject = attributes.subject();
		String text = attributes.annotation().getString("name");
		if (text.contains("#{")) {
			throw subject.invalid("name = \"%s\" contains an expression".formatted(text),
					"Write a name that is the same for all keys, or leave it out for \"%s\""
						.formatted(subject.shortName()));
		}
		try {
			return LockOptions.defaults()
				.withName(text.isEmpty() ? subject.shortName() : attributes.resolve("name", text));
		}
		catch (IllegalArgumentException ex) {
			throw subject.invalid("%s cannot be used: %s".formatted(attributes.written("name"), ex.getMessage()),
					"Write another name, or leave it out for \"%s\"".formatted(subject.shortName()), ex);
		}
	}

	private LockOptions withMode(LockOptions options, Attributes attributes) {
		LockMode mode = attributes.constant(LockMode.class, "mode");
		if (mode == LockMode.EXCLUSIVE) {
			return options;
		}
		try {
			LockOptions shared = options.withMode(mode);
			// The registry refuses what its store cannot do.
			var unused = this.services.registry().obtain(attributes.subject().shortName(), shared);
			return shared;
		}
		catch (IllegalArgumentException ex) {
			throw attributes.subject()
				.invalid("mode = SHARED cannot be used: " + ex.getMessage(), "Leave mode out", ex);
		}
	}

	private ReleasePhase releasePhase(Attributes attributes) {
		ReleasePhase phase = attributes.constant(ReleasePhase.class, "releasePhase");
		AnnotatedMethod subject = attributes.subject();
		AsyncMethods.Kind kind = AsyncMethods.kindOf(subject);
		if (kind == AsyncMethods.Kind.FUTURE && phase == ReleasePhase.AFTER_TRANSACTION) {
			throw subject.invalid(
					"releasePhase = AFTER_TRANSACTION, but a method that returns a future runs on another "
							+ "thread than its caller, and so in no transaction of the caller's",
					"Leave releasePhase at AUTO, or call the method where the transaction is begun around a blocking one");
		}
		if (phase == ReleasePhase.AFTER_TRANSACTION && !this.services.hasTransactions()) {
			throw subject.invalid("releasePhase = AFTER_TRANSACTION needs transactions, but there is no spring-tx",
					"Add org.springframework:spring-tx and a transaction manager, or leave releasePhase out");
		}
		return phase;
	}

	private @Nullable TransactionFence fence(Attributes attributes) {
		if (attributes.constant(Fence.class, "fence") == Fence.NONE) {
			return null;
		}
		AnnotatedMethod subject = attributes.subject();
		if (attributes.constant(LockMode.class, "mode") == LockMode.SHARED
				|| attributes.areOf(DistributedPermit.class)) {
			throw subject.invalid(
					"fence = TRANSACTION is for locks that one has alone: of several holders the database would refuse "
							+ "the one with the smaller token",
					"Leave fence out, or lock the key exclusively");
		}
		if (attributes.constant(OnUnavailable.class, "onUnavailable") == OnUnavailable.PROCEED) {
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
		TransactionFence fence = this.beans.getBeanProvider(TransactionFence.class).getIfAvailable();
		if (fence == null) {
			throw subject.invalid("fence = TRANSACTION needs a DataSource, but there is none",
					"Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa and configure the DataSource, or leave fence out");
		}
		return fence;
	}

	private static @Nullable BusyPolicy whenBusy(Attributes attributes) {
		AnnotatedMethod subject = attributes.subject();
		String fallback = attributes.annotation().getString("fallback").trim();
		boolean skip = attributes.constant(OnBusy.class, "onBusy") == OnBusy.SKIP;
		if (fallback.isEmpty()) {
			return skip ? SkippedCall.of(subject) : null;
		}
		if (skip && !attributes.areOf(LeaderOnly.class)) {
			throw subject.invalid("onBusy = SKIP and fallback = \"%s\" contradict each other".formatted(fallback),
					"Keep one of them: what to return, or whom to ask");
		}
		return FallbackMethod.find(fallback, subject);
	}

}
