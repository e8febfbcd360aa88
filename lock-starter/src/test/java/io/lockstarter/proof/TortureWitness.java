// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.testkit.HoldEvent;
import io.lockstarter.testkit.HoldHistory;
import org.jspecify.annotations.Nullable;

/**
 * Hears what the JVMs of a {@link TortureRun} are told of their locks. Thread-safe.
 */
final class TortureWitness implements AutoCloseable {

	static final String RECOVERY = "from a kill to the next holder";

	private static final String TOLD = "from the loss of a single key to its signal";

	private static final String MARGIN = "from the signal of a loss to the server's expiry";

	private static final String AFTER_PAUSE = "losses told after a pause";

	private final HoldHistory history;

	private final TortureReport report;

	private final Set<String> keys;

	private final List<Ear> ears = new ArrayList<>();

	private final AtomicLong grants = new AtomicLong();

	private final Map<String, Long> accepted = new HashMap<>();

	/** By owner id, with its key. */
	private final Map<String, Untold> untold = new HashMap<>();

	/** When a holder of a key was killed, until the next one came. */
	private final Map<String, Long> killedAt = new HashMap<>();

	TortureWitness(HoldHistory history, TortureReport report, int jvms, TortureKeys keys) {
		this.history = history;
		this.report = report;
		this.keys = Set.copyOf(keys.all());
		for (int i = 0; i < jvms; i++) {
			this.ears.add(new Ear());
		}
	}

	/**
	 * Return the port to which a JVM tells.
	 */
	int port(int number) {
		return this.ears.get(number).listener.getLocalPort();
	}

	/**
	 * A JVM is stopped between two instants: what it tells meanwhile is late.
	 */
	void stopped(int number, long from, long to) {
		Ear ear = this.ears.get(number);
		ear.stoppedTo = to;
		ear.stoppedFrom = from;
	}

	void resumed(int number, long to) {
		this.ears.get(number).stoppedTo = to;
	}

	/**
	 * Wait until some JVM holds a key.
	 * @param patience how long to wait
	 * @param otherwise what to return if none does
	 * @return the number of the JVM
	 */
	int awaitHolder(String key, Duration patience, int otherwise) {
		for (long begin = System.nanoTime(); System.nanoTime() - begin < patience.toNanos();) {
			synchronized (this) {
				long now = System.nanoTime();
				for (int i = 0; i < this.ears.size(); i++) {
					if (this.ears.get(i).open.values()
						.stream()
						.anyMatch((lease) -> lease.key.equals(key) && lease.until > now)) {
						return i;
					}
				}
			}
			LockSupport.parkNanos(200_000);
		}
		return otherwise;
	}

	/**
	 * A JVM was killed. Returns when all is heard that it told.
	 * @param before the instant before
	 */
	void killed(int number, long before) {
		Ear ear = this.ears.get(number);
		ear.awaitEnd();
		synchronized (this) {
			ear.open.values().forEach((lease) -> {
				if (lease.until > before) {
					this.killedAt.put(lease.key, before);
				}
				this.history.add(HoldEvent.ended(lease.key, lease.id, System.nanoTime(), lease.token));
			});
			ear.open.clear();
			this.untold.values().removeIf((untold) -> untold.ear == ear);
			ear.listen();
		}
	}

	/**
	 * The store lost a key. Whoever holds it then has to be told, whatever became of it.
	 * @param ownerIds who had it there
	 * @param since the instant before
	 */
	synchronized void vanished(String key, Collection<String> ownerIds, long since) {
		for (Ear ear : this.ears) {
			ear.open.values()
				.stream()
				.filter((lease) -> lease.key.equals(key) && ownerIds.contains(lease.ownerId)
						&& !ear.told.contains(lease.owner()))
				.forEach((lease) -> this.untold.put(lease.owner(), new Untold(since, ear)));
		}
	}

	/**
	 * Wait until all losses are told that have to be.
	 */
	void awaitTold(Duration patience) {
		for (long begin = System.nanoTime(); System.nanoTime() - begin < patience.toNanos() && isUntold();) {
			LockSupport.parkNanos(1_000_000);
		}
		synchronized (this) {
			this.untold.keySet().forEach((owner) -> this.report.fail("nobody was told that it was lost: " + owner));
			this.untold.clear();
		}
	}

	private synchronized boolean isUntold() {
		return !this.untold.isEmpty();
	}

	/**
	 * Returns when all JVMs have ended and all is heard that they told.
	 */
	void awaitEnd() {
		this.ears.forEach(Ear::awaitEnd);
	}

	/**
	 * Return how many leases were heard of so far.
	 */
	long grants() {
		return this.grants.get();
	}

	/**
	 * Return how many writes were accepted, by key.
	 */
	synchronized Map<String, Long> acceptedWrites() {
		return Map.copyOf(this.accepted);
	}

