// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The figures of the page about sizes are those that are measured here.
 */
class SizingPageTest {

	private static final int KEYS = 10_000;

	private static final String PAGE = Sources.read(Path.of("../docs/sizing.md"));

	private static final Pattern MEMORY = Pattern.compile("used_memory:(\\d+)");

	@Test
	void redisNeedsAsMuchMemoryForALockAndForAWaitingInstanceAsThePageSays() {
		try (RedisServer redis = RedisServers.start();
				Application holder = new Application(redis, "orders-5f7d8c9b4d-2xkqz");
				Application waiting = new Application(redis, "orders-5f7d8c9b4d-8wlpm")) {
			holder.acquire("first");
			long before = memory(redis);
			for (int i = 0; i < KEYS; i++) {
				holder.acquire("order:" + (100_000 + i));
			}
			long held = memory(redis);
			List.of("first", "order:100000").forEach(waiting::await);
			await().until(() -> !redis.commands().pubsubChannels().isEmpty());
			long alone = memory(redis);
			for (int i = 1; i < KEYS; i++) {
				waiting.await("order:" + (100_000 + i));
			}
			await().until(() -> redis.keys("{lock}queue:*").size() == KEYS + 1);
			long contended = memory(redis);
			System.out.printf("Redis: %d bytes a lock, %d a waiting instance%n", (held - before) / KEYS,
					(contended - alone) / KEYS);
			assertThat((held - before) / KEYS).isBetween(figure("bytes for a held lock") / 2,
					figure("bytes for a held lock"));
			assertThat((contended - alone) / KEYS).isBetween(figure("bytes for each instance that waits for it") / 2,
					figure("bytes for each instance that waits for it"));
		}
	}

	@Test
	void anInstanceHasOneConnection() {
		try (RedisServer redis = RedisServers.start();
				Application holder = new Application(redis, "holder");
				Application waiting = new Application(redis, "waiting")) {
			holder.acquire("stock:42");
			long one = clients(redis);
			waiting.acquire("stock:43");
			assertThat(clients(redis) - one).isOne();
			waiting.await("stock:42");
			await().until(() -> !redis.commands().pubsubChannels().isEmpty());
			waiting.await("stock:42");
			assertThat(clients(redis) - one).isOne();
		}
	}

	@Test
	void callersOfAnInstanceThatWaitForOneKeyShareAPlaceInTheQueue() {
		try (RedisServer redis = RedisServers.start();
				Application holder = new Application(redis, "holder");
				Application waiting = new Application(redis, "waiting")) {
			holder.acquire("stock:42");
			for (int i = 0; i < 100; i++) {
				waiting.await("stock:42");
			}
			await().until(() -> redis.commands().zcard("{lock}queue:stock:42") > 0);
			assertThat(redis.commands().zrange("{lock}queue:stock:42", 0, -1)).containsExactly("waiting");
		}
	}

	@Test
	void jarIsAsSmallAsThePageSays() throws IOException {
		AtomicLong size = new AtomicLong();
		Path classes = Path.of("target/classes");
		try (Stream<Path> files = Files.walk(classes); ZipOutputStream jar = new ZipOutputStream(counting(size))) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				jar.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
				Files.copy(file, jar);
			}
		}
		System.out.printf("Jar: %,d bytes%n", size.get());
		assertThat(size.get() / 1000).isBetween(figure("kB for `lock-starter`") / 2, figure("kB for `lock-starter`"));
	}

	/**
	 * Each row has its figures from one row of the report.
	 */
	@Test
	void timesOfProcessorsAreThoseOfTheReport() {
		List<String> report = Sources.read(Path.of("../docs/internals/benchmarks.md")).lines().toList();
		List<MatchResult> rows = Pattern.compile("\\| [^|]+ \\| ([\\d,.]+) µs \\| ([\\d,.]+) µs \\|")
			.matcher(PAGE)
			.results()
			.toList();
		assertThat(rows).hasSizeGreaterThanOrEqualTo(3)
			.allSatisfy((row) -> assertThat(report).anyMatch((line) -> line.startsWith("| lock-starter")
					&& line.contains(" | %s | %s | ".formatted(row.group(1), row.group(2)))));
	}

	private static long figure(String what) {
		Matcher figure = Pattern.compile("([\\d,]+) " + what).matcher(PAGE);
		assertThat(figure.find()).as(what).isTrue();
		return Long.parseLong(figure.group(1).replace(",", ""));
	}

	private static long memory(RedisServer redis) {
		Matcher memory = MEMORY.matcher(redis.commands().info("memory"));
		assertThat(memory.find()).isTrue();
		return Long.parseLong(memory.group(1));
	}

	private static long clients(RedisServer redis) {
		return redis.commands().clientList().lines().count();
	}

	private static OutputStream counting(AtomicLong size) {
		return new OutputStream() {

			@Override
			public void write(int b) {
				size.incrementAndGet();
			}

			@Override
			public void write(byte[] bytes, int offset, int length) {
				size.addAndGet(length);
			}

		};
	}

	/**
	 * An instance of a service.
	 */
	private static final class Application implements AutoCloseable {

		private final LettuceConnectionFactory factory;

		private final RedisLockStore store;

		private final DefaultLockRegistry registry;

		Application(RedisServer redis, String id) {
			this.factory = redis.connectionFactory();
			this.store = new RedisLockStore(this.factory, RedisStoreSettings.defaults());
			this.registry = new DefaultLockRegistry(id, this.store,
					RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());
		}

		void acquire(String key) {
			Lease lease = this.registry.acquireAsync(key, LockOptions.defaults()).join();
			assertThat(lease.isValid()).isTrue();
		}

		void await(String key) {
			assertThat(this.registry.acquireAsync(key, LockOptions.defaults().withWaitTime(LockOptions.UNLIMITED)))
				.isNotNull();
		}

		@Override
		public void close() {
			this.registry.stop();
			this.store.close();
			this.factory.destroy();
		}

	}

}
