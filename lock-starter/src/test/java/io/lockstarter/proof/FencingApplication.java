// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lockstarter.LockException;
import io.lockstarter.LockLostException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.Fence;

/**
 * A JVM that counts in a database under a lock, until its parent says {@code end}. Now
 * and then it asks to be stopped, with {@code > stop} and for how many ttl, and does not
 * go on until it was: after it has its lock and before its transaction, within that, or
 * when nothing is left to do but the commit itself.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class FencingApplication {

	static final String UNFENCED = "unfenced";

	static final int KEYS = 2;

	// One stop in so many places.
	private static final int STOPS = 40;

	/**
	 * Count.
	 * @param args properties, and perhaps {@code unfenced}
	 */
	public static void main(String... args) throws InterruptedException {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(FencingApplication.class)
			.web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=error", "distributed-lock.wait-time=5s")
			.initializers((starting) -> starting.getBeanFactory().registerSingleton("stops", new Stops(commands)))
			.run(args)) {
			Counters counters = context.getBean(Counters.class);
			boolean fenced = !List.of(args).contains(UNFENCED);
			Stops stops = context.getBean(Stops.class);
			int counted = 0;
			System.out.println("> ready");
			commands.take();
			while (!stops.isOver()) {
				int key = ThreadLocalRandom.current().nextInt(KEYS);
				try {
					if (fenced) {
						counters.countFenced(key);
					}
					else {
						counters.count(key);
					}
					counted++;
				}
				catch (LockLostException ex) {
					stops.heard(ex);
				}
				catch (LockException | TransientDataAccessException ex) {
					// busy for too long, or chosen by the database to end a wait
				}
			}
			System.out.println("> done " + counted);
		}
	}

	@Bean
	DataSource dataSource(Environment environment, Stops stops) {
		return new CommitDataSource(
				new SingleConnectionDataSource(environment.getRequiredProperty("torture.url"), true), stops);
	}

	@Bean
	PlatformTransactionManager transactionManager(DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Bean
	Counters counters(DataSource dataSource, PlatformTransactionManager manager, Stops stops) {
		return new Counters(JdbcClient.create(dataSource), new TransactionTemplate(manager), stops);
	}

	static class Counters {

		private final JdbcClient jdbc;

		private final TransactionTemplate transaction;

		private final Stops stops;

		Counters(JdbcClient jdbc, TransactionTemplate transaction, Stops stops) {
			this.jdbc = jdbc;
			this.transaction = transaction;
			this.stops = stops;
		}

		@DistributedLock(value = "counter:#{#key}", fence = Fence.TRANSACTION)
		public void countFenced(int key) {
			countOne(key);
		}

		@DistributedLock("counter:#{#key}")
		public void count(int key) {
			countOne(key);
		}

		private void countOne(int key) {
			this.stops.mayStop("before");
			this.transaction.executeWithoutResult((status) -> {
				int units = this.jdbc.sql("select units from counter where id = ?")
					.param(key)
					.query(Integer.class)
					.single();
				this.stops.mayStop("within");
				this.jdbc.sql("update counter set units = ? where id = ?").params(units + 1, key).update();
			});
		}

	}

	/**
	 * Where this JVM may be stopped. For one thread.
	 */
	static class Stops {

		private final BlockingQueue<String> commands;

		private int refused;

		private boolean over;

		Stops(BlockingQueue<String> commands) {
			this.commands = commands;
		}

		void mayStop(String where) {
			ThreadLocalRandom random = ThreadLocalRandom.current();
			if (random.nextInt(STOPS) == 0 && !this.over) {
				System.out.println("> stop " + random.nextDouble(0.5, 3) + " " + where + " " + this.refused);
				this.refused = 0;
				try {
					this.over = this.commands.take().equals("end");
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}

		void heard(LockLostException lost) {
			if (String.valueOf(lost.getMessage()).contains("the database has seen a larger token")) {
				this.refused++;
			}
		}

		boolean isOver() {
			return this.over;
		}

	}

	/**
	 * Its connections may be stopped before they commit: all checks of the lease are over
	 * then.
	 */
	private static final class CommitDataSource extends DelegatingDataSource {

		private final Stops stops;

		CommitDataSource(DataSource target, Stops stops) {
			super(target);
			this.stops = stops;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("commit")) {
							this.stops.mayStop("end");
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
