// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.Ordered;

/**
 * {@link LockListener} that logs warnings. Of many events of one kind it logs the first,
 * and then their number once in a while.
 */
class LoggingLockListener implements LockListener, Ordered, DisposableBean {

	private static final Log logger = LogFactory.getLog(LoggingLockListener.class);

	// By what it says of those that it does not log, as they are needed: most
	// applications never do.
	private final Map<String, LimitedLog> logs = new ConcurrentHashMap<>();

	private LimitedLog log(String summary) {
		return this.logs.computeIfAbsent(summary, this::create);
	}

	LimitedLog create(String summary) {
		return LimitedLog.warnings(logger, summary);
	}

	@Override
	public void lost(LeaseInfo lease, LossCause cause) {
		log("more locks were lost (%s)".formatted(cause)).write(lease.key(),
				() -> "Lock '%s' was lost (%s, fencing token %d): %s".formatted(lease.key(), cause,
						lease.fencingToken(), explain(lease, cause)));
	}

	@Override
	public void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
		log("more releases were not confirmed").write(lease.key(),
				() -> ("The release of lock '%s' (fencing token %d) was not confirmed, and is repeated: others may wait "
						+ "for it up to its ttl. If this happens often, look at the latency of Redis, or raise "
						+ "'distributed-lock.command-timeout'")
					.formatted(lease.key(), lease.fencingToken()),
				failure);
	}

	@Override
	public void abandoned(LeaseInfo lease) {
		log("more locks were still held at shutdown").write(lease.key(),
				() -> ("Lock '%s' (fencing token %d) was still held at shutdown: it is left to its ttl. End the work "
						+ "sooner, or raise 'distributed-lock.shutdown-grace'")
					.formatted(lease.key(), lease.fencingToken()));
	}

	@Override
	public void clockSetBack(String key, Duration remaining, Duration setBack) {
		logger
			.warn(("The clock of the lock store was set back by %d ms or more: lock '%s', and maybe others, stays for "
					+ "%d ms if its holder is gone. Delete its key if you know that it is")
				.formatted(setBack.toMillis(), key, remaining.toMillis()));
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	/**
	 * Log what is counted and not logged yet, as the end of its time may not come.
	 */
	@Override
	public void destroy() {
		this.logs.values().forEach(LimitedLog::flush);
	}

	private static String explain(LeaseInfo lease, LossCause cause) {
		return switch (cause) {
			case EXPIRED -> lease.isRenewed()
					? "its deadline passed, and another holder may have it. Look for pauses of this process, and "
							+ "for outages of Redis, of about its ttl, or raise the ttl"
					: "its holder kept it for longer than its ttl, as it is not renewed, or not beyond its maxHold, and "
							+ "another holder may have it. Shorten the work, or raise maxHold, or the ttl if renew is false";
			case TAKEN ->
				"it expired, was deleted or evicted there, or another holder has it. Look for whoever deletes "
						+ "keys, for evictions and for a fail-over of Redis";
			case FORCED -> "somebody released it by force, and another holder may have it. Look at what it did since";
		};
	}

}
