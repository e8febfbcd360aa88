// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link ServerStats}.
 */
class ServerStatsTest {

	@Test
	void singleServer() {
		ServerStats stats = ServerStats.of(List.of(info("master", 1.5, 7, 3)));
		assertThat(stats.version()).isEqualTo("7.0.15");
		assertThat(stats.cpuSeconds()).isEqualTo(2, within(1e-9));
		assertThat(stats.calls()).containsEntry("evalsha", 7L);
		assertThat(stats.keys()).isEqualTo(3);
		assertThat(stats.expiring()).isEqualTo(2);
	}

	@Test
	void everyNodeOfTheClusterUsesTimeButReplicasOnlyRepeat() {
		List<String> before = List.of(info("master", 1, 10, 3), info("slave", 1, 99, 3), info("master", 2, 20, 4));
		List<String> after = List.of(info("master", 2, 15, 3), info("slave", 3, 999, 3), info("master", 3, 22, 4));
		ServerStats stats = ServerStats.of(after);
		assertThat(stats.cpuSeconds() - ServerStats.of(before).cpuSeconds()).isEqualTo(4, within(1e-9));
		assertThat(stats.scriptsSince(ServerStats.of(before))).isEqualTo(7);
		assertThat(stats.keys()).isEqualTo(7);
		assertThat(stats.expiring()).isEqualTo(5);
		assertThat(stats.usedMemory()).isEqualTo(2000);
	}

	private static String info(String role, double user, int scripts, int keys) {
		return """
				redis_version:7.0.15\r
				used_memory:1000\r
				role:%s\r
				used_cpu_sys:0.5\r
				used_cpu_user:%s\r
				cmdstat_evalsha:calls=%d,usec=1\r
				db0:keys=%d,expires=%d,avg_ttl=1\r
				""".formatted(role, user, scripts, keys, keys - 1);
	}

}
