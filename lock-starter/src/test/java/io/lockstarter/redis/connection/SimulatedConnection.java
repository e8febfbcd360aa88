// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.CommandEncoder;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;
import io.lettuce.core.resource.ClientResources;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.HashedWheelTimer;

import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;

import static io.lockstarter.testkit.PrivateFields.field;
import static io.lockstarter.testkit.PrivateFields.read;

/**
 * Connection of Lettuce without a socket and without a thread. It is Lettuce's own, with
 * its encoder, its queue of unanswered commands and its decoder, on a channel of Netty
 * that is nothing but memory. Whoever opened it is the server: requests come to its
 * {@link Peer}, and it sends back what it wants, when it wants. Everything happens on the
 * calling thread, within the call. For one thread at a time.
 * <p>
 * A command is written when it is dispatched, as on the thread of a connection. After
 * {@link #holdWrites()} commands wait until {@link #write()}, as those of other threads
 * do until the thread of the connection gets to them: what is dispatched meanwhile may
 * share a call of the script.
 */
public final class SimulatedConnection {

	// None of its threads is ever started.
	private static final ClientResources RESOURCES = ClientResources.builder()
		.timer(new HashedWheelTimer())
		.commandLatencyRecorder(CommandLatencyRecorder.disabled())
		.build();

	// as those of the client
	private static final ClientOptions OPTIONS = ClientOptions.builder()
		.autoReconnect(false)
		.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
		.timeoutOptions(TimeoutOptions.create())
		.build();

	private static final Field LINK = field(CommandBatch.class, "link");

	private static final Field BACKLOG = field(Link.class, "backlog");

	private static final Field QUEUE = field(Backlog.class, "queue");

	private static final Duration NO_LIMIT = Duration.ZERO;

	private final Peer peer;

	private final StatefulRedisPubSubConnection<String, String> connection;

	private final EmbeddedChannel channel;

	private final Gate gate = new Gate();

	private final Resp.Decoder decoder = new Resp.Decoder();

	private SimulatedConnection(Peer peer) {
		PubSubEndpoint<String, String> endpoint = new PubSubEndpoint<>(OPTIONS, RESOURCES);
		Shown shown = new Shown(endpoint);
		this.peer = peer;
		this.connection = shown;
		// in the order of Lettuce's ConnectionBuilder
		ChannelHandler[] handlers = { new Wire(), new CommandEncoder(),
				new PubSubCommandHandler<>(OPTIONS, RESOURCES, StringCodec.UTF8, endpoint), this.gate,
				new ChannelInboundHandlerAdapter() {

					@Override
					public void channelInactive(ChannelHandlerContext context) {
						shown.disconnected();
						SimulatedConnection.this.peer.closed(SimulatedConnection.this);
						// What was not written by then fails.
						write();
					}

				} };
		this.channel = new EmbeddedChannel(handlers);
	}

	/**
	 * Open a connection for commands and messages.
	 */
	public static SimulatedConnection open(Peer peer) {
		return new SimulatedConnection(peer);
	}

	/**
	 * Return what Lettuce shows of the connection.
	 */
	public StatefulRedisPubSubConnection<String, String> connection() {
		return this.connection;
	}

	/**
	 * Return whether neither end has closed it.
	 */
	public boolean isOpen() {
		return this.channel.isOpen();
	}

	/**
	 * Receive bytes from the server: one reply or several, or a part of one. Does nothing
	 * after the end.
	 * @param bytes such as {@link Resp#encode} makes
	 */
	public void receive(byte[] bytes) {
		if (isOpen()) {
			this.channel.writeInbound(Unpooled.wrappedBuffer(bytes));
		}
	}

	/**
	 * Receive the reply to the first command that is unanswered.
	 * @param reply a number, a text, a list of such, or what the server calls a reply
	 */
	public void reply(Object reply) {
		receive(Resp.encode(asReply(reply)));
	}

	/**
	 * Receive what the server was not asked for, such as a message, or what answers a
	 * subscription.
	 * @param parts each a number or a text
	 */
	public void push(List<?> parts) {
		receive(Resp.encode(new Reply.Push(parts.stream().map(SimulatedConnection::asReply).toList())));
	}

