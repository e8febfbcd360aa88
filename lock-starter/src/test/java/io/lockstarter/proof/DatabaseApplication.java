// SPDX-License-Identifier: Apache-2.0
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
