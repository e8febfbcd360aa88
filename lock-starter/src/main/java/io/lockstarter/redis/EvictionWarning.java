package io.lockstarter.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Warns, once, of a server that throws keys away when its memory is full: all keys of
 * locks expire, so that every policy but {@code noeviction} may meet them. Thread-safe.
 */
final class EvictionWarning {

	private static final Pattern LIMIT = Pattern.compile("^maxmemory:(\\d+)", Pattern.MULTILINE);

	private static final Pattern POLICY = Pattern.compile("^maxmemory_policy:(\\S+)", Pattern.MULTILINE);

	private static final Logger logger = System.getLogger(EvictionWarning.class.getName());

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Look at what the server says of its memory.
	 * @param info the answer to {@code INFO memory}
	 */
	void consider(String info) {
		Matcher limit = LIMIT.matcher(info);
		Matcher policy = POLICY.matcher(info);
		boolean evicts = limit.find() && !limit.group(1).equals("0") && policy.find()
				&& !policy.group(1).equals("noeviction");
		if (evicts && this.warned.compareAndSet(false, true)) {
			logger.log(Level.WARNING, "Redis evicts keys when its memory is full (maxmemory-policy {0}), and with them "
					+ "locks that are held: their holders are told at the next renewal, but another may have the lock "
					+ "by then. Set maxmemory-policy to noeviction, or keep locks in another Redis", policy.group(1));
		}
	}

}
