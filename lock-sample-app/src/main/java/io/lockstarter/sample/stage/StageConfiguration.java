// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.resource.Delay;
import io.lockstarter.annotation.DistributedLock;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.listener.PatternTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * Subscribes this instance to what the instances tell each other, and goes with its
 * buyers into the shops that take a lock.
 */
@Configuration(proxyBeanMethods = false)
class StageConfiguration {

	/**
	 * Inside of the lock: its order is the last.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor lockedSections(ObjectProvider<Visits> visits) {
		return new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(DistributedLock.class),
				(MethodInterceptor) (invocation) -> visits.getObject().invoke(invocation));
	}

	/**
	 * Whoever asks a Redis that cannot be reached is refused at once, as buyers and pages
	 * wait for the answer.
	 */
	@Bean
	LettuceClientOptionsBuilderCustomizer refusalWhileDisconnected() {
		return (options) -> options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
	}

	/**
	 * Connect again soon after Redis is back, however long it was away.
	 */
	@Bean
	ClientResourcesBuilderCustomizer steadyReconnects() {
		return (resources) -> resources.reconnectDelay(Delay.constant(Duration.ofMillis(500)));
	}

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
