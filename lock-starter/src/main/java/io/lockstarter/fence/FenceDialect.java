// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.util.List;
import java.util.Locale;

import io.lockstarter.LockSetupException;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * How a database claims a row: it writes the larger of two tokens, waits for whoever has
 * the row locked, and keeps it locked up to the end of the transaction.
 */
enum FenceDialect {

	/**
	 * One statement. A {@code WHERE} that is not true changes no row.
	 */
	POSTGRESQL("postgresql", "", "", """
			INSERT INTO %s AS fence (name, token) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET token = excluded.token WHERE fence.token <= excluded.token"""),

	/**
	 * One statement, too; but whoever waited for the first claim of a row is told that
	 * there is one now, and has to claim again.
	 */
	H2("h2", "", "", """
			MERGE INTO %s fence USING (VALUES (CAST(? AS VARCHAR), CAST(? AS BIGINT))) claim (name, token)
			ON fence.name = claim.name
			WHEN MATCHED AND fence.token <= claim.token THEN UPDATE SET token = claim.token
			WHEN NOT MATCHED THEN INSERT (name, token) VALUES (claim.name, claim.token)""") {

		@Override
		boolean claim(JdbcOperations jdbc, String table, String name, long token) {
			try {
				return super.claim(jdbc, table, name, token);
			}
			catch (DuplicateKeyException ex) {
				return super.claim(jdbc, table, name, token);
			}
		}

	},

	/**
	 * Two statements: how many rows the first has changed does not tell a late holder
	 * from one that claims again, and settings of the driver alter it. An {@code UPDATE}
	 * that finds no row would lock the gap, and with it the claims of other keys. The row
	 * is locked already, but without {@code FOR UPDATE} the transaction would see the
	 * database as it is now from here on, while it may wait for the next row.
	 */
	MYSQL("mysql|mariadb", " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", " ENGINE = InnoDB", """
			INSERT INTO %s (name, token) VALUES (?, ?)
			ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))""") {

		@Override
		boolean claim(JdbcOperations jdbc, String table, String name, long token) {
			super.claim(jdbc, table, name, token);
			Long last = jdbc.queryForObject("SELECT token FROM %s WHERE name = ? FOR UPDATE".formatted(table),
					Long.class, name);
			return last != null && last == token;
		}

		/**
		 * Delete each row by its name: otherwise all rows that are looked at would be
		 * locked, and those waited for that others have claimed.
		 */
		@Override
		int purge(JdbcOperations jdbc, String table, long since) {
			String next = "SELECT name FROM %s WHERE name > ? AND token < ? ORDER BY name LIMIT 1000".formatted(table);
			int purged = 0;
			String last = "";
			List<String> names = names(jdbc, next, last, since);
			while (!names.isEmpty()) {
				for (String name : names) {
					purged += jdbc.update("DELETE FROM %s WHERE name = ? AND token < ?".formatted(table), name, since);
					last = name;
				}
				names = names(jdbc, next, last, since);
			}
			return purged;
		}

		private static List<String> names(JdbcOperations jdbc, String query, String last, long since) {
			return jdbc.query(query, (row, number) -> row.getString(1), last, since);
		}

	};

	private final String products;

	private final String ofName;

	private final String ofTable;

	private final String claim;

	FenceDialect(String products, String ofName, String ofTable, String claim) {
		this.products = products;
		this.ofName = ofName;
		this.ofTable = ofTable;
		this.claim = claim;
	}

	static FenceDialect of(String product) {
		for (FenceDialect dialect : values()) {
			if (product.toLowerCase(Locale.ROOT).matches(dialect.products)) {
				return dialect;
			}
		}
		throw new LockSetupException("fence = TRANSACTION does not know the database " + product,
				"Use PostgreSQL, MySQL, MariaDB or H2, or check LockScope.current().fencingToken() in your own statements",
				null);
	}

	/**
	 * Claim a row in the current transaction, which waits for others that have claimed
	 * it.
	 * @return whether it was claimed; otherwise there is a larger token
	 */
	boolean claim(JdbcOperations jdbc, String table, String name, long token) {
		return jdbc.update(this.claim.formatted(table), name, token) > 0;
	}

	/**
	 * Delete the rows with a token below.
	 * @return how many there were
	 */
	int purge(JdbcOperations jdbc, String table, long since) {
		return jdbc.update("DELETE FROM %s WHERE token < ?".formatted(table), since);
	}

	String definition(String table) {
		return """
				CREATE TABLE IF NOT EXISTS %s (
				    name  VARCHAR(%d)%s NOT NULL PRIMARY KEY,
				    token BIGINT NOT NULL
				)%s""".formatted(table, FenceTable.NAME_LENGTH, this.ofName, this.ofTable);
	}

}
