// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.lockstarter.LockSetupException;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.function.SingletonSupplier;

/**
 * The table with the largest token of each key. Its statements run in the transaction of
 * the calling thread, if there is one, and obey its timeout.
 */
final class FenceTable {

	static final int NAME_LENGTH = 255;

	private final String name;

	private final Supplier<JdbcTemplate> jdbc;

	// Kept once it is known, as a database that is down tells nothing.
	private final Supplier<FenceDialect> dialect = SingletonSupplier.of(this::findDialect);

	FenceTable(String name, Supplier<? extends DataSource> dataSource) {
		this.name = name;
		this.jdbc = SingletonSupplier.of(() -> new JdbcTemplate(target(dataSource.get())));
	}

	/**
	 * Transaction managers know what is behind such a proxy, and not the proxy.
	 */
	private static DataSource target(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy)
				? target(Objects.requireNonNull(proxy.getTargetDataSource())) : dataSource;
	}

	DataSource dataSource() {
		return Objects.requireNonNull(jdbc().getDataSource());
	}

	boolean claim(String row, long token) {
		try {
			return dialect().claim(jdbc(), this.name, row, token);
		}
		catch (BadSqlGrammarException ex) {
			throw unusable(ex);
		}
	}

	int purge(Duration pause) {
		Instant since = Instant.now().minus(pause);
		return dialect().purge(jdbc(), this.name, ChronoUnit.MICROS.between(Instant.EPOCH, since));
	}

	void create() {
		try {
			jdbc().execute(dialect().definition(this.name));
		}
		catch (DataAccessException ex) {
			// Another instance may have made it at the same moment.
			try {
				check();
			}
			catch (LockSetupException missing) {
				throw new LockSetupException(
						"The table '%s' for fence = TRANSACTION cannot be made: %s".formatted(this.name,
								ex.getMessage()),
						"Let the user of the DataSource make tables, or make it yourself and leave "
								+ "'distributed-lock.fence.create-table' out",
						ex);
			}
		}
	}

	void check() {
		try {
			jdbc().queryForList("SELECT name, token FROM %s WHERE name = ''".formatted(this.name));
		}
		catch (BadSqlGrammarException ex) {
			throw unusable(ex);
		}
	}

	private LockSetupException unusable(BadSqlGrammarException ex) {
		return new LockSetupException(
				"The table '%s' for fence = TRANSACTION cannot be used: %s".formatted(this.name,
						ex.getMostSpecificCause().getMessage()),
				"Make it with \"%s\", set 'distributed-lock.fence.create-table' to true, or name another table in 'distributed-lock.fence.table'"
					.formatted(dialect().definition(this.name).replaceAll("\\s+", " ")),
				ex);
	}

	private JdbcTemplate jdbc() {
		return this.jdbc.get();
	}

	private FenceDialect dialect() {
		return this.dialect.get();
	}

	private FenceDialect findDialect() {
		ConnectionCallback<String> product = (connection) -> connection.getMetaData().getDatabaseProductName();
		return FenceDialect.of(Objects.requireNonNull(jdbc().execute(product)));
	}

}
