package io.lockstarter.benchmark.contender;

import java.time.Duration;

/**
 * Where and how to lock.
 *
 * @param port the port of Redis on 127.0.0.1
 * @param ttl how long a lock outlives its holder
 */
public record Target(int port, Duration ttl) {

	static final String HOST = "127.0.0.1";

	private static final int NEVER_OUTLIVED = 20;

	/**
	 * Return a ttl for locks that are not renewed: their users have to choose one that no
	 * section outlives.
	 * @return a long ttl
	 */
	Duration longTtl() {
		return this.ttl.multipliedBy(NEVER_OUTLIVED);
	}

}
