// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.lettuce.core.RedisConnectionException;
import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.redis.connection.SimulatedConnection;
import org.jspecify.annotations.Nullable;

/**
 * The network between processes and servers: names, delays, and what goes wrong for a
 * pair of them.
 */
public final class Net {

	private final World world;

	private final Map<String, Host> names = new HashMap<>();

	private final Map<Jvm, Map<Host, Pair>> pairs = new LinkedHashMap<>();

	private final List<Wire> wires = new ArrayList<>();

	private final List<SimulatedConnection> opened = new ArrayList<>();

	private final SplittableRandom random;

	// told of a delay that may cost somebody a lease
	private final Slowness slowness;

	// told who has a connection
	private final Consumer<Pair> connected;

	// told what a process hears of a release by force
	private final Force force;

	private @Nullable Dials dials;

	private int dialled;

	private long lingering = Long.MIN_VALUE;

	private long silentUntil = Long.MIN_VALUE;

	private long connectedAt;

	// whether what is written waits for a moment
	private final boolean batches;

	private final Reach reach;

	Net(World world, boolean batches, Reach reach, Slowness slowness, Consumer<Pair> connected, Force force) {
		this.connected = connected;
		this.force = force;
		this.world = world;
		this.batches = batches;
		this.reach = reach;
		this.random = world.stream(3, 0);
		this.slowness = slowness;
	}

	World world() {
		return this.world;
	}

	/**
	 * Look whether a process is connected as it is to be, if somebody watches that.
	 */
	void look(Jvm jvm, boolean running) {
		if (this.dials != null) {
			this.dials.look(jvm, running);
		}
	}

	/**
	 * Compare what a process believes of signals with where it is subscribed, if somebody
	 * watches that.
	 */
	void look(Jvm jvm, boolean believes, BooleanSupplier subscribed) {
		if (this.dials != null) {
			this.dials.look(jvm, believes, subscribed);
		}
	}

	/**
	 * Let somebody watch how processes connect, or nobody.
	 */
	void watch(@Nullable Dials watching) {
		this.dials = watching;
	}

	boolean batches() {
		return this.batches;
	}

	/**
	 * Let a name lead to a server, for whoever connects from now on.
	 */
	void name(String name, Host host) {
		this.names.put(name, host);
	}

	Pair pair(Jvm jvm, Host host) {
		return this.pairs.computeIfAbsent(jvm, (absent) -> new LinkedHashMap<>())
			.computeIfAbsent(host, (absent) -> new Pair(jvm, host));
	}

	List<Wire> wires() {
		return this.wires;
	}

	/**
	 * Connect from a process.
	 * @param address host and port
	 */
	public CompletableFuture<SimulatedConnection> dial(Jvm jvm, String address) {
		CompletableFuture<SimulatedConnection> result = new CompletableFuture<>();
		int number = this.dialled++;
		if (this.dials != null) {
			this.dials.begun(jvm, address, result);
		}
		this.world.after(dialDelay(jvm), "connect", () -> attempt(jvm, address, number, result));
		return result;
	}

	private void attempt(Jvm jvm, String address, int number, CompletableFuture<SimulatedConnection> result) {
		Host host = this.names.get(address);
		if (!jvm.isAlive() || result.isDone()) {
			return;
		}
		if (host == null || !host.isUp() || pair(jvm, host).refuses) {
			this.world.at(this.world.now() + delay(this.random), "refused", jvm, () -> jvm.arrive(() -> {
				if (this.world.isTracing()) {
					this.world.trace(jvm + " cannot connect to " + address);
				}
				result.completeExceptionally(new RedisConnectionException("Connection refused: " + address));
			}));
			return;
		}
		Pair pair = pair(jvm, host);
		if (pair.upBlocked || pair.downBlocked || host.isFrozen()) {
			// As the first packets are repeated.
			this.world.after(500 * World.MILLI, "connect again", () -> attempt(jvm, address, number, result));
			return;
		}
		this.world.at(this.world.now() + dialDelay(jvm), "connected", jvm, () -> jvm.arrive(() -> {
			if (result.isDone() || !host.isUp()) {
				result.completeExceptionally(new RedisConnectionException("Connection reset: " + address));
				return;
			}
			Wire wire = new Wire(this, pair, address, number);
			this.wires.add(wire);
			this.connectedAt = this.world.now();
			this.opened.add(wire.connection());
			if (this.world.isTracing()) {
				this.world.trace(jvm + " connected to " + host + " as " + wire);
			}
			result.complete(wire.connection());
		}));
	}

