// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the kit itself.
 */
@Tag("proof")
class RedisClusterTest {

	private static final int SLOT = RedisCluster.slotOf("k");

	private static RedisCluster cluster;

	private final RedisClusterClient client = cluster.client();

	private final RedisAdvancedClusterCommands<String, String> commands = this.client.connect().sync();

	@BeforeAll
	static void start() {
		cluster = RedisCluster.startWithFastFailOver();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@AfterEach
	void close() {
		cluster.primaries().forEach((node) -> node.commands().flushall());
		this.client.shutdown();
	}

	@Test
	void threePrimariesHaveTheSlotsAndAReplicaEach() {
		assertThat(cluster.nodes()).hasSize(6);
		assertThat(cluster.primaries()).hasSize(3);
		assertThat(cluster.primaries().stream().map(cluster::replicaOf)).doesNotHaveDuplicates().hasSize(3);
		IntStream.range(0, 100).forEach((i) -> this.commands.set("key" + i, "v"));
		assertThat(cluster.keys("key*")).hasSize(100);
		assertThat(cluster.primaries()).allMatch((node) -> !node.keys("key*").isEmpty());
	}

	@Test
	void slotMovesWithItsKeysAndBack() {
		RedisServer source = cluster.primaryOf(SLOT);
		RedisServer target = cluster.otherThan(SLOT);
		this.commands.set("k", "v");
		cluster.migrate(SLOT, target);
		assertThat(cluster.primaryOf("k")).isSameAs(target);
		assertThat(target.keys("k")).containsExactly("k");
		assertThat(this.commands.get("k")).isEqualTo("v");
		cluster.migrate(SLOT, source);
		assertThat(cluster.primaryOf("k")).isSameAs(source);
		assertThat(this.commands.get("k")).isEqualTo("v");
	}

	@Test
	void slotThatIsHalfMovedHasKeysHereAndThere() {
		RedisServer source = cluster.primaryOf(SLOT);
		RedisServer target = cluster.otherThan(SLOT);
		this.commands.mset(Map.of("{k}here", "v", "{k}there", "v"));
		RedisCluster.Migration migration = cluster.beginToMigrate(SLOT, target);
		migration.moveKey("{k}there");
		assertThat(source.keys("{k}*")).containsExactly("{k}here");
		assertThat(target.keys("{k}*")).containsExactly("{k}there");
		assertThatThrownBy(() -> this.commands.mget("{k}here", "{k}there"))
			.isInstanceOf(RedisCommandExecutionException.class)
			.hasMessageStartingWith("TRYAGAIN");
		migration.moveKeys();
		migration.finish();
		assertThat(this.commands.mget("{k}here", "{k}there")).hasSize(2);
		cluster.migrate(SLOT, source);
	}

	@Test
	void replicaTakesOverAtOnceWhenToldTo() {
		RedisServer primary = cluster.primaryOf(SLOT);
		RedisServer replica = cluster.replicaOf(primary);
		cluster.failOver(replica);
		assertThat(cluster.primaryOf(SLOT)).isSameAs(replica);
		assertThat(cluster.replicaOf(replica)).isSameAs(primary);
	}

	@Test
	void replicaTakesOverFromAPrimaryThatWasKilledAndThatComesBackAsItsReplica() {
		RedisServer primary = cluster.primaryOf(SLOT);
		RedisServer replica = cluster.replicaOf(primary);
		cluster.kill(primary);
		cluster.awaitPromotion(replica);
		assertThat(cluster.primaryOf(SLOT)).isSameAs(replica);
		cluster.start(primary);
		cluster.awaitStable();
		assertThat(cluster.replicaOf(replica)).isSameAs(primary);
	}

	@Test
	void replicaTakesOverFromAPrimaryThatIsPaused() {
		RedisServer primary = cluster.primaryOf(SLOT);
		RedisServer replica = cluster.replicaOf(primary);
		cluster.pause(primary);
		cluster.awaitPromotion(replica);
		cluster.resume(primary);
		await().untilAsserted(() -> assertThat(primary.commands().info("replication")).contains("role:slave"));
	}

	@Test
	void oldestClusterIsOfThatVersion() {
		try (RedisCluster oldest = RedisCluster.startOldest()) {
			assertThat(oldest.nodes())
				.allMatch((node) -> node.commands().info("server").contains("redis_version:6.2."));
			assertThat(List.copyOf(oldest.primaries())).hasSize(3);
		}
	}

}
