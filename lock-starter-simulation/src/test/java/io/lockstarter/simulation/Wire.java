// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;

import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.simulation.redis.SmallClient;

/**
 * A connection of a process to a server: two streams, each in order.
 */
final class Wire implements SimulatedConnection.Peer {

	private static final long SOON = World.MILLI;

	private static final long LATE_WRITE = 4 * World.MILLI;

	// what a message begins with
	private static final char PUSH = '>';

	// the line of a message that has its channel
	private static final int CHANNEL = 4;

	// the line of a message that has its text
	private static final int PAYLOAD = 6;

	private final Net net;

	private final World world;

	private final Net.Pair pair;

	private final String address;

	private final int number;

	private final SplittableRandom random;

	private final SimulatedConnection connection;

	private final SmallClient session;

	private final Queue<List<byte[]>> heldUp = new ArrayDeque<>();

	private final Queue<Answer> heldDown = new ArrayDeque<>();

	private final Queue<List<byte[]>> behindWait = new ArrayDeque<>();

	// when each call of a script was written that is not answered yet
	private final Queue<Long> calls = new ArrayDeque<>();

	// since when no command is sent that was sent before, by the clock of its process
	private long steadySince;

	// to which its process asked to be subscribed here
	private final Set<String> channels = new HashSet<>();

	// whether the server waits for replicas
	private boolean waits;

	private long lastUp;

	private long lastDown;

	private boolean writing;

	private boolean silentUp;

	private boolean silentDown;

	private boolean unheard;

	private boolean ready;

	private boolean used;

	// whether the next reply is that to a call
	private boolean evaluated;

	private boolean clientGone;

	private boolean serverGone;

	private long ghostsAt = -1;

	Wire(Net net, Net.Pair pair, String address, int number) {
		this.net = net;
		this.world = net.world();
		this.pair = pair;
		this.address = address;
		this.number = number;
		this.random = this.world.stream(4, number);
		this.connection = SimulatedConnection.open(this);
		this.session = pair.host.connect(this::answered);
		// The handshake is over.
		this.session.execute("HELLO", "3");
		if (net.batches()) {
			this.connection.holdWrites();
		}
	}

	Net.Pair pair() {
		return this.pair;
	}

	/**
	 * Return where its process connected to.
	 */
	String address() {
		return this.address;
	}

	SimulatedConnection connection() {
		return this.connection;
	}

	// Up

	/**
	 * The thread of the connection gets to it in a moment.
	 */
	@Override
	public void held(SimulatedConnection from) {
		if (!this.writing) {
			this.writing = true;
			writeAfter(this.random.nextLong((this.random.nextInt(4) == 0) ? LATE_WRITE : SOON));
		}
	}

	private void writeAfter(long delay) {
		this.world.at(Math.max(this.world.now() + delay, this.pair.stuckUntil), "write", this.pair.jvm,
				() -> this.pair.jvm.arrive(this::write));
	}

	private void write() {
		if (this.world.now() < this.pair.stuckUntil) {
			writeAfter(0);
			return;
		}
		this.writing = false;
		this.net.writes(this.connection.withdrawn());
		this.connection.write();
	}

	@Override
	public void received(SimulatedConnection from, List<byte[]> request) {
		if (request.get(0)[0] == 'E') {
			this.calls.add(this.pair.jvm.nanoTime());
		}
		long delay = this.net.delay(this.random, this.pair.upLag);
		this.net.slow(this.pair.jvm, delay);
		this.lastUp = Math.max(this.lastUp + 1, this.world.now() + delay);
		this.world.at(this.lastUp, "request", null, () -> arrived(request));
	}

	private void arrived(List<byte[]> request) {
		if (this.silentUp) {
			unheard();
		}
		if (this.serverGone || this.silentUp) {
			return;
		}
		if (this.ghostsAt >= 0 && this.world.now() < this.ghostsAt) {
			this.ghostsAt++;
			this.world.at(this.ghostsAt, "ghost", null, () -> execute(request));
		}
		else if (this.ghostsAt < 0 && (this.pair.upBlocked || !this.heldUp.isEmpty())) {
			this.heldUp.add(request);
		}
		else {
			execute(request);
		}
	}

