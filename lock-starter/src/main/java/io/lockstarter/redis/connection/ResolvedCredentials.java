// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Credentials that are there before the connection is made. Of those that it has to wait
 * for, Lettuce takes the answer of Redis in a thread of the common pool at times, and
 * then reports a connection before commands can be sent over it, or that it was closed in
 * place of why Redis refused it; and there is none while the pool is busy.
 */
final class ResolvedCredentials implements ImmediateRedisCredentialsProvider {

	private final RedisCredentialsProvider source;

	private final RedisCredentials credentials;

	private ResolvedCredentials(RedisCredentialsProvider source, RedisCredentials credentials) {
		this.source = source;
		this.credentials = credentials;
	}

	/**
	 * Get the credentials for an address, and for its Sentinels, within its time limit.
	 * Blocks.
	 */
	static void resolve(RedisURI address) {
		address.setCredentialsProvider(resolve(address.getCredentialsProvider(), address.getTimeout()));
		address.getSentinels().forEach(ResolvedCredentials::resolve);
	}

	private static RedisCredentialsProvider resolve(RedisCredentialsProvider provider, Duration limit) {
		if (provider instanceof ImmediateRedisCredentialsProvider) {
			return provider;
		}
		RedisCredentials resolved = provider.resolveCredentials().block(limit);
		if (resolved == null) {
			throw new IllegalStateException(
					"The RedisCredentialsProvider %s returned no credentials".formatted(provider));
		}
		return new ResolvedCredentials(provider, resolved);
	}

	@Override
	public RedisCredentials resolveCredentialsNow() {
		return this.credentials;
	}

	@Override
	public Mono<RedisCredentials> resolveCredentials() {
		return Mono.just(this.credentials);
	}

	@Override
	public boolean supportsStreaming() {
		return this.source.supportsStreaming();
	}

	@Override
	public Flux<RedisCredentials> credentials() {
		return this.source.credentials();
	}

}
