package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * Who held what, by the holders' own account: the reference that a fuzzed store is
 * checked against.
 */
final class HoldHistory {

	private final Queue<Hold> holds = new ConcurrentLinkedQueue<>();

	void add(Hold hold) {
		this.holds.add(hold);
	}

	int size() {
		return this.holds.size();
	}

	/**
	 * Return what must not be: holds of one key that overlap, and tokens that do not grow
	 * from one to the next.
	 */
	List<String> violations() {
		Map<String, List<Hold>> byKey = this.holds.stream()
			.sorted(Comparator.comparingLong(Hold::from))
			.collect(Collectors.groupingBy(Hold::key));
		List<String> violations = new ArrayList<>();
		byKey.values().forEach((ordered) -> {
			for (int i = 1; i < ordered.size(); i++) {
				Hold previous = ordered.get(i - 1);
				Hold next = ordered.get(i);
				if (next.from() < previous.to()) {
					violations.add("%s overlaps %s".formatted(next, previous));
				}
				if (next.firstToken() <= previous.lastToken()) {
					violations.add("the tokens of %s are not larger than those of %s".formatted(next, previous));
				}
			}
		});
		return violations;
	}

	/**
	 * One hold.
	 *
	 * @param key what was held
	 * @param ownerId who held it
	 * @param from when the holder learned that it holds the key, in nanoseconds
	 * @param to up to when it believed so
	 * @param firstToken the first token it was given
	 * @param lastToken the last token it was given
	 */
	record Hold(String key, String ownerId, long from, long to, long firstToken, long lastToken) {
	}

}
