// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.FileSystemUtils;

/**
 * An H2 database in a new file. The first instance that opens it serves it to the others,
 * on a free port of 127.0.0.1.
 *
 * @param directory where the file is; it is deleted in the end
 */
record LocalDatabase(Path directory) {

	private static final Log logger = LogFactory.getLog(LocalDatabase.class);

	static LocalDatabase create() throws IOException {
		return new LocalDatabase(Files.createTempDirectory("flash-sale-database"));
	}

	String url() {
		return "jdbc:h2:file:%s;AUTO_SERVER=TRUE;TRACE_LEVEL_FILE=0".formatted(this.directory.resolve("sale"));
	}

	/**
	 * Close the database, whoever still uses it, and delete its file.
	 */
	void delete() throws IOException {
		try (Connection connection = DriverManager.getConnection(url() + ";IFEXISTS=TRUE", "", "");
				Statement statement = connection.createStatement()) {
			// Connections of an instance that crashed would keep it open, and the file
			// would come back.
			statement.execute("SHUTDOWN");
		}
		catch (SQLException ex) {
			logger.debug("There is no database to close", ex);
		}
		FileSystemUtils.deleteRecursively(this.directory);
	}

}
