// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.migration;

import java.util.List;

import io.lockstarter.LockSetupException;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptPart;

/**
 * Old locks that are held together with ours: old-locks.lua takes them, and here is said
 * which these are. Each lock of ours is followed by the name of its old one and a key
 * beside ours, whose name says what kind of lock that is, or by itself, twice, if it has
 * no old lock. Immutable.
 *
 * @since 0.1
 */
public final class OldLocks extends ScriptPart {

	private static final String NAME = "distributed-lock.migration[%d].old-key";

	private static final String LOCK = "lock:";

	// the first that fits a key counts
	private final List<OldLock> rules;

	/**
	 * Create a part of a store.
	 * @param rules the old locks; the first that fits a key counts
	 */
	public OldLocks(List<OldLock> rules) {
		super(read(OldLocks.class, "old-locks"));
		this.rules = List.copyOf(rules);
	}

	@Override
	protected List<String> keysBeside(String tag, String key) {
		for (OldLock rule : this.rules) {
			String old = rule.nameFor(key);
			if (old != null) {
				return List.of(old, tag + "old-" + rule.from().text() + ":" + key);
			}
		}
		return List.of(tag + LOCK + key, tag + LOCK + key);
	}

	/**
	 * A lock may expire with its old one alone, and readers have none.
	 */
	@Override
	protected boolean isShareable() {
		return false;
	}

	@Override
	public void check(RedisStoreSettings settings, boolean cluster) {
		if (cluster) {
			throw new LockSetupException(
					"Property 'distributed-lock.migration' is set, but locks are in a Redis Cluster, where one step "
							+ "cannot hold a lock together with an old one on another node",
					"Remove it and stop the old instances before the new ones start, or set 'distributed-lock.url' to "
							+ "the address of a single Redis where the old locks are",
					null);
		}
		String ours = "{" + settings.keyPrefix() + "}";
		for (int i = 0; i < this.rules.size(); i++) {
			if (this.rules.get(i).oldKey().startsWith(ours)) {
				throw new LockSetupException(
						"Property '%s' must not begin with '%s', as the keys of our locks do, but is '%s'"
							.formatted(NAME.formatted(i), ours, this.rules.get(i).oldKey()),
						"Set it to what the old locks are called in Redis, or change 'distributed-lock.key-prefix'",
						null);
			}
		}
	}

}
