// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * An address that properties name, and what to trust there.
 *
 * @param uri the address
 * @param tls the keys and certificates of an SSL bundle; {@code null} without one
 * @since 0.1
 */
public record LockAddress(RedisURI uri, @Nullable SslOptions tls) {

	/**
	 * Read an address.
	 * @param prefix what the names of the properties begin with
	 * @param url the property {@code url}
	 * @param bundle the property {@code ssl-bundle}
	 * @param bundles knows the bundles
	 * @return the address
	 * @throws LockSetupException if a property cannot be used
	 */
	public static LockAddress of(String prefix, String url, @Nullable String bundle,
			ObjectProvider<SslBundles> bundles) {
		RedisURI uri = LockRedisUrl.parse(prefix + "url", url);
		if (!StringUtils.hasText(bundle)) {
			return new LockAddress(uri, null);
		}
		if (!uri.isSsl()) {
			throw new LockSetupException(
					"Property '%1$sssl-bundle' is set, but '%1$surl' is not an address with TLS".formatted(prefix),
					"Begin the address with rediss:// (or rediss-sentinel://)", null);
		}
		return new LockAddress(uri, tls(prefix, bundle, bundles));
	}

	private static SslOptions tls(String prefix, String bundle, ObjectProvider<SslBundles> bundles) {
		try {
			return LockRedis.tls(bundles.getObject().getBundle(bundle));
		}
		catch (NoSuchSslBundleException ex) {
			throw new LockSetupException(
					"Property '%sssl-bundle' names '%s', and there is no such SSL bundle".formatted(prefix, bundle),
					"Define it by 'spring.ssl.bundle.pem.%1$s.*' or 'spring.ssl.bundle.jks.%1$s.*'".formatted(bundle),
					ex);
		}
	}

	/**
	 * Return options for a client.
	 * @return the options
	 */
	public ClientOptions options() {
		ClientOptions.Builder options = ClientOptions.builder();
		return ((this.tls != null) ? options.sslOptions(this.tls) : options).build();
	}

}