	private long dialDelay(Jvm jvm) {
		long delay = delay(this.random);
		slow(jvm, delay);
		return delay;
	}

	/**
	 * Draw a delay: short nearly always.
	 */
	long delay(SplittableRandom from) {
		int kind = from.nextInt(256);
		if (kind == 0) {
			return from.nextLong(10 * World.MILLI, 120 * World.MILLI);
		}
		if (kind < 10) {
			return from.nextLong(2 * World.MILLI, 10 * World.MILLI);
		}
		return from.nextLong(50 * World.MICRO, 2 * World.MILLI);
	}

	/**
	 * Draw a delay on a way that may be slow.
	 */
	long delay(SplittableRandom from, long lag) {
		return delay(from) + ((lag > 0) ? from.nextLong(lag) : 0);
	}

	void slow(Jvm jvm, long delay) {
		if (delay > 10 * World.MILLI) {
			this.slowness.delayed(jvm, delay);
		}
	}

	/**
	 * Note that something does not arrive.
	 * @param left for how long what it was about may stay
	 */
	void unheard(Jvm jvm, long left) {
		this.slowness.delayed(jvm, left);
	}

	/**
	 * Note that a request or an answer does not arrive.
	 */
	void unanswered(Jvm jvm) {
		unheard(jvm, 0);
		this.slowness.unanswered(jvm);
	}

	/**
	 * Reset all connections of a pair.
	 * @param ghosts for how long requests under way may still be executed; negative if
	 * they are gone
	 */
	void cut(Pair pair, long ghosts) {
		for (Wire wire : List.copyOf(this.wires)) {
			if (wire.pair() == pair) {
				wire.cut(ghosts);
			}
		}
	}

	/**
	 * Let one connection of a pair fall silent for good: whoever closes it has to notice.
	 */
	void silence(Pair pair, boolean up, boolean down, SplittableRandom from) {
		List<Wire> found = this.wires.stream().filter((wire) -> wire.pair() == pair).toList();
		if (!found.isEmpty()) {
			found.get(from.nextInt(found.size())).silence(up, down);
		}
	}

	/**
	 * Return since when no connection is silent; {@link Long#MAX_VALUE} if one is, and
	 * was not given up yet.
	 */
	long heardSince() {
		return this.wires.stream().anyMatch(Wire::isSilent) ? Long.MAX_VALUE : this.silentUntil;
	}

	/**
	 * Note that a process is subscribed where it was not.
	 */
	void hears(Jvm jvm) {
		if (this.dials != null) {
			this.dials.hears(jvm);
		}
	}

	/**
	 * Note that a process subscribes, perhaps in place of before.
	 */
	void subscribed() {
		this.connectedAt = this.world.now();
	}

	/**
	 * Return when a process connected, or subscribed, last.
	 */
	long connectedAt() {
		return this.connectedAt;
	}

	/**
	 * Reset all connections of a server, which is no more.
	 */
	void died(Host host) {
		for (Wire wire : List.copyOf(this.wires)) {
			if (wire.pair().host == host) {
				wire.cut(-1);
			}
		}
	}

	/**
	 * Close all connections of a process, which is no more.
	 * @param after how much later servers learn of it
	 */
	void died(Jvm jvm, long after) {
		for (Wire wire : List.copyOf(this.wires)) {
			if (wire.pair().jvm == jvm) {
				wire.abandoned(after);
			}
		}
	}

	/**
	 * Give back the memory of all connections, when the world has come to its end.
	 */
	void close() {
		this.opened.forEach(SimulatedConnection::cut);
	}

