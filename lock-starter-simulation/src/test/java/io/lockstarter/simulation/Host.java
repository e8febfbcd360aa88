// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.lockstarter.simulation.redis.Entry;
import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;
import io.lockstarter.simulation.redis.SmallClient;
import io.lockstarter.simulation.redis.SmallRedis;
import io.lockstarter.simulation.redis.Stored;
import org.jspecify.annotations.Nullable;

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
	private boolean up = true;

	private boolean leapRefused;

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

	/**
	 * Return when in the time of the world the clock shows an instant, as it goes now.
	 * @param millis since 1970
	 */
	long worldTime(long millis) {
		return (long) ((millis * 1000 - EPOCH - this.clockOffset) * 1000 / this.rate);
	}

	/**
	 * Return when in the time of the world a key is gone: after the millisecond in which
	 * it expires.
	 */
	long expiry(Entry entry) {
		return entry.expires() ? worldTime(entry.expiresAt() + 1) : Long.MAX_VALUE;
	}

	/**
	 * Return whether it would grant a lock as a voter: it remembers itself, and does not
	 * abstain.
	 */
	boolean grants() {
		Entry server = this.redis.peek("{lock}server");
		return this.up && this.redis.peek("{lock}joining") == null && server != null
				&& server.value() instanceof Stored.Text known && known.raw().startsWith(this.redis.runId());
	}

	/**
	 * Note that it refused to let tokens leap.
	 */
	void refusedLeap() {
		this.leapRefused = true;
	}

	/**
	 * Return whether it refused to let tokens leap since this was asked last.
	 */
	boolean takeRefusedLeap() {
		boolean refused = this.leapRefused;
		this.leapRefused = false;
		return refused;
	}

	double rate() {
		return this.rate;
	}

	void stepClock(long micros) {
		this.clockOffset += micros;
		this.setBack += Math.max(0, -micros) * 1000;
		this.redis.expire();
	}

	/**
	 * Return for how much longer keys may stay, in nanoseconds, as the clock was set
	 * back.
	 */
	long setBack() {
		return this.setBack;
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
	 * Return up to when in the time of the world an owner id is told that a lock was
	 * taken from it by force, or null if it is not.
	 */
	@Nullable Long forcedUntil(String lock, String ownerId) {
		if (!(this.redis.stored(lock.replace("}lock:", "}forced:")) instanceof Stored.Scores forced)) {
			return null;
		}
		return forced.members()
			.stream()
			.filter((member) -> member.name().equals(ownerId))
			.findFirst()
			.map((member) -> worldTime((long) member.score()) - 1)
			.orElse(null);
	}

	/**
	 * Return whether a lock that is there is shared.
	 */
	boolean isShared(String lock) {
		return this.redis.stored(lock) instanceof Stored.Text text && text.raw().startsWith("&");
	}

	/**
	 * Return who has a lock, as far as this server knows.
	 */
	Holders holders(String lock) {
		if (!(this.redis.stored(lock) instanceof Stored.Text text) || text.raw().startsWith("!")) {
			return Holders.NONE;
		}
		if (!text.raw().startsWith("&")) {
			return new Holders(text.raw().replaceFirst("[*~]$", ""), Set.of());
		}
		if (text.raw().length() > 1) {
			return new Holders(null, Set.of(text.raw().substring(1)));
		}
		Set<String> readers = new HashSet<>();
		if (this.redis.stored(lock.replace("}lock:", "}readers:")) instanceof Stored.Scores scores) {
			scores.members()
				.stream()
				.filter((reader) -> !reader.name().startsWith("!") && reader.score() > micros() / 1000.0)
				.forEach((reader) -> readers.add(reader.name()));
		}
		return new Holders(null, readers);
	}

	/**
	 * Return up to when a lock is taken. One that is reserved or granted is not: it is
	 * for somebody who has a lease to say so.
	 * @param used whether an owner id ever had a lease
	 */
	Waiting.Taken taken(String lock, Predicate<String> used) {
		Entry entry = this.redis.entry(lock);
		if (entry == null || !(entry.value() instanceof Stored.Text text)) {
			return Waiting.Taken.NOT;
		}
		// It is there for the whole of its last millisecond.
		long left = (entry.expiresAt() + 1) * 1000 - micros();
		long end = this.world.now() + (long) (left * 1000 / this.rate);
		boolean shared = text.raw().startsWith("&");
		boolean free = shared ? holders(lock).all().isEmpty() : text.raw().startsWith("!") || (!text.raw().endsWith("~")
				&& text.raw().contains(":g") && !used.test(text.raw().replaceFirst("\\*$", "")));
		return new Waiting.Taken(free ? Long.MIN_VALUE : end, (free || shared) ? Long.MIN_VALUE : end, end, shared);
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
