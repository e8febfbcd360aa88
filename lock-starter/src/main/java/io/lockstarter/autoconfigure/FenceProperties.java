// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of the database that refuses late transactions.
 */
// Has setters, as LockProperties has.
@ConfigurationProperties("distributed-lock.fence")
final class FenceProperties {

	/**
	 * Table with the largest fencing token of each key; the name of its schema and a dot
	 * may stand before it.
	 */
	private String table = "lock_fence";

	/**
	 * Name of the DataSource bean with the table, on which the transactions are; the only
	 * or the primary one if it is not set.
	 */
	private @Nullable String dataSource;

	/**
	 * Whether to make the table at the start, if a method is fenced and there is none.
	 */
	private boolean createTable;

	/**
	 * The longest time for which a holder may be stopped. Rows that nobody has claimed
	 * for longer are deleted.
	 */
	private Duration maxPause = Duration.ofDays(7);

	/**
	 * How often to delete such rows, in one of all instances; never if it is not set.
	 */
	private @Nullable Duration purgeInterval;

	public String getTable() {
		return this.table;
	}

	public void setTable(String table) {
		this.table = table;
	}

	public @Nullable String getDataSource() {
		return this.dataSource;
	}

	public void setDataSource(@Nullable String dataSource) {
		this.dataSource = dataSource;
	}

	public boolean isCreateTable() {
		return this.createTable;
	}

	public void setCreateTable(boolean createTable) {
		this.createTable = createTable;
	}

	public Duration getMaxPause() {
		return this.maxPause;
	}

	public void setMaxPause(Duration maxPause) {
		this.maxPause = maxPause;
	}

	public @Nullable Duration getPurgeInterval() {
		return this.purgeInterval;
	}

	public void setPurgeInterval(@Nullable Duration purgeInterval) {
		this.purgeInterval = purgeInterval;
	}

}
