// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.LockMonitor;
import io.lockstarter.store.LockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.quorum.QuorumLockStore;
import io.lockstarter.quorum.QuorumNode;
import io.lockstarter.quorum.redis.VotingRedis;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * This project, with its default settings.
 */
final class StarterAdapter implements LockAdapter {

	// So much that nothing of a server that has just started could count.
	private static final Duration ABSTENTION = Duration.ofSeconds(1);

	// As the default is.
	private static final Duration NODE_TIMEOUT = RegistrySettings.defaults().commandTimeout().dividedBy(2);

	private final Runnable shutDown;

	private final LockStore store;

	private final DefaultLockRegistry registry;

	private final LockOptions options;

	StarterAdapter(Target target) {
		this(target, RedisStoreSettings.defaults(), ReleaseMode.CONFIRMED, List.of());
	}

	/**
	 * Connect.
	 * @param target where and how to lock
	 * @param settings of the store
	 * @param release when a release is done for who releases
	 * @param monitors who is told of everything
	 */
	StarterAdapter(Target target, RedisStoreSettings settings, ReleaseMode release, List<LockMonitor> monitors) {
		if (target.topology() == Topology.QUORUM) {
			ClientResources resources = ClientResources.create();
			List<RedisClient> clients = target.addresses()
				.stream()
				.map((address) -> RedisClient.create(resources, "redis://" + address))
				.toList();
			this.shutDown = () -> {
				clients.forEach(RedisClient::shutdown);
				resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
			};
			this.store = quorum(clients, settings, target.ttl());
		}
		else {
			LettuceConnectionFactory factory = SpringRedis.connectionFactory(target);
			this.shutDown = factory::destroy;
			this.store = new RedisLockStore(factory, settings);
		}
		this.registry = new DefaultLockRegistry("bench-" + UUID.randomUUID(), this.store, RegistrySettings.defaults(),
				List.of(), monitors);
		this.options = LockOptions.defaults().withTtl(target.ttl()).withReleaseMode(release);
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		return lock(this.registry.obtain(key, this.options));
	}

	@Override
	public Held read(String key) throws InterruptedException {
		return lock(this.registry.obtainReadWrite(key, this.options).readLock());
	}

	@Override
	public Held write(String key) throws InterruptedException {
		return lock(this.registry.obtainReadWrite(key, this.options).writeLock());
	}

	private static Held lock(LeasedLock lock) throws InterruptedException {
		lock.lockInterruptibly();
		return new HeldLock(lock);
	}

	@Override
	public boolean tryOnce(String key) throws InterruptedException {
		Optional<Lease> lease = this.registry.tryAcquire(key, this.options.withWaitTime(Duration.ZERO));
		lease.ifPresent(Lease::close);
		return lease.isPresent();
	}

	@Override
	public CompletableFuture<?> ask(String key) {
		CompletableFuture<Lease> request = this.registry.acquireAsync(key, this.options);
		var unused = request.thenCompose(Lease::releaseAsync);
		return request;
	}

	@Override
	public Held permit(String key, int limit) throws InterruptedException {
		Lease permit = this.registry.permits(key, limit, this.options.withWaitTime(LockOptions.UNLIMITED)).acquire();
		return permit::close;
	}

	@Override
	public void close() {
		this.registry.stop();
		this.store.close();
		this.shutDown.run();
	}

	// As the auto-configuration does, but for the servers: they are new, so that none has
	// granted anything before, and need not abstain for longer than any ttl.
	private static LockStore quorum(List<RedisClient> clients, RedisStoreSettings settings, Duration maxTtl) {
		return new QuorumLockStore(clients.stream()
			.map((client) -> new QuorumNode(new VotingRedis(client, settings, ABSTENTION), NODE_TIMEOUT))
			.toList(), maxTtl);
	}

	private record HeldLock(LeasedLock lock) implements Held {

		@Override
		public void unlock() {
			this.lock.unlock();
		}

		@Override
		public long fencingToken() {
			return this.lock.lease().fencingToken();
		}

	}

}
