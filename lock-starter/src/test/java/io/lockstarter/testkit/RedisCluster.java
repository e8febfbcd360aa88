// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lettuce.core.KillArgs;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.awaitility.Awaitility.await;

/**
 * A Redis Cluster of three primaries, each with a replica, as child processes. Nothing is
 * persisted: a primary that starts again before its replica was promoted is empty.
 * <p>
 * A node is taken for dead only after a time that no slow machine exceeds, so that
 * nothing is promoted by mistake; {@link #startWithFastFailOver} is for tests that want
 * it. Not thread-safe but for what only looks.
 */
public final class RedisCluster implements AutoCloseable {

	/** The first slots of the primaries, and the one after the last. */
	private static final int[] BOUNDS = { 0, 5461, 10923, SlotHash.SLOT_COUNT };

	private static final int SHARDS = 3;

	private static final Duration SLOW = Duration.ofSeconds(15);

	private static final Duration FAST = Duration.ofSeconds(1);

	private static final int ATTEMPTS = 5;

	/** A port of the cluster bus is that of the clients and so much. */
	private static final int BUS = 10_000;

	/** That for TLS is that of the other clients and so much. */
	private static final int TLS = 1;

	private final List<RedisServer> nodes = new ArrayList<>();

	private final Map<String, RedisServer> byId = new HashMap<>();

	/** Those that were killed or paused. */
	private final Set<RedisServer> down = new HashSet<>();

	/** When a node was elected, at the latest. */
	private final Map<RedisServer, Long> electedAt = new HashMap<>();

	private final Duration nodeTimeout;

