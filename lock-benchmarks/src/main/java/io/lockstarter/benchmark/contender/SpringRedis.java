package io.lockstarter.benchmark.contender;

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
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(Target.HOST, target.port()));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
