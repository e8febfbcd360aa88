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
package io.lockstarter.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;

/**
 * Client whose connections to the same address share a thread: the one that receives a
 * signal also sends the command that follows from it, and need not wake another one.
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
		EventLoop loop = this.loops.computeIfAbsent(ClusterNodes.name(builder.getRedisURI()),
				(address) -> bootstrap.config().group().next());
		builder.bootstrap(bootstrap.clone(loop));
		return super.initializeChannelAsync(builder);
	}

}
