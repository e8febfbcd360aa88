// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * A primary and its replicas, of which nobody says which is the primary: the servers are
 * asked one after the other whenever somebody has to connect, beginning with the one that
 * was the primary the last time. Thread-safe.
 */
final class StaticNodes {

	private final List<RedisURI> nodes;

	private final Function<RedisURI, CompletableFuture<SharedConnection>> connect;

	private @Nullable CompletableFuture<RedisURI> asking;

	private int primary;

	/**
	 * Create nodes, without connecting.
	 * @param connect connects to a node, for as long as it takes to ask
	 */
	StaticNodes(List<RedisURI> nodes, Function<RedisURI, CompletableFuture<SharedConnection>> connect) {
		this.nodes = nodes;
		this.connect = connect;
	}

	/**
	 * Return the addresses that a connection factory has in its static configuration;
	 * empty if it has another one. Spring Data does not tell, and makes them out of a
	 * dozen settings, some of them about security.
	 */
	static List<RedisURI> of(LettuceConnectionFactory factory) {
		Field field = configuration();
		Method method = address();
		if (field == null || method == null) {
			return List.of();
		}
		ReflectionUtils.makeAccessible(field);
		ReflectionUtils.makeAccessible(method);
		if (!(ReflectionUtils.getField(field, factory) instanceof RedisStaticMasterReplicaConfiguration nodes)) {
			return List.of();
		}
		return nodes.getNodes()
			.stream()
			.map((node) -> (RedisURI) Objects
				.requireNonNull(ReflectionUtils.invokeMethod(method, factory, node.getHostName(), node.getPort())))
			.toList();
	}

	static @Nullable Field configuration() {
		return ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration");
	}

	static @Nullable Method address() {
		return ReflectionUtils.findMethod(LettuceConnectionFactory.class, "createRedisURIAndApplySettings",
				String.class, int.class);
	}

	/**
	 * Find the primary, or who says that it is.
	 */
	CompletableFuture<RedisURI> find() {
		CompletableFuture<RedisURI> answer;
		int first;
		synchronized (this) {
			if (this.asking != null) {
				return this.asking;
			}
			answer = new CompletableFuture<>();
			this.asking = answer;
			first = this.primary;
		}
		CompletableFuture<RedisURI> result = answer;
		var unused = LettuceClient.begin(() -> ask(first, 0, "")).whenComplete((found, failure) -> {
			synchronized (this) {
				this.asking = null;
				this.primary = (found != null) ? found : this.primary;
			}
			if (found != null) {
				result.complete(this.nodes.get(found));
			}
			else {
				result.completeExceptionally(failure);
			}
		});
		return answer;
	}

	private CompletableFuture<Integer> ask(int first, int asked, String reasons) {
		if (asked == this.nodes.size()) {
			return CompletableFuture.failedFuture(new RedisConnectionException(
					"none of the %d servers of the static configuration is a primary%s".formatted(asked, reasons)));
		}
		int index = (first + asked) % this.nodes.size();
		RedisURI node = this.nodes.get(index);
		return this.connect.apply(node).thenApply((server) -> {
			var unused = server.leave();
			return server.server().replica() ? "it is a replica" : "";
		})
			.exceptionally(FailureText::of)
			.thenCompose((obstacle) -> obstacle.isEmpty() ? CompletableFuture.completedFuture(index) : ask(first,
					asked + 1, "%s; %s:%d: %s".formatted(reasons, node.getHost(), node.getPort(), obstacle)));
	}

}