	private void execute(List<byte[]> request) {
		if (this.waits) {
			this.behindWait.add(request);
		}
		else if (word(request, 0).equals("WAIT")) {
			this.waits = true;
			waitForReplicas(request, this.world.now() + Long.parseLong(word(request, 2)) * World.MILLI);
		}
		else {
			this.pair.host.execute(this.session, request, this);
		}
	}

	/**
	 * Execute nothing more until enough replicas know what was done over this connection,
	 * or the time for that is over.
	 */
	private void waitForReplicas(List<byte[]> request, long until) {
		if (this.serverGone) {
			return;
		}
		boolean enough = this.session.acknowledgements() >= Integer.parseInt(word(request, 1));
		if (!enough && !this.pair.host.redis().isReplica() && this.world.now() < until) {
			this.world.after(World.MILLI, "wait", () -> waitForReplicas(request, until));
			return;
		}
		this.pair.host.execute(this.session, request, this);
		this.waits = false;
		while (!this.waits && !this.behindWait.isEmpty()) {
			execute(this.behindWait.remove());
		}
	}

	private static String word(List<byte[]> request, int index) {
		return new String(request.get(index), StandardCharsets.US_ASCII);
	}

	// Down

	/**
	 * Bytes leave the server: a reply or a message.
	 */
	void answered(byte[] bytes) {
		Answer answer = new Answer(bytes, this.evaluated && bytes[0] != PUSH);
		this.evaluated &= bytes[0] == PUSH;
		if (this.clientGone || this.serverGone) {
			if (bytes[0] == PUSH && !this.serverGone) {
				// A grant that the server tells a process which has given up listening
				// here.
				this.net.unheard(this.pair.jvm, StateChecks.GRANT_TERM);
			}
			return;
		}
		this.world.note(Arrays.hashCode(bytes));
		long delay = this.net.delay(this.random, this.pair.downLag);
		this.net.slow(this.pair.jvm, delay);
		this.lastDown = Math.max(this.lastDown + 1, this.world.now() + delay);
		this.world.at(this.lastDown, "reply", this.pair.jvm, () -> received(answer));
	}

	private void received(Answer answer) {
		if (this.silentDown) {
			unheard();
		}
		if (this.clientGone || this.silentDown) {
			return;
		}
		if (this.pair.downBlocked || !this.heldDown.isEmpty()) {
			this.heldDown.add(answer);
		}
		else {
			receive(answer);
		}
	}

	private void receive(Answer answer) {
		byte[] bytes = answer.bytes;
		if (this.ready) {
			this.ready = false;
			if (!this.used) {
				this.steadySince = this.pair.jvm.nanoTime();
			}
			this.net.ready(this);
			this.used = true;
		}
		this.pair.jvm.arrive(() -> {
			if (answer.ofCall) {
				this.calls.poll();
			}
			if (bytes[0] == PUSH) {
				hear(new String(bytes, StandardCharsets.UTF_8).split("\r\n", -1));
			}
			this.connection.receive(bytes);
		});
	}

	/**
	 * Look for the news of a release by force: "f", the owner id, and the key; and for
	 * that of a primary.
	 */
	private void hear(String[] lines) {
		if (lines.length > PAYLOAD && lines[2].equals("message") && lines[CHANNEL].equals("+switch-master")) {
			this.net.told(this.pair);
		}
		if (lines.length > PAYLOAD && lines[2].equals("message") && lines[PAYLOAD].startsWith("f")) {
			String[] words = lines[PAYLOAD].substring(1).split(" ", 2);
			this.net.forced(this.pair, words[1], words[0]);
		}
	}

	/**
	 * Note that the first script was executed, whose reply ends what connecting takes.
	 */
	void evaluated() {
		this.ready = true;
		this.evaluated = true;
	}

	/**
	 * Note that a call was refused, or put off: its commands may be sent again.
	 */
	void refused() {
		this.steadySince = this.pair.jvm.nanoTime();
	}

	/**
	 * Note that its process is subscribed here.
	 */
	void subscribed(String channel) {
		this.channels.add(channel);
		this.net.hears(this.pair.jvm);
	}

