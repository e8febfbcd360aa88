// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The life of one subscription.
 */
class ChannelSubscriptionTest {

	private final RedisServer server = RedisServers.start();

	private final RedisClient client = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));

	private final BatchScript script = ScriptTexts.script(RedisStoreSettings.defaults());

	private final AtomicInteger attempts = new AtomicInteger();

	private final List<Boolean> told = new CopyOnWriteArrayList<>();

	private final ChannelSubscription subscription = subscription();

	@BeforeEach
	void subscribe() {
		this.subscription.ensure();
		await().until(() -> this.told.equals(List.of(true)));
	}

	@AfterEach
	void close() {
		this.subscription.end();
		this.client.shutdown();
		this.server.close();
	}

	@Test
	void connectionThatIsDroppedIsReplacedWhichIsTold() {
		this.subscription.drop();
		await().until(() -> this.told.size() >= 3);
		assertThat(this.told).containsExactly(true, false, true);
		assertThat(this.subscription.connection()).hasSize(1);
	}

	@Test
	void closedSubscriptionBeginsAgain() {
		this.subscription.close();
		assertThat(this.told).containsExactly(true, false);
		assertThat(this.subscription.connection()).isEmpty();
		this.subscription.ensure();
		await().until(() -> this.told.equals(List.of(true, false, true)));
	}

	@Test
	void endedSubscriptionDoesNotBeginAgain() {
		this.subscription.end();
		assertThat(this.told).containsExactly(true, false);
		int before = this.attempts.get();
		this.subscription.ensure();
		assertThat(this.attempts).hasValue(before);
	}

	@Test
	void newsOfAConnectionThatIsNotUsedAnyMoreAreNotTold() {
		this.subscription.close();
		ChannelConnection other = ChannelConnection
			.open(source().get(), RedisURI.create(this.server.host(), this.server.port()), "another", subscriber(),
					this.subscription::changed)
			.join();
		other.subscribe((failure) -> {
		});
		await().until(other::isListening);
		assertThat(this.told).containsExactly(true, false);
		other.close();
	}

	private ChannelSubscription subscription() {
		return new ChannelSubscription(source(), () -> {
			this.attempts.incrementAndGet();
			return null;
		}, "{lock}signal:a", subscriber(), Duration.ofMillis(50), Duration.ofSeconds(1), new Unwatched());
	}

	private CurrentClient source() {
		return ApplicationRedis.of(this.client).client(Duration.ofSeconds(10), this.script::text);
	}

	private Subscriber subscriber() {
		return new Subscriber() {

			@Override
			public void message(String payload) {
			}

			@Override
			public void listening(boolean active) {
				ChannelSubscriptionTest.this.told.add(active);
			}

		};
	}

}
