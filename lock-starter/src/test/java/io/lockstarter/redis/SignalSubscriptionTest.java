// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.ProtocolVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how signals come in, and come back after trouble.
 */
@ExtendWith(OutputCaptureExtension.class)
class SignalSubscriptionTest {

	private final RedisServer server = RedisServers.start();

	private TestStore store;

	@BeforeEach
	void connect() {
		this.store = new TestStore(this.server);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.server.close();
	}

	@Test
	void listeningOpensOneConnectionAndSubscribesToOneChannel() {
		this.store.listen("a");
		assertThat(this.store.redis().pubsubChannels()).containsExactly("{lock}signal:a");
		assertThat(this.store.clients()).hasSize(1);
	}

	@Test
	void signalsNameTheKeyWhateverItIs() {
		Recorder a = this.store.listen("a");
		Recorder b = this.store.listen("b:c");
		for (String key : List.of("}x", "{", "a}b", "{a}", "r", "with space", "\u043a\u043b\u044e\u0447\ud83d\udd11")) {
			this.store.take(key, "a:1");
			this.store.findBusy(key, "b:c:1", true);
			this.store.release(key, "a:1");
			a.awaitEvent("contended " + key);
			b.awaitEvent("reserved " + key);
		}
	}

	@Test
	void malformedMessagesAreIgnored() {
		Recorder a = this.store.listen("a");
		for (String payload : List.of("", "r", "c", "x", "xk", " rk", "\u0000")) {
			assertThat(this.store.redis().publish("{lock}signal:a", payload)).isOne();
		}
		this.store.redis().publish("{lock}signal:a", "rk");
		a.awaitEvent("reserved k");
		assertThat(a.events()).containsExactly("listening", "reserved k");
	}

	@Test
	void killedSubscriptionIsReportedAndComesBackByItself() {
		Recorder a = this.store.listen("a");
		for (int i = 1; i <= 3; i++) {
			assertThat(this.store.redis().clientKill(KillArgs.Builder.typePubsub())).isOne();
			int events = 1 + 2 * i;
			soon().until(() -> a.events().size() >= events);
		}
		assertThat(a.events()).startsWith("listening", "deaf", "listening", "deaf", "listening");
		this.store.redis().publish("{lock}signal:a", "rk");
		a.awaitEvent("reserved k");
	}

	@Test
	void restartedServerIsSubscribedToAgain() {
		Recorder a = this.store.listen("a");
		this.server.restart();
		a.awaitEvent("deaf");
		soon().until(() -> this.store.redis().pubsubChannels().contains("{lock}signal:a"));
	}

	@Test
	void deniedSubscriptionIsReportedAndTriedAgainSlowly() {
		try (TestStore denied = TestStore.withAcl(this.server, "deaf", "-subscribe")) {
			denied.take("k", "a:1");
			Recorder a = new Recorder();
			denied.store().listen("a", a);
			a.awaitEvent("deaf");
			assertThat(denied.findBusy("k", "b:1", true).holder()).isEqualTo("a:1");
			assertThat(denied.release("k", "a:1")).isTrue();
			assertThat(a.events()).containsExactly("deaf");
			TestStore.acl(this.server, "deaf", "+subscribe");
			a.awaitEvent("listening");
			assertThat(a.events()).containsExactly("deaf", "listening");
			assertThat(this.store.redis().pubsubChannels()).containsExactly("{lock}signal:a");
		}
	}

	@Test
	void whoAsksForVersion2OfTheProtocolReceivesNoSignalsAndAllElseWorks(CapturedOutput output) {
		LettuceConnectionFactory factory = this.server.connectionFactory((configuration) -> {
		}, (client) -> client.clientOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build()));
		try (TestStore old = new TestStore(this.server, factory, RedisStoreSettings.defaults())) {
			Recorder a = new Recorder();
			old.store().listen("a", a);
			a.awaitEvent("deaf");
			old.take("k", "a:1");
			assertThat(old.findBusy("k", "b:1", true).holder()).isEqualTo("a:1");
			assertThat(old.renew("k", "a:1")).isTrue();
			assertThat(old.release("k", "a:1")).isTrue();
			old.take("k", "b:1");
			assertThat(a.events()).containsExactly("deaf");
			assertThat(this.store.redis().pubsubChannels()).isEmpty();
			assertThat(old.clients()).hasSize(1);
			assertThat(output).contains("Cannot subscribe to {lock}signal:a", "do not set the protocol version");
		}
	}

	@Test
	void whoWaitsWithVersion2OfTheProtocolPolls() {
		LettuceConnectionFactory factory = this.server.connectionFactory((configuration) -> {
		}, (client) -> client.clientOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build()));
		try (TestStore old = new TestStore(this.server, factory, RedisStoreSettings.defaults())) {
			DefaultLockRegistry registry = new DefaultLockRegistry("waiting", old.store(), RegistrySettings.defaults(),
					List.of());
			this.store.take("k", "a:1");
			CompletableFuture<Lease> waiting = registry.acquireAsync("k", LockOptions.defaults());
			soon().until(() -> this.store.redis().exists("{lock}queue:k") == 1);
			assertThat(waiting).isNotDone();
			assertThat(this.store.release("k", "a:1")).isTrue();
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(5));
			waiting.join().close();
			registry.stop();
		}
	}

	@Test
	void subscriptionDeniedAfterItWasKilledIsTriedAgain() {
		try (TestStore denied = TestStore.withAcl(this.server, "deaf")) {
			Recorder a = denied.listen("a");
			TestStore.acl(this.server, "deaf", "-subscribe");
			this.store.redis().clientKill(KillArgs.Builder.typePubsub());
			a.awaitEvent("deaf");
			TestStore.acl(this.server, "deaf", "+subscribe");
			soon().until(() -> this.store.redis().pubsubChannels().contains("{lock}signal:a"));
			soon().until(() -> a.events().stream().filter("listening"::equals).count() == 2);
		}
	}

	@Test
	void subscriptionLostForGoodIsReplacedWithTheNextConnectionForCommands() {
		Recorder a = this.store.listen("a");
		this.store.take("k", "a:1");
		this.store.factory().stop();
		assertThat(TestStore.failure(this.store.acquire("k", "a:1", false))).hasMessageContaining("STOPPED");
		a.awaitEvent("deaf");
		this.store.factory().start();
		assertThat(this.store.renew("k", "a:1")).isTrue();
		soon().until(() -> List.copyOf(a.events()).equals(List.of("listening", "deaf", "listening")));
	}

	@Test
	void unreachableServerIsSubscribedToWhenItIsThere() {
		this.server.stop();
		Recorder a = new Recorder();
		this.store.store().listen("a", a);
		a.awaitEvent("deaf");
		this.server.start();
		a.awaitEvent("listening");
	}

	@Test
	void closedStoreNeitherListensNorTriesTo() {
		Recorder a = this.store.listen("a");
		this.store.store().close();
		assertThat(a.events()).containsExactly("listening", "deaf");
		soon().until(() -> this.store.redis().pubsubChannels().isEmpty());
		value(this.store.acquire("k", "a:1", false));
		soon().until(() -> this.store.redis().pubsubChannels().size() == 1);
	}

}
