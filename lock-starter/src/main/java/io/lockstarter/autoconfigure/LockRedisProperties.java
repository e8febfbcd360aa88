// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of a Redis for locks alone.
 */
// Has setters, as LockProperties has.
@ConfigurationProperties("distributed-lock")
final class LockRedisProperties {

	/**
	 * Address of a Redis for locks alone, in place of the one that the application uses,
	 * such as redis://user:password@example.com:6379/0.
	 */
	private @Nullable String url;

	/**
	 * Name of the SSL bundle for 'distributed-lock.url'.
	 */
	private @Nullable String sslBundle;

	public @Nullable String getUrl() {
		return this.url;
	}

	public void setUrl(@Nullable String url) {
		this.url = url;
	}

	public @Nullable String getSslBundle() {
		return this.sslBundle;
	}

	public void setSslBundle(@Nullable String sslBundle) {
		this.sslBundle = sslBundle;
	}

}
