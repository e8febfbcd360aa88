// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and a Redis server, and loses what a test wants lost.
 * Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

	private final RedisServer target;

	private final ServerSocket listener;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private volatile boolean swallowing;

	/**
	 * Start a proxy.
	 * @param target where to forward to
	 */
	public TcpProxy(RedisServer target) {
		this.target = target;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	public String host() {
		return this.listener.getInetAddress().getHostAddress();
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Forward commands, but swallow replies from now on; or no longer. A connection that
	 * lost a reply is good for nothing but to be reset or disconnected.
	 * @param swallow whether to swallow replies
	 */
	public void swallowReplies(boolean swallow) {
		this.swallowing = swallow;
	}

	/**
	 * Reset all connections (RST), as a crash does. New ones are welcome.
	 */
	public void reset() {
		// All first: a pump that sees one end closed closes the other.
		this.sockets.forEach(TcpProxy::endWithReset);
		disconnect();
	}

	/**
	 * End all connections in an orderly manner (FIN), as a shutdown does. New ones are
	 * welcome.
	 */
	public void disconnect() {
		this.sockets.forEach(TcpProxy::end);
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		reset();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				connect(this.listener.accept());
			}
			catch (IOException ex) {
				// Closed. Nobody else has the listener.
			}
		}
	}

	private void connect(Socket client) {
		try {
			Socket server = new Socket(InetAddress.getByName(this.target.host()), this.target.port());
			this.sockets.addAll(List.of(client, server));
			start(() -> pump(client, server, false));
			start(() -> pump(server, client, true));
		}
		catch (IOException ex) {
			// The server is down.
			end(client);
		}
	}

	private void pump(Socket from, Socket to, boolean replies) {
		byte[] buffer = new byte[8192];
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			int count;
			while ((count = in.read(buffer)) >= 0) {
				if (!(replies && this.swallowing)) {
					out.write(buffer, 0, count);
				}
			}
		}
		catch (IOException ex) {
			// One end is gone, and so is the other.
		}
		this.sockets.remove(from);
		end(from);
		end(to);
	}

	private static void endWithReset(Socket socket) {
		try {
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// Closed already.
		}
	}

	private static void end(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// Closed already.
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "tcp-proxy");
		thread.setDaemon(true);
		thread.start();
	}

}
