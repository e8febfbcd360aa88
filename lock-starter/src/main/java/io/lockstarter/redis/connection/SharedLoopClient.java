// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import reactor.core.publisher.Mono;

/**
 * Client whose connections to the same address share a thread: the one that receives a
 * message also sends the command that follows from it, and need not wake another one.
 * <p>
 * That thread never waits for a host name of the settings. Where Lettuce leaves names to
 * the JVM, as it does without {@code netty-resolver-dns}, they are resolved by the thread
 * that connects, and names that Sentinels tell by the thread of the connection to the
 * Sentinel.
 */
final class SharedLoopClient extends RedisClient {

	private final Map<String, EventLoop> loops = new ConcurrentHashMap<>();

	SharedLoopClient(ClientResources resources) {
		super(resources, new RedisURI());
	}

	@Override
	protected <K, V, T extends RedisChannelHandler<K, V>> ConnectionFuture<T> initializeChannelAsync(
			ConnectionBuilder builder) {
		Bootstrap bootstrap = builder.bootstrap();
		EventLoop loop = this.loops.computeIfAbsent(Addresses.name(builder.getRedisURI()),
				(address) -> bootstrap.config().group().next());
		Bootstrap shared = bootstrap.clone(loop);
		if (getResources().addressResolverGroup() == DefaultAddressResolverGroup.INSTANCE) {
			shared.resolver(NoopAddressResolverGroup.INSTANCE);
			builder.socketAddressSupplier(builder.socketAddress().flatMap(SharedLoopClient::resolve));
		}
		builder.bootstrap(shared);
		return super.initializeChannelAsync(builder);
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
