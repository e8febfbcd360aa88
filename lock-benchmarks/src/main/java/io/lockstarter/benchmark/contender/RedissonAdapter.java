/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.benchmark.contender;

import java.util.function.BiFunction;

import org.redisson.Redisson;
import org.redisson.api.RLock;
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

	private final RedissonClient client;

	private final BiFunction<RedissonClient, String, RLock> lockOf;

	RedissonAdapter(Target target, BiFunction<RedissonClient, String, RLock> lockOf) {
		Config config = new Config();
		config.setCodec(StringCodec.INSTANCE);
		config.setUseScriptCache(true);
		config.setLockWatchdogTimeout(target.ttl().toMillis());
		config.setNettyThreads(TWICE_THE_CORES);
		String[] addresses = target.addresses().stream().map("redis://"::concat).toArray(String[]::new);
		if (target.isCluster()) {
			// Who waits for a replica keeps a connection busy, so the default is better.
			config.useClusterServers().addNodeAddress(addresses).setReadMode(ReadMode.MASTER);
		}
		else {
			config.useSingleServer()
				.setAddress(addresses[0])
				.setConnectionPoolSize(CONNECTIONS)
				.setConnectionMinimumIdleSize(CONNECTIONS);
		}
		this.client = Redisson.create(config);
		this.lockOf = lockOf;
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		RLock lock = this.lockOf.apply(this.client, key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
