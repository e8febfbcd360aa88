// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;

import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One JVM transfers money in a transaction, in the middle of which it takes a lock.
 * Another one looks at it under that lock.
 */
@Tag("proof")
class TransactionAcrossJvmsTest {

	private static Server database;

	private static String url;

	private static RedisServer redis;

	private static JvmProcess writer;

	private static JvmProcess reader;

	@BeforeAll
	static void start() throws SQLException {
		System.setProperty("h2.bindAddress", "127.0.0.1");
		database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		url = "jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/mem:bank;DB_CLOSE_DELAY=-1";
		jdbc().sql("create table account (name varchar(9), balance int)").update();
		redis = RedisServers.start();
		writer = launch();
		reader = launch();
		writer.await("ready");
		reader.await("ready");
	}

	@AfterAll
	static void stop() {
		writer.close();
		reader.close();
		redis.close();
		database.stop();
	}

	@BeforeEach
	void open() {
		jdbc().sql("delete from account").update();
		jdbc().sql("insert into account values ('from', ?), ('to', 0)").param(BankApplication.TOTAL).update();
	}

	@Test
	void readerUnderTheLockSeesNothingHalfDone() {
		writer.send("transfer AUTO");
		writer.await("debited");
		assertThat(read()).as("the lock is held up to the commit").isEqualTo("unknown");
		writer.send("commit");
		writer.await("done");
		assertThat(read()).isEqualTo("100");
		assertThat(jdbc().sql("select balance from account where name = 'to'").query(Integer.class).single())
			.isEqualTo(10);
	}

	/** Control: without it the same reader sees what the other test denies. */
	@Test
	void readerUnderALockThatIsReleasedWithTheMethodSeesAHalfDoneTransfer() {
		writer.send("transfer AFTER_METHOD");
		writer.await("debited");
		assertThat(read()).isEqualTo("90");
		writer.send("commit");
		writer.await("done");
		assertThat(read()).isEqualTo("100");
	}

	private static String read() {
		reader.send("read");
		String total = reader.await("total");
		reader.await("done");
		return total;
	}

	private static JvmProcess launch() {
		return JvmProcess.start(BankApplication.class, "--spring.data.redis.port=" + redis.port(), "--bank.url=" + url,
				"--spring.main.banner-mode=off", "--distributed-lock.wait-time=10s");
	}

	private static JdbcClient jdbc() {
		return JdbcClient.create(new DriverManagerDataSource(url));
	}

}