	private RedisCluster(Path binary, Duration nodeTimeout, @Nullable Certificate certificate, List<String> config) {
		this.nodeTimeout = nodeTimeout;
		try {
			for (int i = 0; i < 2 * SHARDS; i++) {
				this.nodes.add(startNode(binary, nodeTimeout, certificate, config));
			}
			form((certificate != null) ? TLS : 0);
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Return the cluster that all ordinary tests of this JVM share. Its data may be
	 * anyone's: a test uses keys of its own, and neither changes nor closes it.
	 * @return the shared cluster
	 */
	public static RedisCluster shared() {
		return Shared.CLUSTER;
	}

	/**
	 * Start a cluster for the caller alone, who closes it.
	 * @param config further arguments of each {@code redis-server}
	 * @return a cluster that serves all slots
	 */
	public static RedisCluster start(String... config) {
		return new RedisCluster(RedisServers.binary(), SLOW, null, List.of(config));
	}

	/**
	 * Start a cluster that promotes the replica of a primary that does not answer for
	 * about a second.
	 * @param config further arguments of each {@code redis-server}
	 * @return a cluster that serves all slots
	 */
	public static RedisCluster startWithFastFailOver(String... config) {
		return new RedisCluster(RedisServers.binary(), FAST, null, List.of(config));
	}

	/**
	 * Start a cluster that speaks TLS, whose nodes announce the name of their host.
	 * Commands of this class go to their ordinary ports.
	 * @param certificate the certificate of all nodes
	 * @return a cluster that serves all slots
	 */
	public static RedisCluster startWithTls(Certificate certificate) {
		return new RedisCluster(RedisServers.binary(), SLOW, certificate,
				List.of("--tls-cluster", "yes", "--tls-replication", "yes", "--tls-ca-cert-file",
						certificate.certificate().toString(), "--cluster-announce-hostname", "localhost",
						"--cluster-preferred-endpoint-type", "hostname"));
	}

	/**
	 * Start a cluster of the oldest version that is supported. The test is skipped where
	 * its binary does not run.
	 * @return a cluster that serves all slots
	 */
	public static RedisCluster startOldest() {
		return new RedisCluster(RedisServers.oldest(), SLOW, null, List.of());
	}

	private static RedisServer startNode(Path binary, Duration nodeTimeout, @Nullable Certificate certificate,
			List<String> config) {
		List<String> arguments = new ArrayList<>(
				List.of("--cluster-enabled", "yes", "--cluster-node-timeout", String.valueOf(nodeTimeout.toMillis()),
						"--cluster-announce-ip", "127.0.0.1", "--repl-diskless-sync-delay", "0"));
		arguments.addAll(config);
		IllegalStateException failure = new IllegalStateException("No free port");
		for (int i = 0; i < ATTEMPTS; i++) {
			int port = freePort();
			List<String> all = new ArrayList<>(arguments);
			if (certificate != null) {
				all.addAll(List.of(certificate.serverOptions(port + TLS)));
			}
			RedisServer node = RedisServer.ofProcess(binary, port, all, Map.of());
			try {
				node.start();
				return node;
			}
			catch (IllegalStateException ex) {
				node.close();
				failure = ex;
			}
		}
		throw failure;
	}

	/**
	 * Return a port that is free together with that of its bus, and so is the next one.
	 * All are below the range from which outgoing connections take theirs.
	 */
	private static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(11_000, 22_000);
			if (isFree(port) && isFree(port + BUS) && isFree(port + TLS) && isFree(port + TLS + BUS)) {
				return port;
			}
		}
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void form(int portOffset) {
		for (int i = 0; i < this.nodes.size(); i++) {
			RedisServer node = this.nodes.get(i);
			this.byId.put(node.commands().clusterMyId(), node);
			node.commands().clusterSetConfigEpoch(i + 1L);
			if (i < SHARDS) {
				node.commands().clusterAddSlots(IntStream.range(BOUNDS[i], BOUNDS[i + 1]).toArray());
			}
			for (RedisServer other : this.nodes.subList(0, i)) {
				node.commands().clusterMeet(other.host(), other.port() + portOffset);
			}
		}
		soon().until(() -> this.nodes.stream()
			.allMatch((node) -> ClusterPartitionParser.parse(node.commands().clusterNodes())
				.stream()
				.map(RedisClusterNode::getNodeId)
				.toList()
				.containsAll(this.byId.keySet())));
		for (int i = 0; i < SHARDS; i++) {
			this.nodes.get(SHARDS + i).commands().clusterReplicate(idOf(this.nodes.get(i)));
		}
		awaitStable();
	}

	/**
	 * Return addresses to begin with.
	 * @return such as {@code 127.0.0.1:7000}, of all nodes
	 */
	public List<String> seeds() {
		return this.nodes.stream().map((node) -> node.host() + ":" + node.port()).toList();
	}

	/**
	 * Return addresses to begin with for clients that speak TLS.
	 * @return such as {@code localhost:7001}, of all nodes
	 */
	public List<String> tlsSeeds() {
		return this.nodes.stream().map((node) -> "localhost:" + (node.port() + TLS)).toList();
	}

	/**
	 * Return all nodes, whatever they are at the moment.
	 * @return the nodes, always in the same order
	 */
	public List<RedisServer> nodes() {
		return List.copyOf(this.nodes);
	}

	/**
	 * Return the nodes that run and have slots.
	 * @return the primaries, in the order of {@link #nodes()}
	 */
	public List<RedisServer> primaries() {
		return up().stream().filter(RedisCluster::isPrimary).toList();
	}

	/**
	 * Return the slot of a key or channel.
	 * @param key the key
	 * @return its slot
	 */
	public static int slotOf(String key) {
		return SlotHash.getSlot(key);
	}

	/**
	 * Return the node that has a slot, as those say that run.
	 * @param slot the slot
	 * @return its primary
	 */
	public RedisServer primaryOf(int slot) {
		return ownerOf(slot, up().get(0));
	}

	/**
	 * Return the node that has the slot of a key.
	 * @param key the key
	 * @return its primary
	 */
	public RedisServer primaryOf(String key) {
		return primaryOf(slotOf(key));
	}

	/**
	 * Return the replica of a primary.
	 * @param primary the primary, which may be down
	 * @return its replica
	 */
	public RedisServer replicaOf(RedisServer primary) {
		String id = idOf(primary);
		return up().stream()
			.filter((node) -> id.equals(myself(node).getSlaveOf()))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No replica of " + primary.port()));
	}

	/**
	 * Return a primary that does not have a slot.
	 * @param slot the slot
	 * @return another primary than that of the slot
	 */
	public RedisServer otherThan(int slot) {
		RedisServer owner = primaryOf(slot);
		return primaries().stream().filter((node) -> node != owner).findFirst().orElseThrow();
	}

	/**
	 * End a node at once (SIGKILL), as soon as its replica can be elected, see
	 * {@link #failOver}.
	 * @param node the node
	 */
	public void kill(RedisServer node) {
		awaitElectable(partnerOf(node));
		node.kill();
		this.down.add(node);
	}

	/**
	 * Start a node that was killed.
	 * @param node the node
	 */
	public void start(RedisServer node) {
		node.start();
		this.down.remove(node);
	}

	/**
	 * Freeze a node (SIGSTOP), as soon as its replica can be elected, see
	 * {@link #failOver}.
	 * @param node the node
	 */
	public void pause(RedisServer node) {
		awaitElectable(partnerOf(node));
		node.pause();
		this.down.add(node);
	}

	/**
	 * Let a frozen node go on (SIGCONT).
	 * @param node the node
	 */
	public void resume(RedisServer node) {
		node.resume();
		this.down.remove(node);
	}

	/**
	 * Wait until a node is a primary that has slots.
	 * @param replica what was a replica
	 */
	public void awaitPromotion(RedisServer replica) {
		soon().until(() -> isPrimary(replica));
		this.electedAt.put(replica, System.nanoTime());
		awaitStable();
	}

	/**
	 * Let a replica and its primary change places, without a loss. The others vote for a
	 * replica of the same primary only once in twice the time after which a node is taken
	 * for dead, and for as long a replica takes the votes of its last election for those
	 * of a new one: it becomes a primary with an old epoch, which nobody follows, and
	 * remains that if the real one is dead. So that time is waited for, and until all
	 * know whose replica it is, as they vote for no other.
	 * @param replica the replica
	 */
	public void failOver(RedisServer replica) {
		awaitElectable(replica);
		soon().until(() -> {
			replica.commands().clusterFailover(false);
			// It gives up after 5 s.
			long begin = System.nanoTime();
			while (!isPrimary(replica) && System.nanoTime() - begin < Duration.ofSeconds(6).toNanos()) {
				Thread.onSpinWait();
			}
			return isPrimary(replica);
		});
		this.electedAt.put(replica, System.nanoTime());
		awaitStable();
	}

	/**
	 * Let a replica take over without asking anybody, and then its primary again, which
	 * has heard of nothing that was written meanwhile.
	 * @param primary the primary
	 * @param meanwhile what to do while the replica is the primary
	 */
	public void takeOverThereAndBack(RedisServer primary, Runnable meanwhile) {
		RedisServer replica = replicaOf(primary);
		// Nobody asks for one, which ends the attempt to synchronise.
		primary.commands().configSet("masterauth", "none");
		takeOver(replica, primary);
		meanwhile.run();
		takeOver(primary, replica);
		primary.commands().configSet("masterauth", "");
		awaitStable();
	}

	private void takeOver(RedisServer next, RedisServer before) {
		soon().until(() -> {
			next.commands().clusterFailover(false, true);
			return isPrimary(next);
		});
		this.electedAt.put(next, System.nanoTime());
		soon().until(() -> !isPrimary(before));
	}

	private void awaitElectable(RedisServer candidate) {
		Long elected = this.electedAt.get(candidate);
		if (elected != null) {
			long over = elected + 2 * this.nodeTimeout.toNanos() + 200_000_000;
			soon().until(() -> System.nanoTime() - over > 0);
		}
		String id = idOf(candidate);
		// It may be frozen itself.
		soon().until(() -> up().stream()
			.filter((node) -> node != candidate)
			.map((node) -> ClusterPartitionParser.parse(node.commands().clusterNodes())
				.getPartitionByNodeId(id)
				.getSlaveOf())
			.distinct()
			.count() == 1);
	}

	/**
	 * Wait until all nodes that run serve, replicas are connected to their primaries, and
	 * all agree on who has which slot.
	 */
	public void awaitStable() {
		soon().until(() -> {
			Set<String> views = new HashSet<>();
			for (RedisServer node : up()) {
				if (!node.commands().clusterInfo().contains("cluster_state:ok")
						|| node.commands().info("replication").contains("master_link_status:down")) {
					return false;
				}
				views.add(viewOf(node));
			}
			return views.size() == 1;
		});
	}

	/**
	 * Move a slot with all that it has, as a resharding does. Clients may use it
	 * meanwhile.
	 * @param slot the slot
	 * @param target the primary that is to have it
	 */
	public void migrate(int slot, RedisServer target) {
		Migration migration = beginToMigrate(slot, target);
		migration.moveKeys();
		migration.finish();
	}

	/**
	 * Begin to move a slot.
	 * @param slot the slot
	 * @param target the primary that is to have it
	 * @return what finishes that, or takes it back
	 */
	public Migration beginToMigrate(int slot, RedisServer target) {
		return new Migration(slot, primaryOf(slot), target);
	}

	/**
	 * Close connections of clients at all nodes.
	 * @param which those to close
	 */
	public void killClients(KillArgs which) {
		up().forEach((node) -> node.commands().clientKill(which));
	}

	/**
	 * Return the names of the keys of all primaries.
	 * @param pattern which
	 * @return the names, sorted
	 */
	public Set<String> keys(String pattern) {
		Set<String> keys = new TreeSet<>();
		primaries().forEach((node) -> keys.addAll(node.keys(pattern)));
		return keys;
	}

	/**
	 * Return a client with Lettuce's own options, which the caller shuts down.
	 * @return a client that knows the nodes
	 */
	public RedisClusterClient client() {
		return client((address) -> {
		});
	}

	/**
	 * Return a client that logs in, with Lettuce's own options, which the caller shuts
	 * down.
	 * @param user the name of the user
	 * @param password the password
	 * @return a client that knows the nodes
	 */
	public RedisClusterClient client(String user, String password) {
		return client((address) -> address.withAuthentication(user, password));
	}

	private RedisClusterClient client(Consumer<RedisURI.Builder> settings) {
		return RedisClusterClient.create(RedisServers.clientResources(), this.nodes.stream().map((node) -> {
			RedisURI.Builder address = RedisURI.builder().withHost(node.host()).withPort(node.port());
			settings.accept(address);
			return address.build();
		}).toList());
	}

	/**
	 * Return the configuration of Spring Data Redis that leads here.
	 * @return the configuration
	 */
	public RedisClusterConfiguration configuration() {
		return new RedisClusterConfiguration(seeds());
	}

	/**
	 * Return a connection factory as an application would have it. The caller destroys
	 * it.
	 * @return a started factory
	 */
	public LettuceConnectionFactory connectionFactory() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(),
				LettuceClientConfiguration.builder().clientResources(RedisServers.clientResources()).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

	private List<RedisServer> up() {
		return this.nodes.stream().filter((node) -> !this.down.contains(node)).toList();
	}

	/**
	 * Return the one that takes over from a node. These change places, but stay together.
	 */
	private RedisServer partnerOf(RedisServer node) {
		return this.nodes.get((this.nodes.indexOf(node) + SHARDS) % this.nodes.size());
	}

	private String idOf(RedisServer node) {
		return this.byId.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() == node)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElseThrow();
	}

