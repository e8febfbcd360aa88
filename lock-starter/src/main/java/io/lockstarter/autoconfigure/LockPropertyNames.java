// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.LockValidation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds properties under {@code distributed-lock} that do not exist. Binding ignores
 * them, so a misspelt property would silently keep its default.
 */
final class LockPropertyNames {

	static final List<String> ALL = List.of("enabled", "store", "ttl", "wait-time", "key-prefix", "drift",
			"command-timeout", "connect-timeout", "poll-interval", "slice", "shutdown-grace", "release-mode",
			"warn-after", "max-hold", "fence-retention", "replicas-acknowledged", "executor", "publish-all-events",
			"observe-keys", "problem-details", "order", "validation", "migration", "url", "ssl-bundle", "quorum.nodes",
			"quorum.max-ttl", "leader.roles", "leader.ttl", "endpoint.force-release", "fence.table",
			"fence.data-source", "fence.create-table", "fence.max-pause", "fence.purge-interval");

	// Lists, and what their elements have; an element may be a value, too.
	private static final Map<String, List<String>> OF_ELEMENTS = Map.of("migration", List.of("keys", "from", "old-key"),
			"quorum.nodes", List.of("url", "ssl-bundle", "timeout"), "leader.roles", List.of());

	// Properties that another jar has, each with a class of it.
	private static final Map<String, String> OF_JARS = Map.of("quorum.nodes", "io.lockstarter.quorum.QuorumLockStore",
			"quorum.max-ttl", "io.lockstarter.quorum.QuorumLockStore", "migration", "io.lockstarter.migration.OldLock");

	// What others call the same. Without dashes.
	private static final Map<String, String> SYNONYMS = Map.of("timetolive", "ttl", "leasetime", "ttl", "leaseduration",
			"ttl", "expire", "ttl", "lockatmostfor", "ttl", "timeout", "wait-time", "acquiretimeout", "wait-time",
			"locktimeout", "wait-time");

	private static final Log logger = LogFactory.getLog(LockPropertyNames.class);

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("distributed-lock");

	private LockPropertyNames() {
	}

	static void check(Environment environment, LockValidation validation) {
		checkJars(environment);
		if (validation == LockValidation.OFF) {
			return;
		}
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			// Containers are given variables for whatever there is, such as
			// DISTRIBUTEDLOCK_SERVICE_HOST.
			if (source instanceof IterableConfigurationPropertySource iterable
					&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
				for (ConfigurationPropertyName name : iterable) {
					if (PREFIX.isAncestorOf(name) && !isKnown(name)) {
						report(name, validation);
					}
				}
			}
		}
	}

	/**
	 * Check that jars are there: without one, a property of it would silently keep locks
	 * elsewhere than other instances do, or let old ones run beside ours.
	 */
	private static void checkJars(Environment environment) {
		for (Map.Entry<String, String> each : OF_JARS.entrySet()) {
			ConfigurationPropertyName property = PREFIX.append(each.getKey());
			// To look for a class that is not there is the dearest of these questions.
			if (mayBeSet(environment, property)
					&& !ClassUtils.isPresent(each.getValue(), LockPropertyNames.class.getClassLoader())
					&& isSet(environment, property)) {
				throw new LockSetupException(
						"Property '%s' is set, but the jar that it needs is not on the class path".formatted(property),
						"Add the dependency io.lockstarter:lock-starter-%s, or remove the property"
							.formatted(each.getKey().replaceFirst("\\..*", "")),
						null);
			}
		}
	}

	private static boolean mayBeSet(Environment environment, ConfigurationPropertyName property) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source.getConfigurationProperty(property) != null
					|| source.containsDescendantOf(property) != ConfigurationPropertyState.ABSENT) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether a property has a value, or the first of several: neither an empty
	 * one, nor a variable of a service that is called like it.
	 */
	private static boolean isSet(Environment environment, ConfigurationPropertyName property) {
		Binder binder = Binder.get(environment);
		ConfigurationPropertyName first = property.append("[0]");
		return hasText(binder, property) || hasText(binder, first)
				|| binder.bind(first, Bindable.mapOf(String.class, Object.class)).isBound();
	}

	private static boolean hasText(Binder binder, ConfigurationPropertyName name) {
		return binder.bind(name, Bindable.of(String.class)).map(StringUtils::hasText).orElse(false);
	}

	private static boolean isKnown(ConfigurationPropertyName name) {
		for (String known : ALL) {
			if (PREFIX.append(known).equals(name)) {
				return true;
			}
		}
		for (Map.Entry<String, List<String>> list : OF_ELEMENTS.entrySet()) {
			if (isOfElement(name, PREFIX.append(list.getKey()), list.getValue())) {
				return true;
			}
		}
		return false;
	}

	// distributed-lock.migration[0].keys, distributed-lock.quorum.nodes[0]
	private static boolean isOfElement(ConfigurationPropertyName name, ConfigurationPropertyName list,
			List<String> attributes) {
		int index = list.getNumberOfElements();
		if (!list.isAncestorOf(name) || !name.isNumericIndex(index)) {
			return false;
		}
		int more = name.getNumberOfElements() - index;
		return more == 1 || (more == 2
				&& attributes.stream().anyMatch((attribute) -> name.chop(index + 1).append(attribute).equals(name)));
	}

	private static void report(ConfigurationPropertyName name, LockValidation validation) {
		String nearest = nearest(name.subName(1).toString());
		String remedy = (nearest != null) ? "Did you mean '%s'? If not, leave it out".formatted(PREFIX.append(nearest))
				: "Leave it out";
		LockSetupException unknown = new LockSetupException("Property '%s' does not exist".formatted(name),
				remedy + ". All there are: " + String.join(", ", ALL), null);
		if (validation == LockValidation.FAIL) {
			throw unknown;
		}
		logger.warn(unknown.getMessage());
	}

	// One that others call so, one that contains it or is contained, or else the one with
	// the fewest letters to
	// change; none if these are many, as such a guess would only mislead.
	static @Nullable String nearest(String name) {
		String synonym = SYNONYMS.get(name.replace("-", ""));
		return (synonym != null) ? synonym
				: ALL.stream()
					.filter((known) -> isPart(known, name) || 3 * distance(known, name) <= name.length())
					.min(Comparator.<String>comparingInt((known) -> isPart(known, name) ? 0 : 1)
						.thenComparingInt((known) -> distance(known, name)))
					.orElse(null);
	}

	private static boolean isPart(String known, String name) {
		String one = known.replace("-", "");
		String other = name.replace("-", "");
		return one.contains(other) || other.contains(one);
	}

	private static int distance(String one, String other) {
		int[] previous = new int[other.length() + 1];
		for (int j = 0; j <= other.length(); j++) {
			previous[j] = j;
		}
		for (int i = 1; i <= one.length(); i++) {
			int[] current = new int[other.length() + 1];
			current[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int changed = previous[j - 1] + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				current[j] = Math.min(changed, Math.min(previous[j], current[j - 1]) + 1);
			}
			previous = current;
		}
		return previous[other.length()];
	}

}
