// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.migration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of a migration from other locks.
 */
@ConfigurationProperties("distributed-lock")
final class MigrationProperties {

	/**
	 * Locks of another library in the same Redis that are held together with ours while
	 * old instances still run. The first that fits a key counts.
	 */
	private List<Rule> migration = List.of();

	public List<Rule> getMigration() {
		return this.migration;
	}

	public void setMigration(List<Rule> migration) {
		this.migration = migration;
	}

	List<OldLock> oldLocks() {
		List<OldLock> locks = new ArrayList<>(this.migration.size());
		for (int i = 0; i < this.migration.size(); i++) {
			locks.add(this.migration.get(i).oldLock("distributed-lock.migration[%d].".formatted(i)));
		}
		return locks;
	}

	/**
	 * Locks of another library that are held together with ours.
	 *
	 * @param keys Which keys of ours have an old lock: one key, or a pattern with one
	 * '*'.
	 * @param from What kind of locks they are.
	 * @param oldKey What they are called in Redis. A '*' stands for what the one in
	 * 'keys' stands for.
	 */
	record Rule(@DefaultValue("*") String keys, OldLock.@Nullable Format from, @Nullable String oldKey) {

		private OldLock oldLock(String prefix) {
			if (this.from == null) {
				throw new LockSetupException("Property '%sfrom' is missing".formatted(prefix),
						"Set it to what the old locks are: " + formats(), null);
			}
			if (this.oldKey == null) {
				throw new LockSetupException("Property '%sold-key' is missing".formatted(prefix),
						"Set it to what the old locks are called in Redis, such as 'inventory-lock:*'", null);
			}
			try {
				return new OldLock(this.keys, this.from, this.oldKey);
			}
			catch (IllegalArgumentException ex) {
				// The message begins with the name of what is wrong.
				String[] message = String.valueOf(ex.getMessage()).split(" ", 2);
				throw new LockSetupException("Property '%s%s' %s".formatted(prefix,
						message[0].equals("oldKey") ? "old-key" : message[0], message[message.length - 1]),
						"Set another value, or leave it out for the default", ex);
			}
		}

		private static String formats() {
			return Arrays.stream(OldLock.Format.values()).map(OldLock.Format::text).collect(Collectors.joining(", "));
		}

	}

}
