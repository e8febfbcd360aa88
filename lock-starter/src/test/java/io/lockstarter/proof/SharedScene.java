// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three instances of which two read together, the third writes after them, and the two
 * read again after that.
 */
final class SharedScene implements AutoCloseable {

	static final String KEY = "catalog";

	static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration NEVER = Duration.ofMinutes(1);

	private final List<Instance> instances = new ArrayList<>();

	void add(Instance instance) {
		this.instances.add(instance);
	}

	void readersThenAWriterThenReaders(Duration ttl, Runnable whileTheWriterWaits) {
		readersThenAWriterThenReaders(ttl, () -> {
		}, whileTheWriterWaits);
	}

	void readersThenAWriterThenReaders(Duration ttl, Runnable beforeTheWriter, Runnable whileTheWriterWaits) {
		LockOptions alone = LockOptions.defaults().withTtl(ttl).withWaitTime(NEVER);
		LockOptions shared = alone.withMode(LockMode.SHARED);
		LockRegistry one = registry(0);
		LockRegistry two = registry(1);
		LockRegistry three = registry(2);
		List<Lease> readers = List.of(one.acquireAsync(KEY, shared).join(), one.acquireAsync(KEY, shared).join(),
				two.acquireAsync(KEY, shared).join());
		beforeTheWriter.run();
		CompletableFuture<Lease> writer = three.acquireAsync(KEY, alone);
		await().atMost(PATIENCE).until(() -> this.instances.get(2).registry().waiterCount() == 1);
		whileTheWriterWaits.run();
		// Longer than whoever is let in by mistake would need, and a renewal.
		await().during(ttl.dividedBy(2))
			.atMost(ttl)
			.until(() -> readers.stream().allMatch(Lease::isValid) && !writer.isDone());
		readers.forEach(Lease::close);
		assertThat(writer).succeedsWithin(PATIENCE);
		assertThat(readers)
			.allSatisfy((reader) -> assertThat(writer.join().fencingToken()).isGreaterThan(reader.fencingToken()));
		List<CompletableFuture<Lease>> next = List.of(one.acquireAsync(KEY, shared), two.acquireAsync(KEY, shared));
		await().atMost(PATIENCE)
			.until(() -> this.instances.subList(0, 2)
				.stream()
				.allMatch((instance) -> instance.registry().waiterCount() == 1));
		assertThat(next).noneMatch(CompletableFuture::isDone);
		writer.join().close();
		assertThat(next).allSatisfy((reader) -> {
			assertThat(reader).succeedsWithin(PATIENCE);
			assertThat(reader.join().fencingToken()).isGreaterThan(writer.join().fencingToken());
		});
		assertThat(next).allMatch((reader) -> reader.join().isValid());
		next.forEach((reader) -> reader.join().close());
		assertThat(this.instances).allMatch((instance) -> instance.events().isEmpty());
	}

	private LockRegistry registry(int number) {
		return this.instances.get(number).registry();
	}

	static RegistrySettings settings(Duration pollInterval) {
		return Instance.settings(Duration.ofSeconds(5), pollInterval).withTtl(TTL);
	}

	static List<String> left(RedisServer server) {
		return server.commands().keys("*" + KEY);
	}

	@Override
	public void close() {
		this.instances.forEach(Instance::close);
		this.instances.clear();
	}

}
