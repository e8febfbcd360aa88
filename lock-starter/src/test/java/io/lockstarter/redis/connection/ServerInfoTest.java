// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.RedisConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of what a server says of itself.
 */
class ServerInfoTest {

	/**
	 * Valkey names the field {@code server_mode}.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "redis_mode", "server_mode" })
	void modeHasAnotherNameInValkey(String field) {
		assertThatExceptionOfType(RedisConnectionException.class).isThrownBy(() -> info(field, "sentinel", true))
			.withMessageContaining("Sentinel");
		assertThatExceptionOfType(RedisConnectionException.class).isThrownBy(() -> info(field, "cluster", false))
			.withMessageContaining("Cluster");
		assertThat(info(field, "cluster", true).mode()).isEqualTo("cluster");
		assertThat(info(field, "standalone", false).mode()).isEqualTo("standalone");
	}

	@Test
	void serverThatLoadsItsDataIsNotUsedYet() {
		assertThatExceptionOfType(RedisConnectionException.class)
			.isThrownBy(() -> ServerInfo.of("redis_version:7.2.4\r\nrun_id:1\r\nloading:1\r\nrole:master\r\n"))
			.satisfies((failure) -> assertThat(ErrorReply.of(failure).isTransient()).isTrue());
	}

	private static ServerInfo info(String field, String mode, boolean cluster) {
		return ServerInfo
			.of("# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n%s:%s\r\nrun_id:1\r\n".formatted(field, mode))
			.expectCluster(cluster);
	}

}
