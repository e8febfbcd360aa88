// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;

/**
 * A JVM that sells one unit under a lock and, between looking at its lease and writing,
 * waits for {@code sell} or, without the fence, {@code sell blindly}.
 */
final class WritingApplication {

	private WritingApplication() {
	}

	/**
	 * Sell one unit.
	 * @param args port of Redis, URL of the database, product, ttl
	 */
	public static void main(String... args) throws InterruptedException, SQLException {
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		String product = args[2];
		LockOptions options = LockOptions.defaults().withTtl(Duration.parse(args[3]));
		Duration patience = Duration.ofSeconds(10);
		try (Instance instance = new Instance(Integer.parseInt(args[0]), Instance.settings(patience, patience));
				Connection connection = DriverManager.getConnection(args[1])) {
			instance.registry().acquire("warm-up", LockOptions.defaults()).close();
			FencedTable table = new FencedTable(connection);
			Lease lease = instance.registry().acquire("stock:" + product, options);
			int units = claim(table, lease, product);
			System.out.println("claimed " + lease.fencingToken() + " valid " + lease.isValid());
			boolean sold = commands.take().equals("sell") ? sell(table, lease, product, units)
					: overwrite(connection, product, units);
			System.out.println("sold " + sold);
		}
	}

	static int claim(FencedTable table, Lease lease, String product) throws SQLException {
		if (!table.claim(product, lease.fencingToken())) {
			throw new IllegalStateException("Somebody with a newer lock was here");
		}
		return table.units(product);
	}

	static boolean sell(FencedTable table, Lease lease, String product, int units) throws SQLException {
		return table.write(product, units - 1, lease.fencingToken());
	}

	private static boolean overwrite(Connection connection, String product, int units) throws SQLException {
		return connection.createStatement()
			.executeUpdate("UPDATE stock SET units = %d WHERE product = '%s'".formatted(units - 1, product)) == 1;
	}

}
