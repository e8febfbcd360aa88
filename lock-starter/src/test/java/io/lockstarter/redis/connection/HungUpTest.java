// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lockstarter.platform.Platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What is said of a server that hangs up, as one does that expects TLS, or does not.
 */
class HungUpTest {

	private static final RedisURI ADDRESS = RedisURI.create("redis://a:1");

	private final Transport transport = mock();

	@ParameterizedTest
	@CsvSource({ "Connection closed prematurely, true", "Connection reset by peer, true", "Connection refused, false" })
	void isNamedByEachOfItsWords(String words, boolean hungUp) {
		given(this.transport.connect(any())).willReturn(failure(words));
		assertThat(failure().contains("perhaps as it expects TLS, or has too many clients: ")).isEqualTo(hungUp);
	}

	private static CompletableFuture<StatefulRedisPubSubConnection<String, String>> failure(String words) {
		return CompletableFuture
			.failedFuture(new RedisConnectionException("Unable to connect to a:1", new IllegalStateException(words)));
	}

	private String failure() {
		LettuceClient client = new LettuceClient(this, List.of(ADDRESS), false, this.transport, Platform.system(),
				Duration.ofSeconds(1));
		CompletionException failure = catchThrowableOfType(CompletionException.class,
				() -> client.connectAlone(ADDRESS, client.deadline(false)).join());
		return FailureText.of(failure);
	}

}
