// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import javax.sql.DataSource;

import io.lockstarter.testkit.DatabaseServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * The fence on MariaDB.
 */
@Tag("proof")
class MariaDbFenceTest extends FenceContract {

	private final DatabaseServer server = DatabaseServer.mariaDb();

	@Override
	DataSource dataSource() {
		return this.server.dataSource();
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@Override
	boolean failsAtRepeatableRead() {
		return false;
	}

}
