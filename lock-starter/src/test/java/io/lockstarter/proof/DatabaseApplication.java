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
package io.lockstarter.proof;

import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;

import org.h2.tools.Server;

/**
 * A JVM with a database in its memory, for other JVMs of this machine. In one of its own,
 * since H2 reads the address to bind to but once.
 */
final class DatabaseApplication {

	private DatabaseApplication() {
	}

	/**
	 * Serve until the parent ends.
	 */
	public static void main(String... args) throws SQLException, InterruptedException {
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		System.setProperty("h2.bindAddress", "127.0.0.1");
		Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		System.out.println("port " + server.getPort());
		commands.take();
		server.stop();
	}

}
