// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Client whose connections to the same address share a thread.
 * <p>
 * That thread never waits for a host name of the settings. Where Lettuce leaves names to
 * the JVM, as it does without {@code netty-resolver-dns}, they are resolved by the thread
 * that connects, and names that Sentinels tell by the thread of the connection to the
 * Sentinel.
 */
final class SharedLoopClient extends RedisClient {

	private final Map<String, EventLoop> loops = new ConcurrentHashMap<>();

	private volatile boolean usable = true;

	private final GenericFutureListener<Future<Object>> ended = (loop) -> this.usable = false;

	// in place of the application's threads when all of them have ended
	private @Nullable EventLoopGroupProvider spare;

	SharedLoopClient(ClientResources resources) {
		super(resources, new RedisURI());
	}

	@Override
	protected <K, V, T extends RedisChannelHandler<K, V>> ConnectionFuture<T> initializeChannelAsync(
			ConnectionBuilder builder) {
		Bootstrap bootstrap = builder.bootstrap();
		EventLoop loop = this.loops.compute(Addresses.name(builder.getRedisURI()),
				(address, present) -> (present != null && !present.isShuttingDown()) ? present
						: next(bootstrap.config().group()));
		Bootstrap shared = bootstrap.clone(loop);
		if (getResources().addressResolverGroup() == DefaultAddressResolverGroup.INSTANCE) {
			shared.resolver(NoopAddressResolverGroup.INSTANCE);
			builder.socketAddressSupplier(builder.socketAddress().flatMap(SharedLoopClient::resolve));
		}
		// Lettuce begins to connect, and then to listen for the end of it. On another
		// thread, it misses why a server refuses at once.
		builder.socketAddressSupplier(builder.socketAddress()
			.flatMap((address) -> Mono.create((sink) -> loop.execute(() -> sink.success(address)))));
		builder.bootstrap(shared);
		PushCommandHandler.apply(builder);
		return super.initializeChannelAsync(builder);
	}

	/**
	 * Return whether all threads of connections are there. One that ended by an error is
	 * not replaced, and closes nothing.
	 */
	boolean isUsable() {
		return this.usable;
	}

	private EventLoop next(EventLoopGroup group) {
		EventExecutor next = alive(group);
		EventLoop loop = next.isShuttingDown() ? spare(group).next() : (EventLoop) next;
		loop.terminationFuture().addListener(this.ended);
		return loop;
	}

	private synchronized EventLoopGroup spare(EventLoopGroup group) {
		if (this.spare == null) {
			this.spare = new DefaultEventLoopGroupProvider(1);
		}
		return this.spare.allocate(group.getClass());
	}

	/**
	 * Close a connection, if it is not closed already. The client would close it once
	 * more when it is shut down meanwhile, of which Lettuce warns.
	 * @return completes when it is closed
	 */
	CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		boolean closed = connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		this.closeableResources.remove(connection);
		return closed ? CompletableFuture.completedFuture(null)
				: connection.closeAsync().handle((done, failure) -> true);
	}

	@Override
	public CompletableFuture<Void> shutdownAsync(long quietPeriod, long timeout, TimeUnit unit) {
		return super.shutdownAsync(quietPeriod, timeout, unit).whenComplete((done, failure) -> {
			// Those of the application live on.
			this.loops.values().forEach((loop) -> loop.terminationFuture().removeListener(this.ended));
			synchronized (this) {
				if (this.spare != null) {
					var unused = this.spare.shutdown(quietPeriod, timeout, unit);
				}
			}
		});
	}

	/**
	 * Return the next thread of a group, of those that have not ended.
	 */
	static EventExecutor alive(EventExecutorGroup group) {
		EventExecutor next = group.next();
		for (Iterator<EventExecutor> others = group.iterator(); next.isShuttingDown() && others.hasNext();) {
			next = others.next();
		}
		return next;
	}

	private static Mono<SocketAddress> resolve(SocketAddress address) {
		if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
			return Mono
				.fromCallable(() -> new InetSocketAddress(InetAddress.getByName(inet.getHostString()), inet.getPort()))
				.cast(SocketAddress.class)
				.onErrorMap(UnknownHostException.class,
						(unknown) -> new RedisConnectionException("Unable to connect to " + address, unknown));
		}
		return Mono.just(address);
	}

}
