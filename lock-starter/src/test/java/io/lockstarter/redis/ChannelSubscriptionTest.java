// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.redis.connection.SimulatedTransport;
import io.lockstarter.simulation.redis.Resp;
import io.lockstarter.simulation.redis.SmallClient;
import io.lockstarter.simulation.redis.SmallCluster;
import io.lockstarter.simulation.redis.SmallRedis;
import io.lockstarter.store.LockStore.Signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;

/**
 * Subscriptions over the connection of the commands.
 */
class ChannelSubscriptionTest implements SimulatedTransport.Dialler {

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final List<String> requests = new ArrayList<>();

	private final List<SimulatedConnection> opened = new ArrayList<>();

	private final SmallRedis first = server(1);

	private final SmallRedis second = server(2);

	private final Signals signals = mock();

	private RedisLockStore store = store(false);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void channelIsSubscribedToOverTheConnectionOfTheCommands() {
		this.store.listen("a", this.signals);
		assertThat(send(this.first, "PUBLISH", "{lock}signal:a", "rk")).isEqualTo("1");
		assertThat(this.opened).hasSize(1);
		verifyInOrder((told) -> told.listening(true), (told) -> told.reserved("k"));
	}

	@Test
	void subscriptionComesBackWithTheConnectionAlthoughNobodySendsACommand() {
		this.store.listen("a", this.signals);
		this.opened.get(0).cut();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.opened).hasSize(2);
		assertThat(send(this.first, "PUBLISH", "{lock}signal:a", "rk")).isEqualTo("1");
		verifyInOrder((told) -> told.listening(true), (told) -> told.listening(false), (told) -> told.listening(true),
				(told) -> told.reserved("k"));
	}

	@Test
	void endedSubscriptionIsUnknownToTheServerAndDoesNotComeBack() {
		this.store.listen("a", this.signals);
		this.store.ignore("a");
		assertThat(this.opened.get(0).isOpen()).isTrue();
		assertThat(send(this.first, "PUBLISH", "{lock}signal:a", "rk")).isEqualTo("0");
		this.opened.get(0).cut();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.opened).hasSize(2);
		assertThat(send(this.first, "PUBLISH", "{lock}signal:a", "rk")).isEqualTo("0");
		verifyInOrder((told) -> told.listening(true), (told) -> told.listening(false));
	}

	@Test
	void subscriptionFollowsASlotThatMoves() {
		SmallCluster cluster = new SmallCluster(List.of(this.first, this.second));
		this.store = store(true);
		this.store.listen("a", this.signals);
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.opened).filteredOn(SimulatedConnection::isOpen).as("one for each node").hasSize(2);
		List<SimulatedConnection> before = this.opened.stream().filter(SimulatedConnection::isOpen).toList();
		String channel = RedisNames.of("lock", true).get(0).channel("a");
		int slot = SlotHash.getSlot(channel);
		SmallRedis target = (cluster.owner(slot) == this.first) ? this.second : this.first;
		cluster.move(slot, target);
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(send(target, "SPUBLISH", channel, "rk")).isEqualTo("1");
		assertThat(this.opened).filteredOn(SimulatedConnection::isOpen).hasSize(2).containsAll(before);
		verifyInOrder((told) -> told.listening(true), (told) -> told.listening(false), (told) -> told.listening(true),
				(told) -> told.reserved("k"));
	}

	/**
	 * What the server says of a slot that moves at the same time would be taken for the
	 * answer, and each answer after it for that to another command.
	 */
	@Test
	void shardedChannelIsForgottenWithItsConnection() {
		new SmallCluster(List.of(this.first, this.second));
		this.store = store(true);
		this.store.listen("a", this.signals);
		this.platform.pass(Duration.ofSeconds(1));
		this.store.ignore("a");
		assertThat(this.requests).contains("SSUBSCRIBE").doesNotContain("SUNSUBSCRIBE", "UNSUBSCRIBE");
		String channel = RedisNames.of("lock", true).get(0).channel("a");
		send(this.first, "SPUBLISH", channel, "rk");
		send(this.second, "SPUBLISH", channel, "rk");
		verifyInOrder((told) -> told.listening(true), (told) -> told.listening(false));
	}

	/**
	 * Verify that these were all signals, in this order.
	 */
	@SafeVarargs
	private void verifyInOrder(Consumer<Signals>... expected) {
		InOrder order = inOrder(this.signals);
		for (Consumer<Signals> each : expected) {
			each.accept(order.verify(this.signals));
		}
		order.verifyNoMoreInteractions();
	}

	@Override
	public CompletableFuture<SimulatedConnection> dial(RedisURI address) {
		SmallRedis server = address.getHost().equals("server1") ? this.first : this.second;
		Session session = new Session(server);
		this.opened.add(session.connection);
		return CompletableFuture.completedFuture(session.connection);
	}

	private RedisLockStore store(boolean cluster) {
		return new RedisLockStore(SimulatedTransport.application(this, () -> this.platform,
				List.of(RedisURI.create("server1", 1)), cluster, this.platform), RedisStoreSettings.defaults());
	}

	private SmallRedis server(int number) {
		return new SmallRedis("server" + number, number, () -> 1_700_000_000_000_000L + this.platform.nanoTime() / 1000,
				new Random(number));
	}

	private static String send(SmallRedis server, String... command) {
		try (SmallClient client = server.connect((push) -> {
		})) {
			return client.execute(command).toString().replaceAll("\\D", "");
		}
	}

	/**
	 * Both ends of a connection.
	 */
	private final class Session implements SimulatedConnection.Peer {

		private final SimulatedConnection connection = SimulatedConnection.open(this);

		private final SmallClient client;

		Session(SmallRedis server) {
			this.client = server.connect((push) -> this.connection.receive(Resp.encode(push)));
			this.client.execute("HELLO", "3");
		}

		@Override
		public void received(SimulatedConnection from, List<byte[]> request) {
			ChannelSubscriptionTest.this.requests.add(Resp.words(request).get(0));
			from.receive(Resp.encode(this.client.execute(request)));
		}

		@Override
		public void closed(SimulatedConnection from) {
			if (this.client.isOpen()) {
				this.client.close();
			}
		}

	}

}