	void heal() {
		this.pairs.values().forEach((byHost) -> byHost.values().forEach((pair) -> {
			pair.refuses = false;
			pair.upLag = 0;
			pair.downLag = 0;
			pair.stuckUntil = 0;
			block(pair, false, false);
		}));
	}

	/**
	 * Let nothing pass, in either direction or both, or let all pass again.
	 */
	void block(Pair pair, boolean up, boolean down) {
		pair.upBlocked = up;
		pair.downBlocked = down;
		for (Wire wire : List.copyOf(this.wires)) {
			if (wire.pair() == pair) {
				wire.unblocked();
			}
		}
	}

	/**
	 * Let what passes in one direction be late.
	 * @param longest by how much at most
	 */
	void lag(Pair pair, boolean up, long longest) {
		if (up) {
			pair.upLag = longest;
		}
		else {
			pair.downLag = longest;
		}
	}

	/**
	 * Note a call that is about to be written, and how many commands it leaves out.
	 */
	void writes(long withdrawn) {
		this.reach.withdrawn(withdrawn);
	}

	/**
	 * Note that a process can send commands for locks.
	 */
	void ready(Wire wire) {
		this.connected.accept(wire.pair());
		if (this.dials != null && !wire.isUsed()) {
			this.dials.ready(wire.pair().jvm, wire.address());
		}
	}

	/**
	 * Note that what was sent over a connection before it ended may yet be executed.
	 */
	void lingers(long until) {
		this.lingering = Math.max(this.lingering, until);
	}

	/**
	 * Return up to when that is possible.
	 */
	long lingering() {
		return this.lingering;
	}

	void removed(Wire wire) {
		this.wires.remove(wire);
		if (this.dials != null) {
			this.dials.closed(wire.pair().jvm, wire.address(), wire.isUsed());
		}
		if (wire.isSilent()) {
			this.silentUntil = this.world.now();
		}
	}

	/**
	 * Note that a process is told that a key was taken from an owner id by force.
	 */
	void forced(Pair pair, String key, String ownerId) {
		this.force.told(pair.jvm, key, ownerId, pair.host.toString());
	}

	/**
	 * Note that a call was not executed, or not all of it, as a slot is being moved.
	 */
	void putOff(Wire wire) {
		if (this.dials != null) {
			this.dials.putOff(wire.pair().jvm, wire.address());
		}
	}

	/**
	 * Note that a process is told that a command was not sent for want of a connection.
	 */
	void unsent(Jvm jvm) {
		if (this.dials != null) {
			this.dials.unsent(jvm);
		}
	}

	/**
	 * Note that a process closes a connection whose last calls are not answered.
	 * @param waits for how long it has waited for the first of them, by its own clock
	 * @param steady for how long no command was sent that was sent before
	 */
	void givesUp(Wire wire, long waits, long steady) {
		if (this.dials != null) {
			this.dials.givesUp(wire.pair().jvm, wire.address(), waits, steady);
		}
	}

	/**
	 * Note that a Sentinel tells a process of a primary.
	 */
	void told(Pair pair) {
		if (this.dials != null) {
			this.dials.told(pair.jvm, SimulatedStores.primaryOf(pair.host.host()));
		}
	}

	/**
	 * Who is told what processes hear of releases by force.
	 */
	interface Force {

		void told(Jvm jvm, String key, String ownerId, String server);

	}

	/**
	 * Who is told of a long delay.
	 */
	interface Slowness {

		void delayed(Jvm jvm, long delay);

		/**
		 * A request or an answer did not arrive, which its process has to find out.
		 */
		void unanswered(Jvm jvm);

	}

	/**
	 * A process and a server.
	 */
	static final class Pair {

		final Jvm jvm;

		final Host host;

		boolean upBlocked;

		boolean downBlocked;

		boolean refuses;

		long upLag;

		long downLag;

		long stuckUntil;

		Pair(Jvm jvm, Host host) {
			this.jvm = jvm;
			this.host = host;
		}

	}

}
