// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A table that protects itself: a row remembers the largest fencing token that it has
 * seen, and refuses whoever comes with a smaller one.
 */
final class FencedTable {

	static final String TABLE = """
			CREATE TABLE stock (
			    product VARCHAR(40) PRIMARY KEY,
			    units   INT NOT NULL,
			    fence   BIGINT DEFAULT 0 NOT NULL
			)""";

	static final String CLAIM = """
			UPDATE stock SET fence = ? WHERE product = ? AND fence <= ?""";

	static final String WRITE = """
			UPDATE stock SET units = ?, fence = ? WHERE product = ? AND fence <= ?""";

	static final String WRITE_ONCE = """
			UPDATE stock SET units = ?, fence = ? WHERE product = ? AND fence < ?""";

	private final Connection connection;

	FencedTable(Connection connection) {
		this.connection = connection;
	}

	/**
	 * Let no holder of a smaller token write any more. To be done before reading what the
	 * next write depends on.
	 */
	boolean claim(String product, long token) throws SQLException {
		try (PreparedStatement claim = this.connection.prepareStatement(CLAIM)) {
			claim.setLong(1, token);
			claim.setString(2, product);
			claim.setLong(3, token);
			return claim.executeUpdate() == 1;
		}
	}

	int units(String product) throws SQLException {
		try (PreparedStatement read = this.connection.prepareStatement("SELECT units FROM stock WHERE product = ?")) {
			read.setString(1, product);
			ResultSet row = read.executeQuery();
			row.next();
			return row.getInt(1);
		}
	}

	/**
	 * Write, as often as need be under one token.
	 * @return whether it was accepted
	 */
	boolean write(String product, int units, long token) throws SQLException {
		return write(WRITE, product, units, token);
	}

	/**
	 * Write at most once under a token.
	 * @return whether it was accepted
	 */
	boolean writeOnce(String product, int units, long token) throws SQLException {
		return write(WRITE_ONCE, product, units, token);
	}

	private boolean write(String sql, String product, int units, long token) throws SQLException {
		try (PreparedStatement write = this.connection.prepareStatement(sql)) {
			write.setInt(1, units);
			write.setLong(2, token);
			write.setString(3, product);
			write.setLong(4, token);
			return write.executeUpdate() == 1;
		}
	}

}
