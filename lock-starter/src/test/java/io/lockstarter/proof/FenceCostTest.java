// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockedTask;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.fence.LockFence;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.testkit.DatabaseServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the fence adds to a transaction of one statement, on a server of this machine.
 * Figures with {@code -Dproof.transactions=5000}.
 */
@Tag("proof")
class FenceCostTest {

	private static final int ROUNDS = 5;

	private final int transactions = Integer.getInteger("proof.transactions", 200);

	@ParameterizedTest
	@MethodSource("databases")
	void fencedTransactionTakesNotMuchLonger(String name, Supplier<DatabaseServer> start) {
		DefaultLockRegistry registry = new DefaultLockRegistry("cost", new MemoryLockStore(),
				RegistrySettings.defaults(), List.of());
		try (DatabaseServer database = start.get()) {
			SingleConnectionDataSource dataSource = new SingleConnectionDataSource(database.url(), true);
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			LockFence fence = new LockFence(() -> dataSource, "lock_fence", "lock");
			fence.createTable();
			manager.addListener(fence.listener(manager));
			JdbcClient jdbc = JdbcClient.create(dataSource);
			jdbc.sql("create table stock (id int primary key, units int)").update();
			jdbc.sql("insert into stock values (1, 0)").update();
			Runnable sale = () -> new TransactionTemplate(manager)
				.executeWithoutResult((status) -> jdbc.sql("update stock set units = units + 1 where id = 1").update());
			long plain = Long.MAX_VALUE;
			long fenced = Long.MAX_VALUE;
			for (int round = 0; round < ROUNDS; round++) {
				plain = Math.min(plain, measure(registry, (scope) -> sale.run()));
				fenced = Math.min(fenced,
						measure(registry, (scope) -> fence.<Object, RuntimeException>call(scope, (same) -> {
							sale.run();
							return "";
						})));
			}
			System.out.printf("%s: %d us a transaction, fenced %d us%n", name, plain, fenced);
			assertThat(jdbc.sql("select units from stock").query(Integer.class).single())
				.isEqualTo(2 * ROUNDS * this.transactions);
			assertThat(fenced).as("microseconds").isLessThan(10 * plain + 5_000);
			dataSource.destroy();
		}
		finally {
			registry.stop();
		}
	}

	/**
	 * Return how many microseconds a transaction takes, its lock in this JVM included.
	 */
	private long measure(LockRegistry registry, LockedTask<RuntimeException> task) {
		long begin = System.nanoTime();
		for (int i = 0; i < this.transactions; i++) {
			registry.run("stock:1", LockOptions.defaults(), task);
		}
		return (System.nanoTime() - begin) / 1_000 / this.transactions;
	}

	static Stream<Arguments> databases() {
		Supplier<DatabaseServer> postgres = DatabaseServer::postgres;
		Supplier<DatabaseServer> mariaDb = DatabaseServer::mariaDb;
		return Stream.of(Arguments.of("PostgreSQL", postgres), Arguments.of("MariaDB", mariaDb));
	}

}
