// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FencedTable}, and that {@code docs/fencing.md} shows what they run.
 */
class FencedTableTest {

	private static final String URL = "jdbc:h2:mem:fenced;LOCK_TIMEOUT=10000";

	private static final String PRODUCT = "42";

	private Connection connection;

	private FencedTable table;

	@BeforeEach
	void createTable() throws SQLException {
		this.connection = DriverManager.getConnection(URL);
		this.connection.createStatement().execute(FencedTable.TABLE);
		this.connection.createStatement().execute("INSERT INTO stock (product, units) VALUES ('42', 10)");
		this.table = new FencedTable(this.connection);
	}

	@AfterEach
	void close() throws SQLException {
		this.connection.createStatement().execute("SHUTDOWN");
	}

	@Test
	void olderTokenIsRefusedForGood() throws SQLException {
		assertThat(this.table.write(PRODUCT, 9, 100)).isTrue();
		assertThat(this.table.write(PRODUCT, 8, 101)).isTrue();
		assertThat(this.table.write(PRODUCT, 1, 100)).isFalse();
		assertThat(this.table.claim(PRODUCT, 100)).isFalse();
		assertThat(this.table.units(PRODUCT)).isEqualTo(8);
	}

	@Test
	void holderMayWriteAgain() throws SQLException {
		assertThat(this.table.write(PRODUCT, 9, 100)).isTrue();
		assertThat(this.table.write(PRODUCT, 8, 100)).isTrue();
		assertThat(this.table.claim(PRODUCT, 100)).isTrue();
		assertThat(this.table.units(PRODUCT)).isEqualTo(8);
	}

	@Test
	void holderMayWriteOnlyOnceIfSoWished() throws SQLException {
		assertThat(this.table.writeOnce(PRODUCT, 9, 100)).isTrue();
		assertThat(this.table.writeOnce(PRODUCT, 8, 100)).isFalse();
		assertThat(this.table.writeOnce(PRODUCT, 7, 101)).isTrue();
		assertThat(this.table.units(PRODUCT)).isEqualTo(7);
	}

	@Test
	void withoutAClaimAnUpdateIsLostWithOneItIsRefused() throws SQLException {
		int read = this.table.units(PRODUCT);
		assertThat(this.table.write(PRODUCT, 9, 100)).as("late, but the newer holder only read so far").isTrue();
		assertThat(this.table.write(PRODUCT, read - 1, 101)).isTrue();
		assertThat(this.table.units(PRODUCT)).as("one of two sales is lost").isEqualTo(9);

		assertThat(this.table.claim(PRODUCT, 103)).isTrue();
		read = this.table.units(PRODUCT);
		assertThat(this.table.write(PRODUCT, 0, 102)).isFalse();
		assertThat(this.table.write(PRODUCT, read - 1, 103)).isTrue();
		assertThat(this.table.units(PRODUCT)).isEqualTo(8);
	}

	@Test
	void olderTokenWaitsForTheTransactionOfTheNewerOneAndIsRefused() throws SQLException {
		this.connection.setAutoCommit(false);
		assertThat(this.table.claim(PRODUCT, 101)).isTrue();
		try (Connection other = DriverManager.getConnection(URL)) {
			FencedTable late = new FencedTable(other);
			CompletableFuture<Boolean> written = CompletableFuture.supplyAsync(() -> {
				try {
					return late.write(PRODUCT, 0, 100);
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			});
			assertThat(written.copy().completeOnTimeout(null, 200, TimeUnit.MILLISECONDS).join()).as("waits").isNull();
			assertThat(this.table.write(PRODUCT, 9, 101)).isTrue();
			this.connection.commit();
			assertThat(written).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
			assertThat(late.units(PRODUCT)).isEqualTo(9);
		}
	}

	@Test
	void documentShowsTheseStatements() throws IOException {
		String document = Files.readString(Path.of("../docs/fencing.md"));
		assertThat(statements(document)).containsExactly(normalized(FencedTable.TABLE), normalized(FencedTable.CLAIM),
				normalized(FencedTable.WRITE), normalized(FencedTable.WRITE_ONCE));
	}

	private static List<String> statements(String document) {
		return Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL)
			.matcher(document)
			.results()
			.map((MatchResult block) -> normalized(block.group(1)))
			.toList();
	}

	private static String normalized(String text) {
		return text.replaceAll("\\s+", " ").strip();
	}

}
