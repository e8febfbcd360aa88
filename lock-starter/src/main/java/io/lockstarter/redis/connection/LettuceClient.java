// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Lettuce client of our own, beside the one inside the application's connection factory.
 * It has the same address (or Sentinels), TLS, credentials, database and client name. It
 * finds the server that has the keys, and each attempt to connect, with its handshake,
 * takes a few seconds at most. All that waits for something is done by its
 * {@link Transport}. Thread-safe.
 */
final class LettuceClient {

	/**
	 * The fields of Lettuce's clients that have their addresses.
	 */
	static final String ADDRESS = "redisURI";

	static final String SEEDS = "initialUris";

	/**
	 * How long an attempt to connect may take once the application has been up: a server
	 * that is there answers much sooner.
	 */
	private static final Duration ATTEMPT = Duration.ofSeconds(3);

	/**
	 * How long an attempt may take that also has to load the classes of the client, on a
	 * machine where many services start at once.
	 */
	private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(5);

	private static final Pattern HUNG_UP = Pattern.compile("[Cc]onnection (reset|closed)");

	private final Object application;

	private final Transport transport;

	private final Platform platform;

	private final RedisURI uri;

	private final @Nullable ClusterNodes cluster;

	private final @Nullable StaticNodes nodes;

	private final Duration connectTimeout;

	private final SharedConnections shared = new SharedConnections();

	private final SharedConnections sharedApart = new SharedConnections();

	/**
	 * Create the client, without connecting.
	 * @param application what it belongs to
	 * @param addresses where Redis is
	 * @param cluster whether that are nodes of a cluster
	 */
	LettuceClient(Object application, List<RedisURI> addresses, boolean cluster, Transport transport, Platform platform,
			Duration connectTimeout) {
		this.application = application;
		this.transport = transport;
		this.platform = platform;
		this.uri = addresses.get(0);
		this.connectTimeout = connectTimeout;
		this.cluster = cluster
				? new ClusterNodes(addresses, platform, this::connectToAsk, (answer) -> inTime(answer, deadline(false)))
				: null;
		this.nodes = (!cluster && addresses.size() > 1) ? new StaticNodes(addresses, this::connectToAsk) : null;
	}

	/**
	 * Create the client, without connecting.
	 * @param nodes the servers, one of which is the primary; empty if the application's
	 * client knows its address
	 * @throws IllegalStateException if the application's client cannot be used
	 */
	static LettuceClient of(@Nullable AbstractRedisClient application, List<RedisURI> nodes, Duration connectTimeout) {
		if (application == null) {
			throw new IllegalStateException("The connection factory has no Lettuce client that locks can use");
		}
		List<RedisURI> addresses = nodes.isEmpty() ? addressesOf(application) : nodes;
		RedisURI first = addresses.get(0);
		if (first.getHost() == null && first.getSocket() == null && first.getSentinels().isEmpty()) {
			throw new IllegalStateException("The connection factory does not say where Redis is");
		}
		return new LettuceClient(application, addresses, application instanceof RedisClusterClient,
				new LettuceTransport(application), Platform.system(), connectTimeout);
	}

	private static List<RedisURI> addressesOf(AbstractRedisClient application) {
		if (application instanceof RedisClusterClient cluster) {
			List<RedisURI> seeds = new ArrayList<>();
			for (Object seed : (Iterable<?>) read(RedisClusterClient.class, SEEDS, cluster)) {
				seeds.add((RedisURI) seed);
			}
			return seeds;
		}
		if (application instanceof RedisClient) {
			return List.of((RedisURI) read(RedisClient.class, ADDRESS, application));
		}
		throw new IllegalStateException(
				"The connection factory has no Lettuce client that locks can use: " + application);
	}

	/**
	 * Lettuce does not tell, and Spring Data makes it out of a dozen settings, some of
	 * them about security, which had better not be interpreted a second time.
	 */
	private static Object read(Class<?> type, String name, AbstractRedisClient client) {
		Field field = ReflectionUtils.findField(type, name);
		if (field != null) {
			ReflectionUtils.makeAccessible(field);
			Object value = ReflectionUtils.getField(field, client);
			if (value != null) {
				return value;
			}
		}
		throw new IllegalStateException("This version of Lettuce does not tell where a client connects to");
	}

	/**
	 * Return whether it belongs to a client, and can be used.
	 */
	boolean isOf(@Nullable Object client) {
		return this.application == client && this.transport.isUsable();
	}

