// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.migration;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.LockSetupException;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockDisabledAutoConfiguration;
import io.lockstarter.autoconfigure.RedisApplication;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.redis.ScriptPart;
import io.lockstarter.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Properties of a migration, and what is wrong with some.
 */
class MigrationPropertiesTest {

	private final ApplicationContextRunner stores = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(MigrationAutoConfiguration.class, LockAutoConfiguration.class, LockDisabledAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.stores.withBean(RedisConnectionFactory.class,
			() -> new LettuceConnectionFactory("127.0.0.1", 1));

	@Test
	void isBoundAndItsMisspeltPropertiesAreNoticed() {
		ApplicationContextRunner migrating = this.runner.withPropertyValues(
				"distributed-lock.migration[0].keys=stock:*", "distributed-lock.migration[0].from=spring-integration",
				"distributed-lock.migration[0].oldKey=locks:*", "distributed-lock.migration[1].from=getset-millis",
				"distributed-lock.migration[1].old-key=*");
		migrating.run((context) -> {
			assertThat(context.getBean(MigrationProperties.class).oldLocks()).containsExactly(
					new OldLock("stock:*", OldLock.Format.SPRING_INTEGRATION, "locks:*"),
					new OldLock("*", OldLock.Format.GETSET_MILLIS, "*"));
			assertThat(context.getBean(LockStore.class).isShareable()).isFalse();
		});
		migrating.withPropertyValues("distributed-lock.migration[0].key=a")
			.run((context) -> assertThat(RedisApplication.refusal(context).problem())
				.isEqualTo("Property 'distributed-lock.migration[0].key' does not exist"));
		migrating.withPropertyValues("distributed-lock.migration[0].from=jedis")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasStackTraceContaining("distributed-lock.migration[0].from"));
	}

	@Test
	void withoutPropertiesNothingIsAdded() {
		this.runner.run((context) -> {
			assertThat(context.getBean(ScriptPart.class)).isSameAs(ScriptPart.NONE);
			assertThat(context.getBean(LockStore.class).isShareable()).isTrue();
		});
	}

	@Test
	void childWithoutAStoreOfItsOwnIsNotChecked() {
		String[] properties = { "distributed-lock.migration[0].from=set-nx",
				"distributed-lock.migration[0].old-key=older:*" };
		this.runner.withPropertyValues(properties)
			.run((parent) -> this.stores.withParent(parent).withPropertyValues(properties).run((child) -> {
				assertThat(child).hasNotFailed();
				assertThat(child.containsLocalBean("oldLocks")).isFalse();
			}));
	}

	@Test
	void isNotLookedAtWithoutLocks() {
		this.runner
			.withPropertyValues("distributed-lock.enabled=false", "distributed-lock.migration[0].old-key=older:*")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void isRefusedBesideAStoreThatKnowsNoOldLocks() {
		ApplicationContextRunner migrating = this.stores.withPropertyValues("distributed-lock.migration[0].from=set-nx",
				"distributed-lock.migration[0].old-key=older:*");
		migrating.withBean(LockStore.class, MemoryLockStore::new).run((context) -> {
			assertThat(RedisApplication.refusal(context).problem())
				.startsWith("Property 'distributed-lock.migration' has no effect on a LockStore bean");
			assertThat(RedisApplication.refusal(context).remedy())
				.startsWith("Remove the property, or the LockStore bean");
		});
		migrating.withPropertyValues("distributed-lock.store=memory")
			.run((context) -> assertThat(context).hasNotFailed());
		migrating.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", 1))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			old-key=old:*, from, "is missing", set-nx, spring-integration, shedlock, redisson, getset-millis
			from=redisson, old-key, "is missing", "such as 'inventory-lock:*'"
			from=redisson old-key=old:*:*, old-key, "must have one '*', as the keys '*' have", another value
			from=redisson old-key=old, old-key, "must have one '*'", another value
			from=redisson old-key={lock}lock:*, old-key, "must not begin with '{lock}'", 'distributed-lock.key-prefix'
			from=redisson old-key=old keys=a**, keys, "must have one '*' at most, but is 'a**'", another value
			""")
	void whatCannotWorkIsRefusedWithItsRemedy(String values, String name, String problem, String remedy) {
		String[] properties = Arrays.stream(values.split(" ", -1))
			.map((value) -> "distributed-lock.migration[1]." + value)
			.toArray(String[]::new);
		this.runner
			.withPropertyValues("distributed-lock.migration[0].from=set-nx",
					"distributed-lock.migration[0].old-key=older:*")
			.withPropertyValues(properties)
			.run((context) -> {
				LockSetupException refusal = RedisApplication.refusal(context);
				assertThat(refusal.problem()).startsWith("Property 'distributed-lock.migration[1].%s' ".formatted(name))
					.contains(problem);
				assertThat(refusal.remedy()).contains(remedy);
			});
	}

	@Test
	void isRefusedInARedisCluster() {
		this.stores
			.withBean(LettuceConnectionFactory.class,
					() -> new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:1"))))
			.withPropertyValues("distributed-lock.migration[0].keys=*", "distributed-lock.migration[0].from=redisson",
					"distributed-lock.migration[0].old-key=*")
			.run((context) -> {
				assertThat(RedisApplication.refusal(context).problem()).contains("'distributed-lock.migration'",
						"Redis Cluster");
				assertThat(RedisApplication.refusal(context).remedy()).contains("stop the old instances",
						"distributed-lock.url");
			});
	}

}