	@Override
	public void close() {
		for (Ear ear : this.ears) {
			try {
				ear.listener.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	private synchronized void hear(Ear ear, String[] event) {
		switch (event[0]) {
			case "G" -> granted(ear, lease(event), Long.parseLong(event[4]), Long.parseLong(event[7]));
			case "C" -> wentOnSharing(ear, lease(event), Long.parseLong(event[4]));
			case "H" -> {
				Lease lease = lease(event);
				ear.open.put(lease.name(), lease);
				long at = Long.parseLong(event[4]);
				this.history.add(HoldEvent.extended(lease.key, lease.id, at, lease.until, lease.token));
				this.history.add(HoldEvent.toldHeld(lease.key, lease.id, at, lease.token));
			}
			case "L" -> this.history
				.add(HoldEvent.toldLost(event[1], event[3], Long.parseLong(event[4]), Long.parseLong(event[2])));
			case "D" -> {
				long at = Long.parseLong(event[4]);
				ended(ear.open.remove(String.join(" ", event[1], event[2], event[3])), at);
				this.history.add(HoldEvent.ended(event[1], event[3], at, Long.parseLong(event[2])));
			}
			case "T" -> told(ear, event[1] + " " + event[2], Long.parseLong(event[3]));
			case "S" -> lost(ear, event[1], Long.parseLong(event[2]), Long.parseLong(event[3]));
			case "W" -> this.accepted.merge(event[1], 1L, Long::sum);
			case "R" -> this.report.count("fences refused");
			case "N" -> this.report.count("leases lost before anybody looked");
			case "B" -> this.report.count("attempts that found the key busy");
			case "U" -> this.report.count("attempts that the store failed");
			default -> this.report.fail("a JVM told " + String.join(" ", event));
		}
	}

	private static Lease lease(String[] event) {
		return new Lease(event[1], Long.parseLong(event[2]), event[3], Long.parseLong(event[5]), event[6]);
	}

	private void granted(Ear ear, Lease lease, long at, long since) {
		this.grants.incrementAndGet();
		this.report.require(this.keys.contains(lease.key), "a lease of " + lease.key + ", which there is not");
		if (TortureKeys.isSlot(lease.key)) {
			this.report.count("sections with a permit");
		}
		if (lease.id.equals(TortureApplication.EXCLUSIVE)) {
			this.history.add(HoldEvent.granted(lease.key, lease.id, at, lease.until, lease.token));
		}
		else {
			this.history.add(HoldEvent.shared(lease.key, lease.id, at, lease.until, lease.token));
			this.report.count("sections that shared a key");
		}
		ear.open.put(lease.name(), lease);
		Long killed = this.killedAt.remove(lease.key);
		// Who was not waiting yet could not have come earlier.
		if (killed != null && since < killed && at > killed) {
			this.report.time(RECOVERY, at - killed);
		}
	}

	private void wentOnSharing(Ear ear, Lease lease, long at) {
		this.history.add(HoldEvent.downgraded(lease.key, lease.id, at, lease.until, lease.token));
		this.report.count("sections that were downgraded");
		ear.open.put(lease.name(), lease);
	}

	private void lost(Ear ear, String cause, long at, long margin) {
		this.report.count("losses reported: " + cause);
		if (cause.equals("EXPIRED")) {
			boolean paused = at >= ear.stoppedFrom && at < ear.stoppedTo;
			if (paused) {
				this.report.count(AFTER_PAUSE);
			}
			else {
				this.report.time(MARGIN, margin);
			}
		}
	}

	/**
	 * Whoever has ended before the store lost the key need not be told.
	 */
	private void ended(@Nullable Lease lease, long at) {
		if (lease != null) {
			Untold untold = this.untold.get(lease.owner());
			if (untold != null && at < untold.since) {
				this.untold.remove(lease.owner());
			}
		}
	}

	private void told(Ear ear, String owner, long at) {
		ear.told.add(owner);
		Untold untold = this.untold.remove(owner);
		if (untold != null) {
			this.report.time(TOLD, Math.max(0, at - untold.since));
		}
	}

	/**
	 * A loss of which nobody has heard yet.
	 *
	 * @param since when the store lost the key
	 * @param ear who is to tell
	 */
	private record Untold(long since, Ear ear) {

	}

	private record Lease(String key, long token, String id, long until, String ownerId) {

		/**
		 * Return what the store knows: one lease after the other may stand for it.
		 */
		String owner() {
			return this.key + " " + this.ownerId;
		}

		String name() {
			return this.key + " " + this.token + " " + this.id;
		}

	}

	/**
	 * Listens to one JVM after the other.
	 */
	private final class Ear {

		private final ServerSocket listener;

		/** Leases that have not ended, by name. */
		private final Map<String, Lease> open = new HashMap<>();

		/** Owner ids, with their keys, of which a loss was told. */
		private final Set<String> told = new HashSet<>();

		private CompletableFuture<Void> end = new CompletableFuture<>();

		private volatile long stoppedFrom;

		private volatile long stoppedTo;

		Ear() {
			try {
				this.listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			listen();
		}

		void listen() {
			this.end = new CompletableFuture<>();
			CompletableFuture<Void> ended = this.end;
			Thread thread = new Thread(() -> {
				hearAll();
				ended.complete(null);
			}, "witness");
			thread.setDaemon(true);
			thread.start();
		}

		void awaitEnd() {
			this.end.orTimeout(60, TimeUnit.SECONDS).join();
		}

		private void hearAll() {
			try (Socket socket = this.listener.accept();
					BufferedReader reader = new BufferedReader(
							new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
				for (String line = reader.readLine(); line != null; line = reader.readLine()) {
					if (line.endsWith(TortureApplication.END)) {
						hear(this, line.substring(0, line.length() - TortureApplication.END.length()).split(" ", -1));
					}
				}
			}
			catch (IOException ex) {
				// Killed, with something unread, or closed.
			}
		}

	}

}
