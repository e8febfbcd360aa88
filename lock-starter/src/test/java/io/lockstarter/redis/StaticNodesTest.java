// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import io.lettuce.core.KillArgs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A static list of a primary and its replicas, of which the replica comes first.
 */
class StaticNodesTest {

	private static final String PASSWORD = "secret";

	private final RedisServer primary = RedisServers.start("--requirepass", PASSWORD, "--masterauth", PASSWORD,
			"--repl-diskless-sync-delay", "0");

	private final RedisServer replica = RedisServers.start("--requirepass", PASSWORD, "--masterauth", PASSWORD,
			"--replicaof", this.primary.host(), String.valueOf(this.primary.port()));

	@BeforeEach
	void awaitReplica() {
		soon().until(() -> this.primary.commands().info("replication").contains("state=online"));
	}

	@AfterEach
	void close() {
		this.replica.close();
		this.primary.close();
	}

	@Test
	void commandsSignalsAndInspectionGoToThePrimary() {
		try (TestStore store = store((configuration) -> {
		})) {
			Recorder holder = store.listen("a");
			store.take("stock:42", "a:1");
			assertThat(this.primary.commands().get("{lock}lock:stock:42")).isEqualTo("a:1");
			store.findBusy("stock:42", "b:1", true);
			holder.awaitEvent("contended stock:42");
			assertThat(value(store.store().inspect("stock:42")).queue()).hasSize(1);
			assertThat(value(store.store().scan(null, 10)).locks()).hasSize(1);
			assertThat(store.renew("stock:42", "a:1")).isTrue();
			assertThat(store.release("stock:42", "a:1")).isTrue();
			assertThat(subscribers(this.primary)).isOne();
			assertThat(subscribers(this.replica)).isZero();
		}
	}

	@Test
	void databaseIsThatOfTheConfiguration() {
		try (TestStore store = store((configuration) -> configuration.setDatabase(3))) {
			store.take("stock:42", "a:1");
			assertThat(this.primary.commands().info("keyspace")).contains("db3:").doesNotContain("db0:");
		}
	}

	@Test
	void userIsThatOfTheConfiguration() {
		TestStore.acl(this.primary, "service", "reset", "on", ">other", "~*", "&*", "+@all");
		TestStore.acl(this.replica, "service", "reset", "on", ">other", "~*", "&*", "+@all");
		try (TestStore store = store((configuration) -> {
			configuration.setUsername("service");
			configuration.setPassword("other");
		})) {
			store.take("stock:42", "a:1");
			assertThat(store.redis().clientList()).contains("user=service");
		}
	}

	@Test
	void replicaThatIsPromotedIsFoundWhenThePrimaryIsKilled() {
		try (TestStore store = store((configuration) -> {
		})) {
			Recorder holder = store.listen("a");
			store.take("stock:42", "a:1");
			soon().until(() -> this.replica.commands().get("{lock}lock:stock:42") != null);
			this.primary.kill();
			this.replica.commands().replicaofNoOne();
			soon().ignoreExceptions().until(() -> store.renew("stock:42", "a:1"));
			soon().until(() -> subscribers(this.replica) == 1);
			soon().until(() -> List.copyOf(holder.events()).equals(List.of("listening", "deaf", "listening")));
		}
	}

	/**
	 * It has been a primary all the time, as far as it knows.
	 */
	@Test
	void tokensGrowWhenThePrimaryThatWasReplacedIsReturnedTo() {
		try (TestStore store = store((configuration) -> {
		})) {
			store.take("stock:42", "a:1");
			this.replica.commands().replicaofNoOne();
			this.primary.commands().configSet("requirepass", "unknown");
			this.primary.commands().clientKill(KillArgs.Builder.typeNormal().skipme());
			// The last of its block is ahead by more than this takes.
			long between = eventually(() -> store.take("stock:43", "a:2").firstToken());
			assertThat(this.replica.commands().exists("{lock}lock:stock:43")).isOne();
			this.primary.commands().configSet("requirepass", PASSWORD);
			this.replica.kill();
			assertThat(eventually(() -> store.take("stock:43", "a:3").firstToken())).isGreaterThan(between);
		}
	}

