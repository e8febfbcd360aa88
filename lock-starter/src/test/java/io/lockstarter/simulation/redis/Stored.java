// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a key holds. Immutable, so that snapshots and replicas share it. Texts have a
 * character for each byte.
 */
public sealed interface Stored {

	/**
	 * Return what {@code TYPE} says.
	 * @return the type
	 */
	String type();

	/**
	 * A string.
	 *
	 * @param raw its bytes
	 */
	record Text(String raw) implements Stored {

		@Override
		public String type() {
			return "string";
		}

	}

	/**
	 * A sorted set.
	 *
	 * @param members by score, then by name
	 */
	record Scores(List<Member> members) implements Stored {

		private static final Comparator<Member> ORDER = Comparator.comparingDouble(Member::score)
			.thenComparing(Member::name);

		static final Scores NONE = new Scores(List.of());

		@Override
		public String type() {
			return "zset";
		}

		@Nullable Double score(String name) {
			for (Member member : this.members) {
				if (member.name().equals(name)) {
					return member.score();
				}
			}
			return null;
		}

		Scores with(String name, double score) {
			List<Member> changed = new ArrayList<>(without(name).members());
			// No other zero but the positive one, which compares as equal in Redis.
			Member added = new Member(name, score + 0.0);
			int place = Collections.binarySearch(changed, added, ORDER);
			changed.add(-place - 1, added);
			return new Scores(changed);
		}

		Scores without(String name) {
			return new Scores(this.members.stream().filter((member) -> !member.name().equals(name)).toList());
		}

		Scores from(int index) {
			return new Scores(List.copyOf(this.members.subList(index, this.members.size())));
		}

	}

	/**
	 * A member of a sorted set.
	 *
	 * @param name its bytes
	 * @param score its score
	 */
	record Member(String name, double score) {
	}

	/**
	 * A hash.
	 *
	 * @param values by field, in the order in which these came
	 */
	record Fields(Map<String, String> values) implements Stored {

		static final Fields NONE = new Fields(Map.of());

		@Override
		public String type() {
			return "hash";
		}

		Fields with(String field, String value) {
			Map<String, String> changed = new LinkedHashMap<>(this.values);
			changed.put(field, value);
			return new Fields(changed);
		}

		Fields without(String field) {
			Map<String, String> changed = new LinkedHashMap<>(this.values);
			changed.remove(field);
			return new Fields(changed);
		}

	}

}
