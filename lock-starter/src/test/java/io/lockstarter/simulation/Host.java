// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;
import io.lockstarter.simulation.redis.SmallClient;
import io.lockstarter.simulation.redis.SmallRedis;
import io.lockstarter.simulation.redis.Stored;

/**
 * A server: a process with a clock of its own, which may stand still, die and be started
 * again.
 */
final class Host {

	// in microseconds: some day in 2026
	private static final long EPOCH = 1_780_000_000_000_000L;

	private final World world;

	private final String name;

	private final int port;

	private final Watcher watcher;

	private final SmallRedis redis;

	private final List<Runnable> backlog = new ArrayList<>();

	private final double rate;

	private long clockOffset;

	private long setBack;

	// when the clock was set forward, until somebody has told so; -1 if it was not
	private long aheadSince = -1;

	private boolean up = true;

	private boolean frozen;

	private SmallClient looker;

	Host(World world, int number, double rate, long clockOffset, Watcher watcher) {
		this.world = world;
		this.name = "s" + number;
		this.port = 7000 + number;
		this.rate = rate;
		this.clockOffset = clockOffset;
		this.watcher = watcher;
		this.redis = new SmallRedis(this.name, this.port, this::micros, world.stream(9, number));
		this.looker = this.redis.connect((push) -> {
		});
	}

	String address() {
		return this.name + ":" + this.port;
	}

	String host() {
		return this.name;
	}

	int port() {
		return this.port;
	}

	SmallRedis redis() {
		return this.redis;
	}

	/**
	 * Return the time of day, in microseconds.
	 */
	long micros() {
		return EPOCH + this.clockOffset + (long) (this.world.now() * this.rate / 1000);
	}

	void stepClock(long micros) {
		this.clockOffset += micros;
		this.setBack += Math.max(0, -micros) * 1000;
		this.aheadSince = (micros > 0) ? this.world.now() : this.aheadSince;
		this.redis.expire();
	}

	/**
	 * Return for how much longer keys may stay, in nanoseconds, as the clock was set
	 * back.
	 */
	long setBack() {
		return this.setBack;
	}

	/**
	 * Return whether the clock was set forward since the server was started, and it has
	 * not abstained since.
	 */
	boolean isAhead() {
		return this.aheadSince >= 0;
	}

	long aheadSince() {
		return this.aheadSince;
	}

	/**
	 * Note that the server abstains.
	 */
	void abstains() {
		this.aheadSince = -1;
	}

	boolean isUp() {
		return this.up;
	}

	boolean isFrozen() {
		return this.frozen;
	}

	/**
	 * Return whether a key is there.
	 */
	boolean exists(String key) {
		return this.redis.has(key);
	}

	/**
	 * Return whether a lock that is there is shared.
	 */
	boolean isShared(String lock) {
		return this.redis.stored(lock) instanceof Stored.Text text && text.raw().startsWith("&");
	}

	/**
	 * Return who stands in the queue of a lock.
	 */
	List<String> queued(String lock) {
		return (this.redis.stored(lock.replace("}lock:", "}queue:")) instanceof Stored.Scores queue)
				? queue.members().stream().map(Stored.Member::name).toList() : List.of();
	}

	/**
	 * Execute a command as somebody whom nobody sees.
	 */
	Reply command(String... words) {
		if (!this.looker.isOpen()) {
			this.looker = this.redis.connect((push) -> {
			});
		}
		return this.looker.execute(words);
	}

	SmallClient connect(Consumer<byte[]> push) {
		return this.redis.connect((message) -> push.accept(Resp.encode(message)));
	}

	void execute(SmallClient client, List<byte[]> request, Wire wire) {
		later(() -> {
			if (client.isOpen()) {
				this.watcher.before(this);
				Reply reply = client.execute(request);
				this.watcher.executed(this, wire, request, reply);
				byte[] bytes = Resp.encode(reply);
				if (bytes.length > 0) {
					wire.answered(bytes);
				}
			}
		});
	}

	void close(SmallClient client) {
		later(() -> {
			if (client.isOpen()) {
				client.close();
			}
		});
	}

	private void later(Runnable action) {
		if (!this.up) {
			return;
		}
		if (this.frozen) {
			this.backlog.add(action);
		}
		else {
			action.run();
		}
	}

	void freeze() {
		this.frozen = true;
	}

	void unfreeze() {
		this.frozen = false;
		List<Runnable> late = List.copyOf(this.backlog);
		this.backlog.clear();
		late.forEach(Runnable::run);
	}

	/**
	 * End the process. Its connections are to be cut by the caller.
	 */
	void down() {
		this.up = false;
		this.frozen = false;
		this.backlog.clear();
	}

	/**
	 * Start the process again.
	 */
	void up(SmallRedis.Snapshot memory) {
		this.redis.restart(memory);
		this.aheadSince = -1;
		this.up = true;
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Told of what is executed.
	 */
	interface Watcher {

		void before(Host host);

		void executed(Host host, Wire wire, List<byte[]> request, Reply reply);

	}

}