	private static Reply asReply(Object reply) {
		if (reply instanceof Reply already) {
			return already;
		}
		if (reply instanceof List<?> list) {
			return new Reply.Array(list.stream().map(SimulatedConnection::asReply).toList());
		}
		if (reply instanceof Number number) {
			return Reply.of(number.longValue());
		}
		return Reply.of(reply.toString());
	}

	/**
	 * End the connection, as if the server, or the network, had closed it: commands that
	 * are unanswered fail, then listeners are told. Does nothing after the end.
	 */
	public void cut() {
		if (isOpen()) {
			var unused = this.channel.close();
		}
	}

	/**
	 * Let something fail between the socket and Lettuce, such as a decoder: it fails the
	 * first command that is unanswered, and leaves the connection open.
	 */
	public void fail(Throwable failure) {
		this.channel.pipeline().fireExceptionCaught(failure);
	}

	/**
	 * Let commands wait from now on until {@link #write()}.
	 */
	public void holdWrites() {
		this.gate.holds = true;
	}

	/**
	 * Return whether commands wait to be written.
	 */
	public boolean hasHeldWrites() {
		return !this.gate.held.isEmpty();
	}

	/**
	 * Return how many commands are over that the next call would have, if it has others.
	 */
	public long withdrawn() {
		Held next = this.gate.held.peek();
		if (next == null || !(next.message() instanceof CommandBatch batch)) {
			return 0;
		}
		Queue<?> queue = (Queue<?>) read(QUEUE, read(BACKLOG, read(LINK, batch)));
		long over = queue.stream().filter((command) -> ((ScriptCommand<?>) command).isDone()).count();
		return (over < queue.size()) ? over : 0;
	}

	/**
	 * Write the commands that wait, up to now.
	 */
	public void write() {
		this.gate.release();
	}

	/**
	 * The other end of a connection.
	 */
	public interface Peer {

		/**
		 * A request came. May answer at once, or later.
		 * @param request its words
		 */
		void received(SimulatedConnection connection, List<byte[]> request);

		/**
		 * The connection is over, whoever ended it.
		 */
		default void closed(SimulatedConnection connection) {
		}

		/**
		 * A command waits to be written, see {@link #holdWrites()}.
		 */
		default void held(SimulatedConnection connection) {
		}

	}

	/**
	 * Takes what would go to the socket.
	 */
	private final class Wire extends ChannelOutboundHandlerAdapter {

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			if (!isOpen() || !(message instanceof ByteBuf written)) {
				// It fails.
				var unused = context.write(message, promise);
				return;
			}
			SimulatedConnection self = SimulatedConnection.this;
			byte[] bytes = new byte[written.readableBytes()];
			written.readBytes(bytes);
			written.release();
			promise.setSuccess();
			self.decoder.decode(bytes).forEach((request) -> self.peer.received(self, request));
		}

	}

	/**
	 * Holds commands back, in front of Lettuce's encoder.
	 */
	private final class Gate extends ChannelOutboundHandlerAdapter {

		private final Queue<Held> held = new ArrayDeque<>();

		private boolean holds;

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			if (this.holds) {
				this.held.add(new Held(message, () -> writeNow(context, message, promise)));
				SimulatedConnection.this.peer.held(SimulatedConnection.this);
			}
			else {
				var unused = context.write(message, promise);
			}
		}

		private static void writeNow(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			var unused = context.writeAndFlush(message, promise);
		}

		void release() {
			for (int left = this.held.size(); left > 0; left--) {
				this.held.remove().write().run();
			}
		}

	}

	private record Held(Object message, Runnable write) {
	}

	/**
	 * What Lettuce shows, but that it tells listeners where nobody else can.
	 */
	private static final class Shown extends StatefulRedisPubSubConnectionImpl<String, String> {

		private final List<RedisConnectionStateListener> listeners = new CopyOnWriteArrayList<>();

		Shown(PubSubEndpoint<String, String> endpoint) {
			super(endpoint, endpoint, StringCodec.UTF8, NO_LIMIT);
			setOptions(OPTIONS);
		}

		@Override
		public void addListener(RedisConnectionStateListener listener) {
			this.listeners.add(listener);
		}

		@Override
		public void removeListener(RedisConnectionStateListener listener) {
			this.listeners.remove(listener);
		}

		void disconnected() {
			this.listeners.forEach((listener) -> listener.onRedisDisconnected(this));
		}

	}

}
