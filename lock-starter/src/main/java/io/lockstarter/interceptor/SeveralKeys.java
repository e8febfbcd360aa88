package io.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The keys of several texts.
 */
final class SeveralKeys implements LockKeys {

	private final List<? extends LockKeys> all;

	private SeveralKeys(List<? extends LockKeys> all) {
		this.all = all;
	}

	static LockKeys of(List<? extends LockKeys> all) {
		return (all.size() == 1) ? all.get(0) : new SeveralKeys(all);
	}

	@Override
	public Collection<String> of(LockCall call) {
		List<String> keys = new ArrayList<>();
		this.all.forEach((some) -> keys.addAll(some.of(call)));
		return keys;
	}

	@Override
	public String toString() {
		return this.all.toString();
	}

}
