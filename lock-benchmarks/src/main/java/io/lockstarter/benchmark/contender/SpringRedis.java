// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis of a Spring Boot service: Lettuce with the default settings, which share one
 * connection among all threads.
 */
final class SpringRedis {

	private SpringRedis() {
	}

	static LettuceConnectionFactory connectionFactory(Target target) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(target));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Open a connection as lock-starter does: of the client of the factory, and without a
	 * time limit of Lettuce's for each command.
	 * @param factory the factory
	 * @return the commands of a connection that nobody else uses
	 */
	static RedisClusterAsyncCommands<String, String> connect(LettuceConnectionFactory factory) {
		AbstractRedisClient client = factory.getRequiredNativeClient();
		if (client instanceof RedisClusterClient cluster) {
			StatefulRedisClusterConnection<String, String> connection = cluster.connect(StringCodec.UTF8);
			connection.setTimeout(Duration.ZERO);
			return connection.async();
		}
		StatefulRedisConnection<String, String> connection = ((RedisClient) client).connect(StringCodec.UTF8);
		connection.setTimeout(Duration.ZERO);
		return connection.async();
	}

	private static RedisConfiguration configuration(Target target) {
		if (target.topology() == Topology.CLUSTER) {
			return new RedisClusterConfiguration(target.addresses());
		}
		RedisNode node = RedisNode.fromString(target.addresses().get(0));
		return new RedisStandaloneConfiguration(node.getRequiredHost(), node.getRequiredPort());
	}

}
