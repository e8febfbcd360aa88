/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