	private RedisServer ownerOf(int slot, RedisServer witness) {
		RedisClusterNode owner = ClusterPartitionParser.parse(witness.commands().clusterNodes())
			.getPartitionBySlot(slot);
		return Objects.requireNonNull(this.byId.get(Objects.requireNonNull(owner, "nobody has it").getNodeId()));
	}

	/**
	 * Return who has which slots, as a node sees it.
	 */
	private static String viewOf(RedisServer node) {
		Set<String> owners = new TreeSet<>();
		for (RedisClusterNode known : ClusterPartitionParser.parse(node.commands().clusterNodes())) {
			if (!known.hasNoSlots()) {
				owners.add(known.getNodeId() + known.getSlots());
			}
		}
		return owners.toString();
	}

	private static boolean isPrimary(RedisServer node) {
		RedisClusterNode myself = myself(node);
		return myself.is(RedisClusterNode.NodeFlag.UPSTREAM) && !myself.hasNoSlots();
	}

	private static RedisClusterNode myself(RedisServer node) {
		return ClusterPartitionParser.parse(node.commands().clusterNodes())
			.stream()
			.filter((known) -> known.is(RedisClusterNode.NodeFlag.MYSELF))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Commands may fail meanwhile, as a node that was killed has its connections reset.
	 */
	private static ConditionFactory soon() {
		return await().atMost(Duration.ofSeconds(60))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptionsInstanceOf(RedisException.class);
	}

	/**
	 * A slot on its way. Until {@link #finish()} some of its keys are here and some
	 * there, as {@link #moveKey} decides.
	 */
	public final class Migration {

		private final int slot;

		private final RedisServer source;

		private final RedisServer target;

		private Migration(int slot, RedisServer source, RedisServer target) {
			this.slot = slot;
			this.source = source;
			this.target = target;
			target.commands().clusterSetSlotImporting(slot, idOf(source));
			source.commands().clusterSetSlotMigrating(slot, idOf(target));
		}

		/**
		 * Move one key.
		 * @param key the key
		 */
		public void moveKey(String key) {
			this.source.commands()
				.migrate(this.target.host(), this.target.port(), 0, 5000, MigrateArgs.Builder.keys(key));
		}

		/**
		 * Move all keys that are left. Neither overwrites nor skips what is there, too.
		 */
		public void moveKeys() {
			for (List<String> keys = keysLeft(); !keys.isEmpty(); keys = keysLeft()) {
				this.source.commands()
					.migrate(this.target.host(), this.target.port(), 0, 5000, MigrateArgs.Builder.keys(keys));
			}
		}

		/**
		 * Let everybody know that the slot has moved. All keys must have been.
		 */
		public void finish() {
			this.target.commands().clusterSetSlotNode(this.slot, idOf(this.target));
			this.source.commands().clusterSetSlotNode(this.slot, idOf(this.target));
			// Nodes believe the one with the largest epoch. The source may have got a
			// larger
			// one at the same moment, as after a fail-over: then nobody else would ever
			// know.
			soon().until(() -> {
				this.target.commands().clusterBumpepoch();
				return up().stream().allMatch((node) -> ownerOf(this.slot, node) == this.target);
			});
		}

		private List<String> keysLeft() {
			return this.source.commands().clusterGetKeysInSlot(this.slot, 100);
		}

	}

	private static final class Shared {

		private static final RedisCluster CLUSTER = start();

	}

}
