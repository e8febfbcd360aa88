package io.lockstarter.sample.stage;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.listener.PatternTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * Subscribes this instance to what the instances tell each other.
 */
@Configuration(proxyBeanMethods = false)
class StageConfiguration {

	@Bean
	RedisMessageListenerContainer stageSubscription(RedisConnectionFactory connections, StageListener listener) {
		RedisMessageListenerContainer container = new RedisMessageListenerContainer();
		container.setConnectionFactory(connections);
		// On the thread that receives them: in order, and the listener does not block.
		container.setTaskExecutor(new SyncTaskExecutor());
		container.addMessageListener(listener, PatternTopic.of(Stage.CHANNEL_PREFIX + "*"));
		return container;
	}

}
