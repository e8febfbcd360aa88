// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AddressesTest {

	@Test
	void copyHasAllThatAnAddressHas() {
		RedisURI source = RedisURI.Builder.sentinel("sentinel", 26379, "primary")
			.withDatabase(3)
			.withClientName("shop")
			.withLibraryName("lettuce(spring)")
			.withLibraryVersion("9.9")
			.withSsl(true)
			.withVerifyPeer(false)
			.withTimeout(Duration.ofSeconds(7))
			.withAuthentication("shop", "secret".toCharArray())
			.build();
		RedisURI copy = Addresses.copy(source);
		// Lettuce 6.6 keeps a name and a password apart from what provides them
		assertThat(copy).usingRecursiveComparison()
			.ignoringFields("username", "password", "credentialsProvider")
			.isEqualTo(source);
		RedisCredentials credentials = copy.getCredentialsProvider().resolveCredentials().block();
		assertThat(credentials.getUsername()).isEqualTo("shop");
		assertThat(credentials.getPassword()).containsExactly("secret".toCharArray());
	}

}
