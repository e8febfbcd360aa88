// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * A connection to a {@link SmallRedis}. Not thread-safe.
 */
public final class SmallClient implements AutoCloseable {

	private final SmallRedis server;

	private final long id;

	private final Consumer<Reply> pushes;

	private String name = "";

	private boolean asking;

	// whether it speaks version 3 of the protocol
	private boolean pushed;

	private boolean open = true;

	// how far the server was when it executed the last command
	private long written;

	SmallClient(SmallRedis server, long id, Consumer<Reply> pushes) {
		this.server = server;
		this.id = id;
		this.pushes = pushes;
	}

	/**
	 * Execute a command at once.
	 * @param request its name and its arguments
	 * @return the reply; what is pushed meanwhile came before it
	 * @throws IllegalStateException if the connection is closed
	 */
	public Reply execute(List<byte[]> request) {
		List<String> arguments = new ArrayList<>(request.size());
		request.forEach((part) -> arguments.add(new String(part, StandardCharsets.ISO_8859_1)));
		return this.server.execute(this, arguments);
	}

	/**
	 * Execute a command at once.
	 * @param request its name and its arguments, of any characters
	 * @return the reply
	 */
	public Reply execute(String... request) {
		return execute(Arrays.stream(request).map((part) -> part.getBytes(StandardCharsets.UTF_8)).toList());
	}

	/**
	 * Return how many replicas know of all that was written over this connection:
	 * {@code WAIT} answers so, and does not wait.
	 * @return their number
	 */
	public int acknowledgements() {
		return this.server.acknowledgements(this.written);
	}

	/**
	 * Return whether the server is still there at the other end.
	 * @return false once either closed it
	 */
	public boolean isOpen() {
		return this.open;
	}

	/**
	 * Disconnect, which ends all subscriptions.
	 */
	@Override
	public void close() {
		this.open = false;
		this.server.disconnected(this);
	}

	void push(Reply.Array message) {
		this.pushes.accept(this.pushed ? new Reply.Push(message.elements()) : message);
	}

	/**
	 * Return whether messages are told from replies, so that it may send commands while
	 * it is subscribed.
	 */
	boolean isPushed() {
		return this.pushed;
	}

	void setPushed(boolean pushed) {
		this.pushed = pushed;
	}

	long id() {
		return this.id;
	}

	String name() {
		return this.name;
	}

	void setName(String name) {
		this.name = name;
	}

	boolean isAsking() {
		return this.asking;
	}

	void setAsking(boolean asking) {
		this.asking = asking;
	}

	void executed(long offset) {
		this.written = offset;
	}

	void lost() {
		this.open = false;
	}

}
