// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and a Redis and does to their connections what networks do.
 * Thread-safe.
 */
final class FaultProxy implements AutoCloseable {

	private static final Pattern MESSAGE = Pattern
		.compile(">3\r\n\\$7\r\nmessage\r\n\\$\\d+\r\n[^\r]*\r\n\\$\\d+\r\n[^\r]*\r\n");

	private volatile boolean losingMessages;

	private final ServerSocket listener;

	private volatile int target;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable LostReply> next = new AtomicReference<>();

	private final Gate gate = new Gate();

	private volatile boolean refusing;

	private volatile boolean hanging;

	private volatile long delay;

	FaultProxy(int target) {
		this.target = target;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		daemon(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Lead to another Redis from now on, as an address that moved to a new primary.
	 * @param port its port
	 */
	void redirect(int port) {
		this.target = port;
		reset();
	}

	/**
	 * Lead new connections to another Redis from now on, and leave the others where they
	 * are.
	 * @param port its port
	 */
	void lead(int port) {
		this.target = port;
	}

	/**
	 * Return how many connections there are now.
	 * @return connections of clients that are forwarded, or stalled
	 */
	int connections() {
		return this.links.size();
	}

	/**
	 * Let nothing through in either direction; connections stay open.
	 */
	void stall() {
		this.gate.shut();
	}

	/**
	 * Let each reply wait before it is forwarded, with those that come meanwhile.
	 * @param time how long
	 */
	void slow(Duration time) {
		this.delay = time.toNanos();
	}

	/**
	 * Let through what was stalled, without a delay, and accept connections again.
	 */
	void heal() {
		this.delay = 0;
		this.refusing = false;
		this.hanging = false;
		this.gate.open();
	}

	/**
	 * Reset all connections; new ones are welcome.
	 */
	void reset() {
		this.links.forEach(Link::reset);
	}

	/**
	 * Reset all connections and every new one.
	 */
	void cut() {
		this.refusing = true;
		reset();
	}

	/**
	 * Reset all connections, and accept new ones which nothing ever comes back over: not
	 * even later, when others are healed.
	 */
	void hang() {
		this.hanging = true;
		reset();
	}

	/**
	 * Reset every new connection, and leave the others as they are.
	 */
	void refuse() {
		this.refusing = true;
	}

	/**
	 * Let all connections fall silent: what comes over them is forwarded, and nothing
	 * comes back. New ones are fine.
	 */
	void silence() {
		this.links.forEach((link) -> link.losing = new LostReply("", false));
	}

	/**
	 * Forward the next command that contains a text, and lose the reply.
	 * @param command part of the command
	 * @param resetting whether to reset the connection then, or to let it fall silent
	 */
	void loseReplyTo(String command, boolean resetting) {
		this.next.set(new LostReply(command, resetting));
	}

	/**
	 * Forget about {@link #loseReplyTo}, if that command did not come yet.
	 */
	void loseNothing() {
		this.next.set(null);
	}

	/**
	 * Lose the messages that come over channels from now on, and nothing else.
	 * @param losing whether to lose them
	 */
	void loseMessages(boolean losing) {
		this.losingMessages = losing;
	}

	/**
	 * Return whether the command of {@link #loseReplyTo} did come.
	 * @return whether its reply is lost, or will be
	 */
	boolean isReplyLost() {
		return this.next.get() == null;
	}

	@Override
	public void close() {
		this.refusing = true;
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		reset();
		this.gate.open();
	}

	private void accept() {
		try {
			while (true) {
				connect(this.listener.accept());
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	private void connect(Socket client) throws IOException {
		Link link;
		try {
			link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), this.target));
		}
		catch (IOException ex) {
			// the target is down
			client.close();
			return;
		}
		if (this.hanging) {
			link.losing = new LostReply("", false);
		}
		this.links.add(link);
		if (this.refusing) {
			link.reset();
		}
		daemon(() -> link.forward(client, link.server, true));
		daemon(() -> link.forward(link.server, client, false));
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "fault-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private record LostReply(String command, boolean resetting) {
	}

	/**
	 * One connection of a client, forwarded.
	 */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private volatile @Nullable LostReply losing;

		Link(Socket client, Socket server) throws IOException {
			this.client = client;
			this.server = server;
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		void forward(Socket from, Socket to, boolean requests) {
			byte[] buffer = new byte[65536];
			try {
				InputStream in = from.getInputStream();
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					if (!requests) {
						LockSupport.parkNanos(FaultProxy.this.delay);
					}
					FaultProxy.this.gate.pass();
					if (requests) {
						inspect(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
					}
					if (requests) {
						to.getOutputStream().write(buffer, 0, length);
					}
					else if (!swallow()) {
						to.getOutputStream().write(withoutMessages(Arrays.copyOf(buffer, length)));
					}
				}
				reset();
			}
			catch (IOException ex) {
				reset();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		// Before the command is forwarded, so that its reply cannot come first.
		private void inspect(String request) {
			LostReply lost = FaultProxy.this.next.get();
			if (lost != null && request.contains(lost.command()) && FaultProxy.this.next.compareAndSet(lost, null)) {
				this.losing = lost;
			}
		}

		// One comes alone, or beside whole replies: nothing here is large.
		private byte[] withoutMessages(byte[] replies) {
			return FaultProxy.this.losingMessages ? MESSAGE.matcher(new String(replies, StandardCharsets.ISO_8859_1))
				.replaceAll("")
				.getBytes(StandardCharsets.ISO_8859_1) : replies;
		}

		private boolean swallow() {
			LostReply lost = this.losing;
			if (lost != null && lost.resetting()) {
				reset();
			}
			return lost != null;
		}

		void reset() {
			FaultProxy.this.links.remove(this);
			for (Socket socket : new Socket[] { this.client, this.server }) {
				try {
					// RST instead of FIN
					socket.setSoLinger(true, 0);
					socket.close();
				}
				catch (IOException ex) {
					// closed already
				}
			}
		}

	}

}
