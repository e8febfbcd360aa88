// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmark.contender.Topology;

/**
 * The Redis of one measurement: one server, a cluster of three primaries with a replica
 * each, or three servers that know nothing of each other.
 */
final class RedisServers implements AutoCloseable {

	private static final int SHARDS = 3;

	private static final int QUORUM = 3;

	/** The first slots of the primaries, and the one after the last. */
	private static final int[] BOUNDS = { 0, 5461, 10923, 16384 };

	/** A port of the cluster bus is that of the clients and so much. */
	private static final int BUS = 10_000;

	private static final int ATTEMPTS = 3000;

	private final List<RedisProcess> processes = new ArrayList<>();

	private RedisServers() {
	}

	/**
	 * Start servers.
	 * @param topology which
	 * @param directory where they work
	 * @return servers that answer
	 * @throws InterruptedException if interrupted
	 */
	static RedisServers start(Topology topology, Path directory) throws InterruptedException {
		return switch (topology) {
			case SINGLE -> single(directory);
			case CLUSTER -> cluster(directory);
			case QUORUM -> quorum(directory);
		};
	}

	/**
	 * Start a single server.
	 * @param directory its working directory
	 * @return a server that answers
	 * @throws InterruptedException if interrupted
	 */
	static RedisServers single(Path directory) throws InterruptedException {
		RedisServers single = new RedisServers();
		single.processes.add(RedisProcess.start(directory));
		return single;
	}

	/**
	 * Start a cluster, whose nodes find in a file who has which slots.
	 * @param directory where their working directories are to be
	 * @return a cluster that serves all slots
	 * @throws InterruptedException if interrupted
	 */
	static RedisServers cluster(Path directory) throws InterruptedException {
		RedisServers cluster = new RedisServers();
		try {
			cluster.start(directory, freePorts());
			cluster.awaitStable();
			return cluster;
		}
		catch (IOException ex) {
			cluster.close();
			throw new UncheckedIOException(ex);
		}
		catch (RuntimeException | InterruptedException ex) {
			cluster.close();
			throw ex;
		}
	}

	/**
	 * Start servers that know nothing of each other.
	 * @param directory where they work
	 * @return servers that answer
	 * @throws InterruptedException if interrupted
	 */
	static RedisServers quorum(Path directory) throws InterruptedException {
		RedisServers quorum = new RedisServers();
		try {
			for (int i = 0; i < QUORUM; i++) {
				quorum.processes.add(RedisProcess.start(Files.createDirectory(directory.resolve("voter-" + i))));
			}
			return quorum;
		}
		catch (IOException ex) {
			quorum.close();
			throw new UncheckedIOException(ex);
		}
		catch (RuntimeException | InterruptedException ex) {
			quorum.close();
			throw ex;
		}
	}

	/**
	 * Return the one that a scenario takes away.
	 */
	RedisProcess first() {
		return this.processes.get(0);
	}

	List<Integer> ports() {
		return this.processes.stream().map(RedisProcess::port).toList();
	}

	@Override
	public void close() {
		this.processes.forEach(RedisProcess::close);
	}

	private void start(Path directory, List<Integer> ports) throws IOException, InterruptedException {
		for (int i = 0; i < ports.size(); i++) {
			Path own = Files.createDirectory(directory.resolve("node-" + i));
			Files.write(own.resolve("nodes.conf"), nodes(ports, i));
			this.processes.add(RedisProcess.start(own, ports.get(i), List.of("--cluster-enabled", "yes",
					"--cluster-announce-ip", "127.0.0.1", "--repl-diskless-sync-delay", "0")));
		}
	}

	private void awaitStable() throws InterruptedException {
		try (Observer observer = new Observer(ports())) {
			for (int i = 0; i < ATTEMPTS; i++) {
				if (observer.isStable()) {
					return;
				}
				TimeUnit.MILLISECONDS.sleep(20);
			}
		}
		throw new IllegalStateException("The cluster does not serve at ports " + ports());
	}

	private static List<String> nodes(List<Integer> ports, int myself) {
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < ports.size(); i++) {
			int shard = i % SHARDS;
			boolean primary = i < SHARDS;
			lines.add("%s 127.0.0.1:%d@%d %s%s %s 0 0 %d connected%s".formatted(id(i), ports.get(i), ports.get(i) + BUS,
					(i == myself) ? "myself," : "", primary ? "master" : "slave", primary ? "-" : id(shard), shard + 1,
					primary ? " %d-%d".formatted(BOUNDS[shard], BOUNDS[shard + 1] - 1) : ""));
		}
		lines.add("vars currentEpoch %d lastVoteEpoch 0".formatted(SHARDS));
		return lines;
	}

	private static String id(int node) {
		return "%040x".formatted(node + 1);
	}

	/**
	 * Return ports that are free together with those of the bus. All are below the range
	 * from which outgoing connections take theirs.
	 */
	private static List<Integer> freePorts() {
		List<Integer> ports = new ArrayList<>();
		while (ports.size() < 2 * SHARDS) {
			int port = ThreadLocalRandom.current().nextInt(11_000, 21_000);
			if (!ports.contains(port) && isFree(port) && isFree(port + BUS)) {
				ports.add(port);
			}
		}
		return ports;
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