	/**
	 * Return whether its process may take itself for subscribed here.
	 */
	boolean isSubscribed(String channel) {
		return this.channels.contains(channel);
	}

	/**
	 * Return whether its process has got ready to send commands over it.
	 */
	boolean isUsed() {
		return this.used;
	}

	void unblocked() {
		while (!this.pair.upBlocked && !this.heldUp.isEmpty()) {
			List<byte[]> request = this.heldUp.remove();
			execute(request);
		}
		while (!this.pair.downBlocked && !this.heldDown.isEmpty()) {
			receive(this.heldDown.remove());
		}
	}

	/**
	 * Deliver nothing more in a direction. What comes later in a stream would wait for
	 * what is missing, so no later bytes arrive either.
	 */
	void silence(boolean up, boolean down) {
		if (up) {
			this.silentUp = true;
			this.heldUp.clear();
		}
		if (down) {
			this.silentDown = true;
			this.heldDown.clear();
		}
		if (this.world.isTracing()) {
			this.world.trace("%s falls silent%s%s".formatted(this, up ? " upwards" : "", down ? " downwards" : ""));
		}
	}

	boolean isSilent() {
		return this.silentUp || this.silentDown;
	}

	/**
	 * Note that something does not arrive, which its process has to notice the first
	 * time: perhaps long after the connection fell silent.
	 */
	private void unheard() {
		if (!this.unheard && !this.clientGone) {
			this.unheard = true;
			this.net.unanswered(this.pair.jvm);
		}
	}

	/**
	 * Return whether its process has given it up.
	 */
	boolean isGivenUp() {
		return this.clientGone;
	}

	// The end

	/**
	 * Reset.
	 * @param ghosts for how long requests under way may still be executed; negative if
	 * they are gone
	 */
	void cut(long ghosts) {
		if (this.clientGone) {
			return;
		}
		this.clientGone = true;
		this.net.removed(this);
		this.heldDown.clear();
		if (ghosts < 0) {
			serverEnds();
		}
		else {
			linger(ghosts);
		}
		this.world.at(this.world.now() + this.net.delay(this.random), "reset", this.pair.jvm,
				() -> this.pair.jvm.arrive(this.connection::cut));
	}

	/**
	 * The process is gone.
	 */
	void abandoned(long after) {
		if (!this.clientGone) {
			this.clientGone = true;
			this.net.removed(this);
			linger(after);
		}
	}

	/**
	 * What is under way is executed in the end, all at once.
	 */
	private void linger(long duration) {
		long until = Math.max(this.world.now() + duration, this.lastUp);
		this.ghostsAt = until;
		this.net.lingers(until);
		while (!this.heldUp.isEmpty()) {
			List<byte[]> request = this.heldUp.remove();
			this.ghostsAt++;
			this.world.at(this.ghostsAt, "ghost", null, () -> execute(request));
		}
		this.world.at(until + World.MILLI, "session ends", null, this::serverEnds);
	}

	/**
	 * The client closed it: the server executes what was sent before.
	 */
	@Override
	public void closed(SimulatedConnection from) {
		if (!this.clientGone) {
			this.clientGone = true;
			if (!this.calls.isEmpty()) {
				long time = this.pair.jvm.nanoTime();
				this.net.givesUp(this, time - this.calls.element(), this.used ? time - this.steadySince : 0);
			}
			this.net.removed(this);
			boolean blocked = this.pair.upBlocked || this.silentUp || this.pair.host.isFrozen();
			linger(blocked ? this.random.nextLong(3 * World.SECOND) : 0);
		}
	}

	private void serverEnds() {
		if (!this.serverGone) {
			this.serverGone = true;
			this.heldUp.clear();
			this.pair.host.close(this.session);
		}
	}

	boolean isServerGone() {
		return this.serverGone;
	}

	@Override
	public String toString() {
		return "c" + this.number;
	}

	/**
	 * What a server says.
	 */
	private static final class Answer {

		private final byte[] bytes;

		// whether it is the reply to a call of a script
		private final boolean ofCall;

		Answer(byte[] bytes, boolean ofCall) {
			this.bytes = bytes;
			this.ofCall = ofCall;
		}

	}

}
