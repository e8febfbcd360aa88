// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.text.PrintableText;
import io.lockstarter.testkit.RedisCluster;

import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of what things are called in Redis.
 */
class RedisNamesTest {

	private static final List<String> NASTY = List.of("stock:42", "}x", "{", "}", "{}", "a}b", "{a}b", "}{", " ", "\n",
			"\u0000", "\u00e4\u00f6\u00fc\u6f22\ud83d\udd12", "x".repeat(1_000));

	private final RedisNames names = new RedisNames("lock");

	@Test
	void namesAreAsDocumented() {
		assertThat(this.names.lock("stock:42")).isEqualTo("{lock}lock:stock:42");
		assertThat(this.names.queue("stock:42")).isEqualTo("{lock}queue:stock:42");
		assertThat(this.names.fence()).isEqualTo("{lock}fence");
		assertThat(this.names.channel("a")).isEqualTo("{lock}signal:a");
	}

	@Test
	void keysOfALockShareASlotWhateverTheLockIsCalled() {
		assertThat(NASTY).allSatisfy(
				(key) -> assertThat(Stream.of(this.names.lock(key), this.names.queue(key)).map(RedisNamesTest::slot))
					.containsOnly(slot(this.names.lock(key))));
	}

	@Test
	void keyCannotReachIntoAnotherPrefix() {
		assertThat(new RedisNames("app").lock("x:y")).isNotEqualTo(new RedisNames("app:x").lock("y"));
		assertThat(new RedisNames("app").channel("a")).isNotEqualTo(new RedisNames("app:signal").channel("a"));
	}

	@Test
	void differentLocksHaveDifferentKeys() {
		Stream<String> tricky = Stream.concat(NASTY.stream(), Stream.of("a", "queue:a", "fence", "{lock}lock:a"));
		assertThat(tricky.flatMap((key) -> Stream.of(this.names.lock(key), this.names.queue(key))))
			.doesNotHaveDuplicates();
	}

	@Test
	void bucketsOfAClusterLieEvenlyAmongTheSlots() {
		List<RedisNames> buckets = RedisNames.of("lock", true);
		assertThat(buckets).hasSize(RedisNames.BUCKETS).doesNotHaveDuplicates();
		int part = SlotHash.SLOT_COUNT / RedisNames.BUCKETS;
		for (int i = 0; i < buckets.size(); i++) {
			RedisNames names = buckets.get(i);
			assertThat(names.hashTag()).startsWith("lock:");
			assertThat(names.slot()).isBetween(i * part, (i + 1) * part - 1);
			assertThat(List.of(names.lock("k"), names.queue("k"), names.fence(), names.channel("a")))
				.allSatisfy((name) -> assertThat(SlotHash.getSlot(name)).isEqualTo(names.slot()));
		}
	}

	// Instances of several versions have to agree.
	@Test
	void bucketsOfAClusterNeverChange() {
		assertThat(RedisNames.of("lock", true).stream().map(RedisNames::hashTag)).containsExactly("lock:61", "lock:43",
				"lock:10", "lock:1", "lock:60", "lock:42", "lock:11", "lock:0", "lock:63", "lock:41", "lock:12",
				"lock:3", "lock:62", "lock:40", "lock:13", "lock:2");
		assertThat(RedisNames.bucketOf("stock:42")).isEqualTo(2);
	}

	@Test
	void keysWithTheSameHashTagShareABucket() {
		assertThat(RedisNames.bucketOf("order:{42}")).isEqualTo(RedisNames.bucketOf("invoice:{42}:lines"));
	}

	@Test
	void aSingleRedisHasOneHashTag() {
		assertThat(RedisNames.of("lock", false)).containsExactly(new RedisNames("lock"));
	}

	@Test
	void nodeOfAClusterAcceptsAllCommandsOfNastyLocks() {
		RedisCluster cluster = RedisCluster.shared();
		try (TestStore store = new TestStore(cluster.nodes().get(0), cluster.connectionFactory(),
				RedisStoreSettings.defaults())) {
			for (String key : NASTY) {
				store.take(key, "a:1");
				store.findBusy(key, "b:1", true);
				assertThat(store.renew(key, "a:1")).isTrue();
				assertThat(value(store.release(key, "a:1", true))).isTrue();
				value(store.store().leave(key, "a"));
				assertThat(store.redis().clusterKeyslot(this.names.lock(key)))
					.isEqualTo((long) slot(this.names.lock(key)));
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a\tb", "{a", "a}" })
	void badPrefixIsRefused(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisStoreSettings.defaults().withKeyPrefix(prefix))
			.withMessageContaining("keyPrefix")
			.withMessageContaining("'" + PrintableText.of(prefix) + "'");
	}

	@Test
	void badDurationsAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisStoreSettings.defaults().withReservation(Duration.ofNanos(999_999)))
			.withMessageContaining("reservation");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisStoreSettings.defaults().withGrantTerm(Duration.ofMillis(-1)))
			.withMessageContaining("grantTerm");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisStoreSettings.defaults().withFenceRetention(Duration.ofSeconds(Long.MAX_VALUE)))
			.withMessageContaining("fenceRetention");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisStoreSettings.defaults().withFenceRetention(Duration.ofSeconds(Long.MIN_VALUE)))
			.withMessageContaining("fenceRetention");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisStoreSettings.defaults().withConnectTimeout(Duration.ZERO))
			.withMessageContaining("connectTimeout");
	}

	private static int slot(String key) {
		return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
	}

}