	/**
	 * Begin what takes several steps. That it cannot begin is a failure of it: somebody
	 * may wait for its end.
	 */
	static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> steps) {
		try {
			return steps.get();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	Platform platform() {
		return this.platform;
	}

	/**
	 * Return the address of Redis, or of its Sentinels; of several servers the first.
	 */
	RedisURI uri() {
		return this.uri;
	}

	Duration connectTimeout() {
		return this.connectTimeout;
	}

	boolean isCluster() {
		return this.cluster != null;
	}

	/**
	 * Find out where the keys of a slot are. With one address that is no question.
	 */
	CompletableFuture<RedisURI> find(int slot) {
		return (this.cluster != null) ? this.cluster.find(slot) : findPrimary();
	}

	/**
	 * Find out where the keys of a slot are, or fail in time if that is limited.
	 */
	CompletableFuture<RedisURI> find(int slot, @Nullable Deadline deadline) {
		CompletableFuture<RedisURI> found = find(slot);
		// Others may wait for the same answer.
		return (deadline == null || found.isDone()) ? found : inTime(found.copy(), deadline);
	}

	private CompletableFuture<RedisURI> findPrimary() {
		return (this.nodes != null) ? this.nodes.find() : CompletableFuture.completedFuture(this.uri);
	}

	/**
	 * Find all servers that have keys.
	 */
	CompletableFuture<List<RedisURI>> findAll() {
		return (this.cluster != null) ? this.cluster.findAll() : findPrimary().thenApply(List::of);
	}

	/**
	 * Note that a server named another one, which has the keys now.
	 */
	void redirected(RedisURI from, String redirection) {
		if (this.cluster != null) {
			this.cluster.redirected(from, redirection);
		}
	}

	/**
	 * Begin an attempt to connect.
	 * @param first whether the application has had no connection yet, so that it takes
	 * longer to make one
	 */
	Deadline deadline(boolean first) {
		Duration limit = first ? FIRST_ATTEMPT : ATTEMPT;
		return Deadline.after(this.platform, (this.connectTimeout.compareTo(limit) < 0) ? this.connectTimeout : limit);
	}

	/**
	 * Become a user of a connection, or fail in time.
	 * @param apart whether for another kind of commands, which do not wait for those of
	 * the first kind
	 */
	CompletableFuture<SharedConnection> connect(RedisURI address, Deadline deadline, boolean apart) {
		return join(apart ? this.sharedApart : this.shared, address, deadline,
				() -> connectAlone(address, deadline).thenCompose((opened) -> ready(opened, address, deadline)));
	}

	private CompletableFuture<SharedConnection> connectToAsk(RedisURI node) {
		return connect(node, deadline(false), false);
	}

	/**
	 * Open a connection that nobody else uses, or fail in time.
	 */
	CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectAlone(RedisURI address, Deadline deadline) {
		return explained(address, this.transport.connect(withTimeout(address, deadline.left())));
	}

	/**
	 * Say so if one end may speak TLS, and the other does not: all that is seen of it is
	 * that a server says nothing, or hangs up. So does one that has too many clients.
	 */
	private static <C> CompletableFuture<C> explained(RedisURI address, CompletableFuture<C> attempt) {
		return attempt.exceptionallyCompose((failure) -> {
			String reason = FailureText.of(failure);
			if (address.isSsl() && (failure instanceof TimeoutException || reason.contains("not an SSL/TLS record"))) {
				return CompletableFuture.failedFuture(new TimeoutException(reason
						+ ", perhaps as it does not speak TLS: look at 'spring.data.redis.ssl.*', 'distributed-lock.url' or '.quorum.nodes'"));
			}
			if (HUNG_UP.matcher(reason).find() && !address.isSsl()) {
				return CompletableFuture.failedFuture(new RedisConnectionException(reason
						+ ", perhaps as it expects TLS, or has too many clients: look at 'spring.data.redis.ssl.*', 'distributed-lock.url' or '.quorum.nodes', and at the server's 'maxclients'",
						failure));
			}
			return CompletableFuture.failedFuture(failure);
		});
	}

	// Only where one address is one server are connections shared. Whoever makes one may
	// have more time than who joins it.
	private CompletableFuture<SharedConnection> join(SharedConnections connections, RedisURI address, Deadline deadline,
			Supplier<CompletableFuture<SharedConnection>> connect) {
		if (this.cluster == null) {
			return connect.get().thenApply(SharedConnection::joined);
		}
		CompletableFuture<SharedConnection> joined = new CompletableFuture<>();
		// First, as it may fail if memory is short.
		CompletableFuture<SharedConnection> limited = inTime(joined, deadline);
		var unused = connections.join(Addresses.name(address), connect).whenComplete((opened, failure) -> {
			if (failure != null) {
				joined.completeExceptionally(failure);
			}
			else if (!joined.complete(opened)) {
				var unusedLeft = opened.leave();
			}
		});
		return limited;
	}

	private CompletableFuture<SharedConnection> ready(StatefulRedisPubSubConnection<String, String> opened,
			RedisURI address, Deadline deadline) {
		return begin(() -> inTime(ask(opened), deadline)
			.thenApply((server) -> new SharedConnection(opened, address, server, this.platform, () -> close(opened))))
			.whenComplete((ready, failure) -> {
				if (failure != null) {
					var unused = close(opened);
				}
			});
	}

	private CompletableFuture<ServerInfo> ask(StatefulRedisPubSubConnection<String, String> opened) {
		return opened.async()
			.info()
			.exceptionally(LettuceClient::nullIfDenied)
			.thenApply((info) -> ServerInfo.of(info).expectCluster(isCluster()))
			.toCompletableFuture();
	}

	// Whatever else fails leaves unknown which server it is, and so whether it took over.
	private static @Nullable String nullIfDenied(Throwable failure) {
		if (failure instanceof RedisCommandExecutionException && !ErrorReply.of(failure).isTransient()) {
			return null;
		}
		throw new CompletionException(failure);
	}

	/**
	 * Limit the time in which a new connection gets ready.
	 */
	<T> CompletableFuture<T> inTime(CompletableFuture<T> steps, Deadline deadline) {
		return this.transport.inTime(steps, deadline.left());
	}

	Runnable runLater(Runnable task, Duration delay) {
		return this.transport.runLater(task, delay);
	}

	CompletableFuture<?> close() {
		return this.transport.close();
	}

	/**
	 * Close a connection, if it is not closed already.
	 */
	CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		return this.transport.close(connection);
	}

	private static RedisURI withTimeout(RedisURI source, Duration timeout) {
		RedisURI copy = Addresses.copy(source);
		copy.setTimeout(timeout);
		copy.getSentinels().forEach((sentinel) -> sentinel.setTimeout(timeout));
		return copy;
	}

}
