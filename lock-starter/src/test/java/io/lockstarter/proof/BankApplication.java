// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.concurrent.BlockingQueue;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.ReleasePhase;

/**
 * A service with two accounts in a database. It does what its parent says:
 * {@code transfer PHASE} debits one account under the lock and, in the same transaction
 * but after the locked method, credits the other; {@code read} adds both up under the
 * lock.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class BankApplication {

	static final int TOTAL = 100;

	/**
	 * Do as told.
	 * @param args the URL of the database, and properties
	 */
	public static void main(String... args) throws InterruptedException {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(BankApplication.class)
			.web(WebApplicationType.NONE)
			.run(args)) {
			Bank bank = context.getBean(Bank.class);
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			// what is not committed yet shall be seen, if the lock lets it
			transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_UNCOMMITTED);
			System.out.println("ready");
			for (String command = commands.take(); !command.equals("end"); command = commands.take()) {
				switch (command) {
					case "read" -> System.out.println(read(bank, transaction));
					case "transfer AUTO" -> transfer(() -> bank.debit(10), bank, transaction, commands);
					case "transfer AFTER_METHOD" ->
						transfer(() -> bank.debitAfterMethod(10), bank, transaction, commands);
					default -> throw new IllegalArgumentException(command);
				}
				System.out.println("done");
			}
		}
	}

	private static void transfer(Runnable debit, Bank bank, TransactionTemplate transaction,
			BlockingQueue<String> commands) {
		transaction.executeWithoutResult((status) -> {
			debit.run();
			System.out.println("debited");
			awaitCommit(commands);
			bank.credit(10);
		});
	}

	private static String read(Bank bank, TransactionTemplate transaction) {
		try {
			return "total " + bank.total(transaction);
		}
		catch (LockNotAcquiredException ex) {
			return "total unknown";
		}
	}

	private static void awaitCommit(BlockingQueue<String> commands) {
		try {
			if (!commands.take().equals("commit")) {
				throw new IllegalStateException("Not told to commit");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Bean
	DataSource dataSource(@Value("${bank.url}") String url) {
		return new DriverManagerDataSource(url);
	}

	@Bean
	PlatformTransactionManager transactionManager(DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Bean
	Bank bank(DataSource dataSource) {
		return new Bank(JdbcClient.create(dataSource));
	}

	static class Bank {

		private final JdbcClient jdbc;

		Bank(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("bank")
		public void debit(int amount) {
			change("from", -amount);
		}

		@DistributedLock(key = "bank", releasePhase = ReleasePhase.AFTER_METHOD)
		public void debitAfterMethod(int amount) {
			change("from", -amount);
		}

		public void credit(int amount) {
			change("to", amount);
		}

		@DistributedLock(key = "bank", waitTime = "500ms")
		public int total(TransactionTemplate transaction) {
			return transaction
				.execute((status) -> this.jdbc.sql("select sum(balance) from account").query(Integer.class).single());
		}

		private void change(String account, int amount) {
			this.jdbc.sql("update account set balance = balance + ? where name = ?").params(amount, account).update();
		}

	}

}
