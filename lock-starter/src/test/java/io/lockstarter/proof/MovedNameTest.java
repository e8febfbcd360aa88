// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A managed Redis: a name leads to the primary. At a fail-over the primary becomes a
 * replica, connections to it stay open, and the name leads to another server later.
 */
@Tag("proof")
class MovedNameTest {

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(12))
		.withWaitTime(Duration.ZERO);

	/**
	 * Pauses double from 50 ms to one second, so that there are five attempts in the
	 * first second and one in each that follows; some more, as a connection that lasted
	 * for a second is replaced at once.
	 */
	private static final int MOST_ATTEMPTS = 14;

	private final RedisServer first = RedisServers.start("--repl-diskless-sync-delay", "0");

	private final RedisServer second = RedisServers.start("--repl-diskless-sync-delay", "0", "--replicaof", "127.0.0.1",
			String.valueOf(this.first.port()));

	private final AtomicInteger port = new AtomicInteger(this.first.port());

	private final AtomicInteger resolved = new AtomicInteger();

	private final ClientResources resources = ClientResources.builder()
		.ioThreadPoolSize(2)
		.computationThreadPoolSize(2)
		.socketAddressResolver(new Name())
		.build();

	private final Instance instance = new Instance("locks.example.com", this.resources);

	@BeforeEach
	void connect() {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.first.commands().info("replication").contains("state=online"));
		await().ignoreExceptions().until(() -> this.instance.registry().call("connect", OPTIONS, (scope) -> true));
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.resources.shutdown(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
		this.second.close();
		this.first.close();
	}

	@Test
	void nameThatLeadsElsewhereAfterAWhileIsFollowedWithFewAttempts() throws InterruptedException {
		Lease held = this.instance.registry().acquire("held", OPTIONS);
		await().until(() -> this.second.commands().exists("{lock}lock:held") == 1);
		this.second.commands().replicaofNoOne();
		this.first.commands().replicaof("127.0.0.1", this.second.port());
		int before = this.resolved.get();
		long begin = System.nanoTime();
		Thread[] callers = new Thread[8];
		for (int i = 0; i < callers.length; i++) {
			String key = "stock:" + i;
			callers[i] = new Thread(() -> lockFor(begin, key));
			callers[i].start();
		}
		for (Thread caller : callers) {
			caller.join();
		}
		int attempts = this.resolved.get() - before;
		long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
		System.out.printf("Demoted, and the name not moved for %d s: %d attempts to connect by 8 callers%n", seconds,
				attempts);
		assertThat(attempts).as("attempts to connect").isBetween(2, MOST_ATTEMPTS + (int) seconds);
		this.port.set(this.second.port());
		await().atMost(Duration.ofSeconds(15))
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(() -> this.instance.registry().call("stock:42", OPTIONS, (scope) -> true));
		assertThat(held.isValid()).isTrue();
		assertThat(held.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.instance.events()).isEmpty();
	}

	// For three seconds, soon after which the lease has to be renewed.
	private void lockFor(long begin, String key) {
		while (System.nanoTime() - begin < Duration.ofSeconds(3).toNanos()) {
			try {
				this.instance.registry().tryAcquire(key, OPTIONS);
			}
			catch (LockException ex) {
				// nobody can write here
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private final class Name extends SocketAddressResolver {

		@Override
		public SocketAddress resolve(RedisURI uri) {
			assertThat(uri.getHost()).isEqualTo("locks.example.com");
			MovedNameTest.this.resolved.incrementAndGet();
			return new InetSocketAddress(InetAddress.getLoopbackAddress(), MovedNameTest.this.port.get());
		}

	}

}
