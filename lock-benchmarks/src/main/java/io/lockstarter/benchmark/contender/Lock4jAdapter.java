// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.List;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j on a Redis template. Its auto-configuration is of an older Spring Boot, so its
 * parts are put together here. Without renewal: that starts a timer thread for each
 * acquisition, which stays on after the release and would exhaust the JVM at these rates.
 */
final class Lock4jAdapter implements LockAdapter {

	private final LettuceConnectionFactory factory;

	private final LockTemplate template = new LockTemplate();

	private final long ttl;

	Lock4jAdapter(Target target, Duration retryInterval) {
		this.factory = SpringRedis.connectionFactory(target);
		this.ttl = target.longTtl().toMillis();
		Lock4jProperties properties = new Lock4jProperties();
		properties.setRetryInterval(retryInterval.toMillis());
		this.template.setProperties(properties);
		this.template
			.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(this.factory), properties)));
		try {
			this.template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Held lock(String key) {
		LockInfo lock = this.template.lock(key, this.ttl, Long.MAX_VALUE);
		if (lock == null) {
			throw new IllegalStateException("Lock4j gave up on " + key);
		}
		return () -> this.template.releaseLock(lock);
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
