// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder has looked at its lease and is about to write, when its JVM is stopped for
 * longer than the ttl. It wakes up and writes, without another look.
 */
@Tag("proof")
class StoppedWriterTest {

	private static final String PRODUCT = "42";

	private final RedisServer redis = RedisServers.start();

	private final JvmProcess database = JvmProcess.start(DatabaseApplication.class);

	private final Instance successor = new Instance(this.redis.port());

	private Connection connection;

	private FencedTable table;

	private JvmProcess writer;

	@BeforeEach
	void stopWriterUntilAnotherHasSold() throws InterruptedException, SQLException {
		String url = "jdbc:h2:tcp://127.0.0.1:%s/mem:shop".formatted(this.database.await("port"));
		this.connection = DriverManager.getConnection(url);
		this.connection.createStatement().execute(FencedTable.TABLE);
		this.connection.createStatement().execute("INSERT INTO stock (product, units) VALUES ('42', 10)");
		this.table = new FencedTable(this.connection);
		this.writer = JvmProcess.start(WritingApplication.class, this.redis.port(), url, PRODUCT, "PT1S");
		String[] claimed = this.writer.await("claimed").split(" valid ", -1);
		assertThat(claimed[1]).isEqualTo("true");
		this.writer.pause();
		try (Lease lease = this.successor.registry().acquire("stock:" + PRODUCT, LockOptions.defaults())) {
			assertThat(lease.fencingToken()).isGreaterThan(Long.parseLong(claimed[0]));
			int units = WritingApplication.claim(this.table, lease, PRODUCT);
			assertThat(WritingApplication.sell(this.table, lease, PRODUCT, units)).isTrue();
			assertThat(lease.isValid()).isTrue();
		}
	}

	@AfterEach
	void close() throws SQLException {
		this.writer.close();
		this.connection.close();
		this.successor.close();
		this.database.close();
		this.redis.close();
	}

	@Test
	void itsLateWriteIsRefused() throws SQLException {
		this.writer.send("sell");
		this.writer.resume();
		assertThat(this.writer.await("sold")).isEqualTo("false");
		assertThat(this.table.units(PRODUCT)).isEqualTo(9);
	}

	@Test
	void aTableThatChecksNothingTakesItAndLosesASale() throws SQLException {
		assertThat(this.table.write(PRODUCT, 3, Long.MAX_VALUE)).isTrue();
		this.writer.send("sell blindly");
		this.writer.resume();
		assertThat(this.writer.await("sold")).isEqualTo("true");
		assertThat(this.table.units(PRODUCT)).isEqualTo(9);
	}

}
