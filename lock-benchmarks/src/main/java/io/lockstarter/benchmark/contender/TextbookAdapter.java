// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * What textbooks show: {@code SET NX PX} with a value of one's own, and a script that
 * deletes the key if it still has this value. No renewal, no tokens, polls when busy.
 */
final class TextbookAdapter implements LockAdapter {

	private static final String COMPARE_AND_DELETE = """
			if redis.call('GET', KEYS[1]) == ARGV[1] then
				return redis.call('DEL', KEYS[1])
			end
			return 0""";

	private final String instance = UUID.randomUUID().toString();

	private final AtomicLong sequence = new AtomicLong();

	private final LettuceConnectionFactory factory;

	private final RedisClusterAsyncCommands<String, String> commands;

	private final String script;

	private final SetArgs ifFree;

	private final Duration poll;

	TextbookAdapter(Target target, Duration poll) {
		this.factory = SpringRedis.connectionFactory(target);
		this.commands = SpringRedis.connect(this.factory);
		this.script = this.commands.scriptLoad(COMPARE_AND_DELETE).toCompletableFuture().join();
		this.ifFree = SetArgs.Builder.nx().px(target.longTtl());
		this.poll = poll;
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		String owner = this.instance + this.sequence.incrementAndGet();
		while (this.commands.set(key, owner, this.ifFree).toCompletableFuture().join() == null) {
			Thread.sleep(this.poll.toMillis());
		}
		return () -> unlock(key, owner);
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

	private void unlock(String key, String owner) {
		Long deleted = this.commands.<Long>evalsha(this.script, ScriptOutputType.INTEGER, new String[] { key }, owner)
			.toCompletableFuture()
			.join();
		if (deleted != 1) {
			throw new IllegalStateException("Lost the lock of " + key);
		}
	}

}
