// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Several JVMs that run {@link CountingApplication}.
 */
final class Fleet implements AutoCloseable {

	private final int redisPort;

	private final Path file;

	private final int workers;

	private final Duration ttl;

	private final List<JvmProcess> jvms = new ArrayList<>();

	private final Queue<JvmProcess> starting = new ArrayDeque<>();

	/**
	 * Start a fleet.
	 * @param redisPort the port of Redis
	 * @param file the file of the counter
	 * @param size the number of JVMs
	 * @param workers the number of workers in each
	 * @param ttl the ttl of their locks
	 */
	Fleet(int redisPort, Path file, int size, int workers, Duration ttl) {
		this.redisPort = redisPort;
		this.file = file;
		this.workers = workers;
		this.ttl = ttl;
		for (int number = 0; number < size; number++) {
			this.jvms.add(launch(number));
		}
	}

	int size() {
		return this.jvms.size();
	}

	int workers() {
		return this.jvms.size() * this.workers;
	}

	void awaitReady() {
		this.starting.forEach((jvm) -> jvm.await("ready"));
		this.starting.clear();
	}

	/**
	 * Wait until all but the latest JVM are ready.
	 */
	void awaitReadyButLatest() {
		while (this.starting.size() > 1) {
			this.starting.remove().await("ready");
		}
	}

	/**
	 * Kill one JVM.
	 * @param number which
	 * @return the instant before
	 */
	long kill(int number) {
		long before = System.nanoTime();
		this.jvms.get(number).kill();
		return before;
	}

	/**
	 * Put a new JVM, which is not ready yet, in the place of one that was killed.
	 * @param number which
	 */
	void replace(int number) {
		this.starting.remove(this.jvms.get(number));
		this.jvms.get(number).close();
		this.jvms.set(number, launch(number));
	}

	void awaitEnd() {
		for (JvmProcess jvm : this.jvms) {
			jvm.await("done");
			if (jvm.awaitEnd() != 0) {
				throw new IllegalStateException("A JVM failed");
			}
		}
	}

	@Override
	public void close() {
		this.jvms.forEach(JvmProcess::close);
	}

	private JvmProcess launch(int number) {
		JvmProcess jvm = JvmProcess.start(CountingApplication.class, this.redisPort, this.file, number, this.workers,
				number * this.workers, this.ttl);
		this.starting.add(jvm);
		return jvm;
	}

}
