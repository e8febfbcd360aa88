// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/**
 * Redisson, without a lease time, so that its watchdog renews.
 */
final class RedissonAdapter implements LockAdapter {

	// The defaults (64, of which 24 at least, and 32 threads) are for more cores. Few
	// connections let commands of many threads share a write; on two cores that is twice
	// as fast with many keys.
	private static final int CONNECTIONS = 8;

	private static final int TWICE_THE_CORES = 0;

	// It is not renewed, and so longer than any section.
	private static final Duration PERMIT_TTL = Duration.ofSeconds(30);

	private final Map<String, RPermitExpirableSemaphore> permits = new ConcurrentHashMap<>();

	private final List<RedissonClient> clients;

	private final BiFunction<List<RedissonClient>, String, RLock> lockOf;

	private RedissonAdapter(List<RedissonClient> clients, BiFunction<List<RedissonClient>, String, RLock> lockOf) {
		this.clients = clients;
		this.lockOf = lockOf;
	}

	RedissonAdapter(Target target, BiFunction<RedissonClient, String, RLock> lockOf) {
		this(List.of(client(target)), (clients, key) -> lockOf.apply(clients.get(0), key));
	}

	/**
	 * Connect to several servers, each with a client of its own.
	 * @param target a quorum
	 * @return the lock that a majority of them decides about
	 */
	// Deprecated for a lock in one Redis with replicas. RedissonMultiLock takes all
	// servers, and so nothing when one is down.
	@SuppressWarnings("deprecation")
	static LockAdapter red(Target target) {
		return new RedissonAdapter(target.singles().stream().map(RedissonAdapter::client).toList(),
				(clients, key) -> new RedissonRedLock(
						clients.stream().map((client) -> client.getLock(key)).toArray(RLock[]::new)));
	}

	private static RedissonClient client(Target target) {
		Config config = new Config();
		config.setCodec(StringCodec.INSTANCE);
		config.setUseScriptCache(true);
		config.setLockWatchdogTimeout(target.ttl().toMillis());
		config.setNettyThreads(TWICE_THE_CORES);
		String[] addresses = target.addresses().stream().map("redis://"::concat).toArray(String[]::new);
		if (target.topology() == Topology.CLUSTER) {
			// Who waits for a replica keeps a connection busy, so the default is better.
			config.useClusterServers().addNodeAddress(addresses).setReadMode(ReadMode.MASTER);
		}
		else {
			config.useSingleServer()
				.setAddress(addresses[0])
				.setConnectionPoolSize(CONNECTIONS)
				.setConnectionMinimumIdleSize(CONNECTIONS);
		}
		return Redisson.create(config);
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		return lock(this.lockOf.apply(this.clients, key));
	}

	@Override
	public Held read(String key) throws InterruptedException {
		return lock(this.clients.get(0).getReadWriteLock(key).readLock());
	}

	@Override
	public Held write(String key) throws InterruptedException {
		return lock(this.clients.get(0).getReadWriteLock(key).writeLock());
	}

	private static Held lock(RLock lock) throws InterruptedException {
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public Held permit(String key, int limit) throws InterruptedException {
		RPermitExpirableSemaphore permits = this.permits.computeIfAbsent(key, (absent) -> {
			RPermitExpirableSemaphore created = this.clients.get(0).getPermitExpirableSemaphore(key);
			var unused = created.trySetPermits(limit);
			return created;
		});
		String permit = permits.acquire(PERMIT_TTL.toMillis(), TimeUnit.MILLISECONDS);
		return () -> permits.release(permit);
	}

	@Override
	public void close() {
		this.clients.forEach(RedissonClient::shutdown);
	}

}
