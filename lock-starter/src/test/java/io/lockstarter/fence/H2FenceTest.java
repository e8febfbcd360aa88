// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The fence on H2.
 */
class H2FenceTest extends FenceContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource("jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
	}

	@Override
	boolean failsAtRepeatableRead() {
		return true;
	}

	/**
	 * No test here: H2 fails such a wait, or lets it go on, and nothing is said of it.
	 */
	@Override
	void successorAtRepeatableReadFailsToBeRetriedOrSeesWhatWasCommitted() {
	}

}