	@Test
	void replicaThatServesNothingLeadsToTheNextServer() {
		try (TestStore store = store((configuration) -> {
		})) {
			store.take("stock:42", "a:1");
			soon().until(() -> this.replica.commands().get("{lock}lock:stock:42") != null);
			this.replica.commands().replicaofNoOne();
			this.primary.commands().configSet("replica-serve-stale-data", "no");
			this.primary.commands().replicaof("127.0.0.1", 1);
			soon().ignoreExceptions().until(() -> store.renew("stock:42", "a:1"));
		}
	}

	@Test
	void readOnlyLeadsToTheNextServer() {
		try (TestStore store = store((configuration) -> {
		})) {
			store.take("stock:42", "a:1");
			soon().until(() -> this.replica.commands().get("{lock}lock:stock:42") != null);
			this.replica.commands().replicaofNoOne();
			this.primary.commands().replicaof(this.replica.host(), this.replica.port());
			soon().ignoreExceptions().until(() -> store.renew("stock:42", "a:1"));
			store.take("next", "a:2");
			assertThat(this.replica.commands().get("{lock}lock:next")).isEqualTo("a:2");
		}
	}

	/**
	 * A service that only shares locks sends nothing but renewals.
	 */
	@Test
	void renewalsOfReadersLeadToTheNextServer() {
		try (TestStore store = store((configuration) -> {
		})) {
			value(store.store().acquire(shared("a:1")));
			value(store.store().acquire(shared("b:1")));
			soon().until(() -> this.replica.commands().zcard("{lock}readers:prices") == 2);
			this.replica.commands().replicaofNoOne();
			this.primary.commands().replicaof(this.replica.host(), this.replica.port());
			soon().ignoreExceptions().until(() -> store.renew("prices", "a:1"));
			assertThat(store.renew("prices", "b:1")).isTrue();
		}
	}

	private static Acquire shared(String owner) {
		return new Acquire("prices", "app", owner, TestStore.TTL, false, 1, false, LockMode.SHARED);
	}

	@Test
	void serversThatAreAllReplicasAreNamed() {
		this.primary.commands().replicaof("127.0.0.1", RedisServers.freePort());
		try (TestStore store = store((configuration) -> {
		})) {
			LockStoreException failure = failure(store.acquire("stock:42", "a:1", false));
			assertThat(failure).hasMessageContaining(
					"none of the 2 servers of the static configuration is a primary; 127.0.0.1:%d: "
							+ "it is a replica; 127.0.0.1:%d: it is a replica",
					this.replica.port(), this.primary.port());
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(failure.isTransient()).isTrue();
		}
	}

	@Test
	void passwordThatIsWrongIsNoPassingTrouble() {
		try (TestStore store = store((configuration) -> configuration.setPassword("wrong"))) {
			LockStoreException failure = failure(store.acquire("stock:42", "a:1", false));
			assertThat(failure).hasMessageContaining("WRONGPASS");
			assertThat(failure.isTransient()).isFalse();
		}
	}

	private static <T> T eventually(Callable<T> command) {
		return soon().ignoreExceptions().until(command, (reply) -> true);
	}

	private TestStore store(Consumer<RedisStaticMasterReplicaConfiguration> settings) {
		RedisStaticMasterReplicaConfiguration configuration = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				this.replica.port());
		configuration.addNode("127.0.0.1", this.primary.port());
		configuration.setPassword(PASSWORD);
		settings.accept(configuration);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return new TestStore(this.primary, factory, RedisStoreSettings.defaults());
	}

	private static int subscribers(RedisServer server) {
		return server.commands().pubsubChannels("*signal:a").size();
	}

}
